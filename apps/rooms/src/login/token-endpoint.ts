// The token request, RFC 6749, section 4.1.3 (R6.5, R6.6, C13, C41-C47).
import type { OAuth2Config, OidcConfig } from '../identity/provider-config.ts'
import { LoginFailure, type Redemption } from './provider.ts'
import type { Outbound } from './outbound.ts'

export interface Tokens {
  /** Opaque, and used for user-info only. */
  readonly accessToken: string
  readonly idToken: string | null
}

export type ClientAuthentication = 'client_secret_basic' | 'client_secret_post' | 'none'

/** Selects the only method to use. `advertised` is null if the metadata does not list any. */
export function clientAuthentication(
  {
    mode,
    clientSecret,
    tokenAuthMethod,
  }: Pick<OidcConfig | OAuth2Config, 'mode' | 'clientSecret' | 'tokenAuthMethod'>,
  advertised: readonly string[] | null,
): ClientAuthentication {
  if (clientSecret === null) return 'none'
  if (tokenAuthMethod !== 'auto') return tokenAuthMethod
  if (mode === 'oauth2') return 'client_secret_post'
  // OpenID Connect Discovery 1.0, section 3: Basic is the default of providers that list none.
  const takesBasic =
    advertised === null || advertised.length === 0 || advertised.includes('client_secret_basic')
  return takesBasic ? 'client_secret_basic' : 'client_secret_post'
}

interface Exchange {
  readonly url: string
  readonly config: OidcConfig | OAuth2Config
  readonly advertised: readonly string[] | null
  readonly redemption: Redemption
}

/**
 * Sends one request: a code works once, and a repeated code makes the provider revoke the tokens
 * (section 4.1.2).
 */
export async function requestTokens(outbound: Outbound, exchange: Exchange): Promise<Tokens> {
  const { url, config, advertised, redemption } = exchange
  const { code, redirectUri, codeVerifier } = redemption
  const form = new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: redirectUri })
  if (codeVerifier !== null) form.set('code_verifier', codeVerifier)
  const method = clientAuthentication(config, advertised)
  const headers: Record<string, string> = {}
  if (method === 'client_secret_basic')
    headers.authorization = basic(config.clientId, config.clientSecret ?? '')
  else form.set('client_id', config.clientId)
  if (method === 'client_secret_post') form.set('client_secret', config.clientSecret ?? '')
  const { status, object } = await outbound({ endpoint: 'token', url, headers, form })
  // GitHub and Slack refuse a code with status 200.
  if (status !== 200 || (typeof object?.error === 'string' && !Object.hasOwn(object, 'access_token')))
    throw refusal(status, object?.error)
  return readTokens(object, config.tokenType)
}

/** RFC 6749, section 2.3.1: both parts are form-encoded before they are joined (C13). */
function basic(clientId: string, secret: string): string {
  const pair = `${formEncoded(clientId)}:${formEncoded(secret)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}

function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1)
}

/** A code of RFC 6749, section 5.2, or one of the provider's own. Its other texts are not logged. */
const ERROR_CODE = /^[a-z][a-z0-9_]{0,63}$/

function refusal(status: number, error: unknown): LoginFailure {
  if (status >= 500) return new LoginFailure('provider_unavailable', 'token endpoint failed', { status })
  const named = typeof error === 'string' && ERROR_CODE.test(error) ? { error } : {}
  return new LoginFailure('provider_error', 'token endpoint refused the code', { status, ...named })
}

// RFC 6750, section 2.1, slightly extended: characters without a special meaning in a header.
const HEADER_SAFE = /^[!-~]+$/

/** RFC 6749, section 5.1. `expires_in` is not used and not checked (C45). */
function readTokens(object: Readonly<Record<string, unknown>> | undefined, tokenType: string | null): Tokens {
  if (object === undefined) throw new LoginFailure('provider_error', 'token answer is not a JSON object')
  const { access_token: accessToken, token_type: type, id_token: idToken } = object
  if (typeof accessToken !== 'string' || !HEADER_SAFE.test(accessToken))
    throw new LoginFailure('provider_error', 'access token missing or malformed')
  const isAbsent = type === undefined || type === null
  const isExpected = typeof type === 'string' && type.toLowerCase() === (tokenType ?? 'bearer')
  if (!isExpected && !(isAbsent && tokenType === null))
    throw new LoginFailure('provider_error', 'token type not supported')
  return { accessToken, idToken: typeof idToken === 'string' && idToken !== '' ? idToken : null }
}
