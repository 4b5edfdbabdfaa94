import { hashToken } from '@latchkey/tokens/opaque'
import { seal } from '@latchkey/tokens/seal'
import {
  CALLBACK_PATH,
  type LoginContext,
  challengeOf,
  createLoginSecrets,
  stateHashOf,
} from './login-state.ts'
import { type AuthorizationRequest, LoginFailure } from './provider.ts'
import { insertState } from './store.ts'

export interface LoginStart {
  /** A path that `parseReturnPath` has checked. */
  returnPath: string
  prompt: AuthorizationRequest['prompt']
  /** The cookie that ties the login state to this browser. */
  browser: string
}

export interface StartedLogin {
  /** The URL to which the browser is redirected. */
  url: string
  stateHash: string
}

/**
 * Starts a login (R5). Throws `LoginFailure`. The login state is stored only after the
 * authorization URL is known.
 */
export async function startLogin(context: LoginContext, start: LoginStart): Promise<StartedLogin> {
  const { database, provider, policy, now } = context
  const isOidc = provider.mode !== 'oauth2'
  const { state, nonce, verifier } = createLoginSecrets()
  const usesPkce = await provider.usesPkce()
  const redirectUri = policy.canonicalOrigin + CALLBACK_PATH
  const url = await provider.authorizationUrl({
    state,
    nonce,
    codeChallenge: usesPkce ? challengeOf(verifier) : null,
    redirectUri,
    prompt: isOidc ? start.prompt : null,
  })
  const stateHash = stateHashOf(state)
  const row = {
    state_hash: stateHash,
    nonce_hash: isOidc ? hashToken(nonce) : null,
    verifier_sealed: usesPkce ? seal(verifier, state, 'pkce-verifier') : null,
    redirect_uri: redirectUri,
    return_path: start.returnPath,
    config_fingerprint: provider.fingerprint,
    browser_hash: hashToken(start.browser),
    client_prefix: context.clientPrefix,
    created_at: now,
    expires_at: now + policy.transactionMs,
    consumed_at: null,
  }
  const { login_states_browser, login_states_prefix, login_states_total } = policy.limits
  const limits = { browser: login_states_browser, prefix: login_states_prefix, total: login_states_total }
  const isStored = await database.write((tx) => insertState(database.dialect, tx, row, limits))
  if (!isStored) throw new LoginFailure('too_many_attempts', 'too many outstanding attempts')
  return { url, stateHash }
}
