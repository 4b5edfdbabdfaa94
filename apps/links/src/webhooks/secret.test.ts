import { expect, test } from 'bun:test'
import { createSecret, openSecret, sealSecret, signatureHeaders } from './secret.ts'

// The example of the Standard Webhooks specification.
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const MESSAGE = {
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1_614_265_330,
  body: '{"test": 2432232314}',
}
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='

test('L30.3e: a message has the headers and the signature of the Standard Webhooks specification', () => {
  expect(signatureHeaders(MESSAGE, [SECRET])).toEqual({
    'webhook-id': MESSAGE.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': SIGNATURE,
  })
})

test('L30.3h: each of two secrets signs, and any change of the message changes the signature', () => {
  const other = createSecret()
  const signatures = signatureHeaders(MESSAGE, [other, SECRET])['webhook-signature']?.split(' ')
  expect(signatures).toHaveLength(2)
  expect(signatures?.[1]).toBe(SIGNATURE)
  for (const change of [{ id: 'other' }, { timestamp: 1 }, { body: '{}' }])
    expect(signatureHeaders({ ...MESSAGE, ...change }, [SECRET])['webhook-signature']).not.toBe(SIGNATURE)
})

test('a secret has 32 random bytes, and only its instance opens it', () => {
  const secret = createSecret()
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(createSecret()).not.toBe(secret)
  const sealed = sealSecret(secret, 'instance')
  expect(sealed).not.toContain(secret.slice(6))
  expect(openSecret(sealed, 'instance')).toBe(secret)
  expect(() => openSecret(sealed, 'another instance')).toThrow('sealed by another instance')
})
