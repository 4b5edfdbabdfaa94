import { expect, test } from 'bun:test'
import { createECDH } from 'node:crypto'
import { PushSubscription } from './schema.ts'

const point = createECDH('prime256v1').generateKeys()
const auth = Buffer.alloc(16, 7).toString('base64url')
const keys = { p256dh: point.toString('base64url'), auth }
const isAccepted = (endpoint: string, changed = {}) =>
  PushSubscription.safeParse({ endpoint, keys: { ...keys, ...changed } }).success

test.each([
  'https://fcm.googleapis.com/fcm/send/dC1x:APA91bE-_9',
  'https://updates.push.services.mozilla.com/wpush/v2/gAAAAABk_-x',
  'https://web.push.apple.com/QGuQyavXutnMH9mQ',
  'https://wns2-par02p.notify.windows.com/w/?token=BQYAAAD%2bx%3d%3d',
])('R30.3c: the endpoint %s of a browser’s push service is accepted', (endpoint) => {
  expect(isAccepted(endpoint)).toBe(true)
  expect(isAccepted(endpoint.padEnd(2049, 'x'))).toBe(false)
})

test.each([
  'https:1.1.1.1',
  'https:/push.example/x',
  'https:\\\\push.example\\x',
  'https://push.example',
  'HTTPS://push.example/x',
  'https://PUSH.example/x',
  'https://push。example/x',
  'https://push.example:443/x',
  'https://push.example:0/x',
  'https://push.example:22/x',
  'https://push.example:8443/x',
  'https://user@push.example/x',
  'https://user:password@push.example/x',
  'https://@push.example/x',
  'https://push.example/x#y',
  'https://push.example/a/../x',
  'https://push.example/ x',
  'https://push.example/x\n',
  'https://push.example/\0',
  'https://0x7f.1/x',
  'https://2130706433/x',
  'https://[::ffff:127.0.0.1]/x',
  'http://push.example/x',
  'wss://push.example/x',
  '',
])('R30.3c: the endpoint %j is refused', (endpoint) => {
  expect(isAccepted(endpoint)).toBe(false)
})

test('R30.3: a key that is no point of P-256, or not written in base64url, is refused', () => {
  const changedAt = (index: number, value: number) => {
    const changed = Buffer.from(point)
    changed[index] = value
    return changed.toString('base64url')
  }
  const endpoint = 'https://push.example/x'
  const refused = [
    { p256dh: changedAt(64, (point[64] ?? 0) ^ 1) },
    { p256dh: changedAt(0, 6 + ((point[64] ?? 0) & 1)) },
    { p256dh: Buffer.alloc(65).toString('base64url') },
    { p256dh: createECDH('prime256v1').generateKeys('base64url', 'compressed') },
    { p256dh: `${keys.p256dh}=` },
    { p256dh: point.toString('base64').replace(/=$/, '+') },
    { auth: Buffer.alloc(15).toString('base64url') },
    { auth: Buffer.alloc(17).toString('base64url') },
    // The last character has bits that belong to no byte.
    { auth: `${auth.slice(0, -1)}x` },
  ]
  expect(refused.filter((changed) => isAccepted(endpoint, changed))).toEqual([])
  expect(isAccepted(endpoint)).toBe(true)
})
