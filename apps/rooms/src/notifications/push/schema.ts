import { ECDH } from 'node:crypto'
import { z } from 'zod'
import { Id } from '../../api/wire.ts'

/** Push services of browsers have the port of https (R30.3). */
const Endpoint = z
  .string()
  .max(2048)
  .refine(isPushEndpoint, 'must be an https URL in normal form, without user, other port or fragment')
  .meta({ description: 'On a public host.', format: 'uri' })

/**
 * Whether this is what a URL parser makes of it. Every parser reads the host of such a text alike.
 */
function isPushEndpoint(endpoint: string): boolean {
  const url = URL.parse(endpoint)
  return (
    url?.href === endpoint &&
    url.protocol === 'https:' &&
    `${url.username}${url.password}${url.port}${url.hash}` === ''
  )
}

/** Bytes in base64url, without padding. */
function base64url(bytes: number) {
  const length = Math.ceil((bytes * 4) / 3)
  return z
    .string()
    .regex(new RegExp(`^[\\w-]{${length}}$`), `must be ${bytes} bytes in base64url`)
    .refine((text) => Buffer.from(text, 'base64url').toString('base64url') === text, 'must be base64url')
}

/** Public key of a browser, uncompressed (RFC 8291, 3.1). */
const PublicKey = base64url(65).refine(isPointOfP256, 'must be a point of P-256')

function isPointOfP256(key: string): boolean {
  try {
    ECDH.convertKey(key, 'prime256v1', 'base64url')
    return true
  } catch {
    return false
  }
}

export const PushSubscription = z
  .object({
    endpoint: Endpoint,
    keys: z.object({ p256dh: PublicKey, auth: base64url(16) }),
  })
  .meta({ description: 'As `PushSubscription.toJSON()` returns it in a browser.' })

export const SubscriptionParams = z.object({ id: Id })
