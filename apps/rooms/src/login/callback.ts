import { hashToken } from '@latchkey/tokens/opaque'
import type { LoginStateRow } from '../db/tables.ts'
import { unseal } from '@latchkey/tokens/seal'
import type { CallbackQuery } from './callback-query.ts'
import { type LoginContext, StaleLogin, stateHashOf } from './login-state.ts'
import { type LoginError, LoginFailure, type Provider, type ProviderIdentity } from './provider.ts'
import { consumeState, isOutstanding, explainRejectedState } from './store.ts'
import { withLoginTimeout } from './login-timeout.ts'

/** A login state that this callback has consumed. */
export interface ConsumedLoginState extends LoginStateRow {
  /** The state in the callback. It is the key of the sealed values in the row. */
  state: string
}

/**
 * Whether this browser has such a login state. `consumeLoginState` decides which callback gets it.
 */
export async function isLoginPending(
  { database, now }: LoginContext,
  { state }: CallbackQuery,
  browsers: readonly string[],
): Promise<boolean> {
  if (!state || browsers.length === 0) return false
  return isOutstanding(database.read, stateHashOf(state), browsers.map(hashToken), now)
}

/**
 * The first half of a callback (R6.2): browser, then state. `browsers` are the cookies that may
 * belong to the login state. Throws `LoginFailure` and keeps a login state of another browser.
 */
export async function consumeLoginState(
  { database, now }: LoginContext,
  { state }: CallbackQuery,
  browsers: readonly string[],
): Promise<ConsumedLoginState> {
  if (browsers.length === 0) throw new StaleLogin('no browser cookie')
  if (!state) throw new LoginFailure('state_invalid', 'no state')
  const stateHash = stateHashOf(state)
  const browserHashes = browsers.map(hashToken)
  const consumed = await database.write(
    async (tx) =>
      (await consumeState(tx, stateHash, browserHashes, now)) ??
      (await explainRejectedState(tx, stateHash, browserHashes)),
  )
  if (typeof consumed === 'string') throw new StaleLogin(consumed)
  return { ...consumed, state }
}

/**
 * The second half, in the order of R6.2: configuration, issuer, error, code. Sends at most one
 * token request. Metadata, tokens, keys and user-info share one timeout, which limits the total
 * time with a slow provider.
 */
export async function completeLogin(
  { provider }: Pick<LoginContext, 'provider'>,
  loginState: ConsumedLoginState,
  query: CallbackQuery,
): Promise<ProviderIdentity> {
  return withLoginTimeout(provider.loginMs, redeem(provider, loginState, query))
}

async function redeem(
  provider: Provider,
  loginState: ConsumedLoginState,
  { iss, error, code }: CallbackQuery,
): Promise<ProviderIdentity> {
  if (loginState.config_fingerprint !== provider.fingerprint)
    throw new LoginFailure('state_invalid', 'state of another configuration')
  await provider.checkIssuerParameter(iss)
  if (error !== null) throw refusedByProvider(error)
  if (!code) throw new LoginFailure('provider_error', 'no code')
  return provider.redeem({
    code,
    redirectUri: loginState.redirect_uri,
    codeVerifier: openVerifier(loginState),
    nonceHash: loginState.nonce_hash,
  })
}

function openVerifier({ verifier_sealed, state }: ConsumedLoginState): string | null {
  if (verifier_sealed === null) return null
  const verifier = unseal(verifier_sealed, state, 'pkce-verifier')
  if (verifier === undefined) throw new LoginFailure('state_invalid', 'code verifier cannot be opened')
  return verifier
}

// RFC 6749, section 4.1.2.1, and OpenID Connect Core, section 3.1.2.6. `server_error` and
// `temporarily_unavailable` represent the statuses 500 and 503, which a redirect cannot have.
const PROVIDER_ERRORS: ReadonlyMap<string, LoginError> = new Map<string, LoginError>([
  ['access_denied', 'cancelled'],
  ['login_required', 'interaction_required'],
  ['interaction_required', 'interaction_required'],
  ['account_selection_required', 'interaction_required'],
  ['consent_required', 'interaction_required'],
  ['server_error', 'provider_unavailable'],
  ['temporarily_unavailable', 'provider_unavailable'],
  ['invalid_request', 'provider_error'],
  ['unauthorized_client', 'provider_error'],
  ['unsupported_response_type', 'provider_error'],
  ['invalid_scope', 'provider_error'],
])

/** Names only known errors, and never quotes the text of the provider (R6.4). */
function refusedByProvider(error: string): LoginFailure {
  const code = PROVIDER_ERRORS.get(error)
  return code === undefined
    ? new LoginFailure('provider_error', 'refused by the provider')
    : new LoginFailure(code, `refused by the provider: ${error}`)
}
