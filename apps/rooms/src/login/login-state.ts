import { createHash } from 'node:crypto'
import { createToken, hashToken } from '@latchkey/tokens/opaque'
import type { RequestFacts } from '../api/request.ts'
import type { OperationServices } from '../api/services.ts'
import { newToken } from '@latchkey/tokens/token'
import { LoginFailure } from './provider.ts'

/** Input of the steps of a login, which need no session. */
export type LoginContext = RequestFacts &
  Pick<OperationServices, 'database' | 'provider' | 'policy' | 'rates' | 'log' | 'publish'>

/**
 * Paths on the canonical origin to which the provider redirects the browser and sends logout
 * tokens.
 */
export const CALLBACK_PATH = '/api/auth/callback'
export const BACKCHANNEL_LOGOUT_PATH = '/api/auth/backchannel-logout'

// 64 characters (R5.4).
const VERIFIER_BYTES = 48

/** Random values of a login flow. None is stored in plain text. */
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

/** The name of a login state in the database and in cookies. It does not reveal the state. */
export function stateHashOf(state: string): string {
  return hashToken(state)
}

/**
 * A callback whose login state is used, expired, unknown or of another browser. In a browser that
 * is already signed in, such a callback of an old tab is not a failure (R6.8).
 */
export class StaleLogin extends LoginFailure {
  constructor(reason: string) {
    super('state_invalid', reason)
  }
}
