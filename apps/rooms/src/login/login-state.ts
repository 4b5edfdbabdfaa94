import { createHash } from 'node:crypto'
import { createToken, hashToken } from '@latchkey/tokens/opaque'
import type { Context } from '../context.ts'
import { newToken } from '../token.ts'
import { LoginFailure } from './provider.ts'

/** What the way through a login runs with: a `Context` in which nobody is signed in yet. */
export type LoginContext = Omit<Context, 'actor' | 'setSessionCookies' | 'clearSessionCookies'>

/** Where the provider sends the browser back to, on the canonical origin, and where it ends sessions itself. */
export const CALLBACK_PATH = '/api/auth/callback'
export const BACKCHANNEL_LOGOUT_PATH = '/api/auth/backchannel-logout'

// 64 characters (R5.4).
const VERIFIER_BYTES = 48

/** What one attempt is made of; none of it is stored as it is. */
export function createLoginSecrets(): { state: string; nonce: string; verifier: string } {
  return {
    state: newToken(),
    nonce: newToken(),
    verifier: createToken('', VERIFIER_BYTES, 'base64url'),
  }
}

/** S256 (RFC 7636, section 4.2). */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url')
}

/** Names an attempt in the database and in the browser, without giving it away. */
export function stateHashOf(state: string): string {
  return hashToken(state)
}

/**
 * A callback whose attempt is over, unknown or somebody else's. For a browser that is signed in already, an old tab that
 * comes back is no failure (R6.8).
 */
export class StaleLogin extends LoginFailure {
  constructor(reason: string) {
    super('state_invalid', reason)
  }
}
