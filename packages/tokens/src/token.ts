import { createToken } from './opaque.ts'

const BYTES = 32

/** Format of a token of `newToken`. No other text is looked up in the database. */
export const TOKEN = /^[\w-]{43}$/

/**
 * Creates the random token of a session, a login state, a WebSocket ticket or an invitation: 43
 * characters of base64url. Only its hash is stored (`hashToken`).
 */
export function newToken(): string {
  return createToken('', BYTES, 'base64url')
}
