import { createToken } from '@latchkey/tokens/opaque'

const BYTES = 32

/** What a token of ours looks like; the database is asked about nothing else. */
export const TOKEN = /^[\w-]{43}$/

/** For whoever brings it back: a session, a browser that signs in, a socket, an invitation. Only its hash is stored. */
export function newToken(): string {
  return createToken('', BYTES, 'base64url')
}
