import { afterEach, expect, mock, spyOn, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { createLog } from '@latchkey/http/log'
import { createRooms } from '../../src/app.ts'
import { readDemoSettings } from '../../src/settings/demo.ts'

const HOUR = 3_600_000

eachDialect((_dialect, newUrl) => {
  afterEach(() => mock.restore())

  test('setting the clock of the machine back neither uses up nor lifts a limit', async () => {
    const ROOMS_LIMITS = 'http_anonymous_per_minute=3'
    const settings = readDemoSettings({ ROOMS_DATABASE_URL: await newUrl(), ROOMS_LIMITS })
    const setOff = { ms: 0 }
    const real = Date.now
    spyOn(Date, 'now').mockImplementation(() => real() + setOff.ms)
    const rooms = await createRooms({ settings, log: createLog({ write: () => {} }) })
    const status = async () => {
      const request = new Request('http://localhost/api/rooms', { headers: { host: 'localhost' } })
      const requestIP = () => ({ address: '192.0.2.1', family: 'IPv4', port: 1 }) as const
      return (await rooms.fetch(request, { requestIP })).status
    }
    expect(await status()).toBe(401)
    setOff.ms = -HOUR
    expect([await status(), await status()]).toEqual([401, 401])
    expect(await status()).toBe(429)
    await rooms.close()
  })
})
