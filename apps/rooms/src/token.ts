import { createToken } from '@latchkey/tokens/opaque'

const BYTES = 32

/** Format of an opaque token. Other text is never looked up in the database. */
export const TOKEN = /^[\w-]{43}$/

/**
 * Random token of a session, a login state, a WebSocket ticket or an invitation. Only its hash is
 * stored.
 */
export function newToken(): string {
  return createToken('', BYTES, 'base64url')
}
