import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

// AES-256-GCM (NIST SP 800-38D) under a key that only the holder of a random token can derive
// (HKDF, RFC 5869). Without the token, a copy of the database does not reveal the sealed text.

const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Purpose of a sealed text. It is part of the key: a text of one purpose does not open as another.
 */
export type Purpose =
  | 'access-key'
  | 'id-token'
  | 'idempotent-answer'
  | 'pkce-verifier'
  | 'push-key'
  | 'webhook-secret'

/**
 * Encrypts a text under a key derived from `token`. Returns base64url of nonce, tag and ciphertext,
 * different at each call.
 *
 * @example seal(idToken, sessionToken, 'id-token')
 */
export function seal(text: string, token: string, purpose: Purpose): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', keyOf(token, purpose), nonce)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
}

/**
 * Decrypts a text of `seal`. Returns undefined if it was sealed with another token or for another
 * purpose, or was changed. Never throws.
 */
export function unseal(sealed: string, token: string, purpose: Purpose): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined
  const nonce = bytes.subarray(0, NONCE_BYTES)
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', keyOf(token, purpose), nonce, { authTagLength: TAG_BYTES })
  decipher.setAuthTag(tag)
  try {
    const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES))
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

function keyOf(token: string, purpose: Purpose): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', token, '', `latchkey-${purpose}-v1`, 32))
}
