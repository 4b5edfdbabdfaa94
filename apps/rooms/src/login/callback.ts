import { hashToken } from '@latchkey/tokens/opaque'
import type { LoginStateRow } from '../db/tables.ts'
import { unseal } from '../seal.ts'
import type { CallbackQuery } from './callback-query.ts'
import { type LoginContext, StaleLogin, stateHashOf } from './login-state.ts'
import { type LoginError, LoginFailure, type Provider, type ProviderIdentity } from './provider.ts'
import { consumeState, isOutstanding, explainRejectedState } from './store.ts'
import { withLoginTimeout } from './login-timeout.ts'

/** An attempt that this browser has begun and that nobody else gets. */
export interface ConsumedLoginState extends LoginStateRow {
  /** As the browser brought it; the key to what is sealed in the row. */
  state: string
}

/** Whether this browser has such an attempt at the provider; `takeAttempt` decides for which callback. */
export async function isLoginPending(
  { database, now }: LoginContext,
  { state }: CallbackQuery,
  browsers: readonly string[],
): Promise<boolean> {
  if (!state || browsers.length === 0) return false
  return isOutstanding(database.read, stateHashOf(state), browsers.map(hashToken), now)
}

/**
 * The first half of a callback (R6.2): browser, then state. `browsers` are the cookies that may bind the attempt. Throws
 * `LoginFailure` and leaves the attempt to its own browser.
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
 * The second half, in the order of R6.2: configuration, issuer, error, code. One token request at most, and one deadline for
 * metadata, tokens, keys and user-info together, so that a slow provider keeps nobody waiting for the sum of them.
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
  if (verifier === undefined) throw new LoginFailure('state_invalid', 'verifier does not open')
  return verifier
}

// RFC 6749, section 4.1.2.1, and OpenID Connect Core, section 3.1.2.6. `server_error` and `temporarily_unavailable` stand for
// statuses 500 and 503, which a redirect cannot carry.
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

/** Never what the provider wrote, only which of the known errors it is (R6.4). */
function refusedByProvider(error: string): LoginFailure {
  const code = PROVIDER_ERRORS.get(error)
  return code === undefined
    ? new LoginFailure('provider_error', 'refused by the provider')
    : new LoginFailure(code, `refused by the provider: ${error}`)
}
