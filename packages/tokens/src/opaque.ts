import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Creates a random token: `prefix`, then `bytes` random bytes, in lower-case hex by default. Throws
 * a `RangeError` below 16 bytes, because a shorter token could be guessed.
 *
 * @example createToken('sk_', 24) // 'sk_' and 48 hex digits
 */
export function createToken(prefix: string, bytes: number, encoding: 'hex' | 'base64url' = 'hex'): string {
  if (!(bytes >= 16)) throw new RangeError('A token needs at least 16 random bytes')
  return prefix + randomBytes(bytes).toString(encoding)
}

/**
 * Returns the hash that is stored and looked up instead of a token: SHA-256 in lower-case hex. It
 * needs neither salt nor stretching, since a token of `createToken` cannot be guessed. Never
 * throws.
 *
 * @example hashToken('abc') // 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
 */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex')
}

/**
 * Compares two tokens in a time that reveals nothing about either, not even its length. Never
 * throws.
 *
 * @example equalTokens(given, settings.metricsToken)
 */
export function equalTokens(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b))
}

function digest(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}
