import { expect, test } from 'bun:test'
import { deviceOf } from './device.ts'

const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)'
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)'
const LINUX = 'Mozilla/5.0 (X11; Linux x86_64)'
const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0'

for (const [userAgent, expected] of [
  [`${WINDOWS} ${WEBKIT} Safari/537.36 Edg/140.0.0.0`, 'Edge Windows'],
  [`${MAC} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15`, 'Safari macOS'],
  [`${LINUX} ${WEBKIT} Safari/537.36`, 'Chrome Linux'],
  [
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36',
    'Chrome Android',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 CriOS/140.0 Mobile Safari/604.1',
    'Chrome iOS',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0', 'Firefox Linux'],
  ['Firefox/143.0', 'Firefox undefined'],
  ['curl/8.5.0', undefined],
  ['', undefined],
] as const)
  test(`"${userAgent.slice(0, 70)}" is ${expected ?? 'unknown'}`, () => {
    const device = deviceOf(userAgent)
    expect(device && `${device.browser} ${device.system}`).toBe(expected)
  })
