import type { ProviderMode } from './provider-config.ts'

/** How a login can fail, as its page is told (R6.8). */
export const LOGIN_ERRORS = [
  'cancelled',
  'interaction_required',
  'state_invalid',
  'provider_error',
  'provider_unavailable',
  'provider_misconfigured',
  'token_invalid',
  'identity_incomplete',
  'account_disabled',
  'too_many_attempts',
  'internal',
] as const
export type LoginError = (typeof LOGIN_ERRORS)[number]

/**
 * A login that ends without a session. `code` is for the person, `reason` for log and audit: one stable lower-case phrase
 * of ours ("issuer mismatch"), never anything a provider or a caller sent, unless `detail` says so.
 */
export class LoginFailure extends Error {
  override readonly name = 'LoginFailure'
  readonly code: LoginError
  readonly reason: string
  /** For the log only: configured and received issuer and the like, never a code, a token or a claim. */
  readonly detail: Readonly<Record<string, unknown>>

  constructor(code: LoginError, reason: string, detail: Readonly<Record<string, unknown>> = {}) {
    super(reason)
    this.code = code
    this.reason = reason
    this.detail = detail
  }
}

/** Where a login begins, as the provider's metadata or the settings say. */
export interface AuthorizationRequest {
  /** Its own query parameters stay. */
  readonly state: string
  /** Sent in the OIDC modes only. */
  readonly nonce: string
  /** S256 challenge; sent when `usesPkce` says so. */
  readonly codeChallenge: string | null
  readonly redirectUri: string
  readonly prompt: 'login' | 'select_account' | null
}

/** What came back with the browser, and what the login was started with. */
export interface Redemption {
  readonly code: string
  readonly redirectUri: string
  readonly codeVerifier: string | null
  /** SHA-256 of the nonce, lower-case hex; null in oauth2. */
  readonly nonceHash: string | null
}

/** Who has signed in. */
export interface ProviderIdentity {
  readonly issuer: string
  /** 1 to 255 characters. */
  readonly subject: string
  /** By which logout tokens name the person: `sub` of the ID token, whatever the subject path is; null in oauth2. */
  readonly sub: string | null
  /** Cleaned, 1 to 64 graphemes. */
  readonly name: string
  /** At most 320 characters. */
  readonly email: string | null
  /** The admin claim matched (R9.3). */
  readonly isAdmin: boolean
  /** Ids of the teams whose role counts as owner (R9.5); empty outside teamidp. */
  readonly ownedTeams: readonly string[]
  /** Compact JWS for provider logout; null in oauth2. */
  readonly idToken: string | null
  readonly sid: string | null
  /** `iat` of the ID token, Unix seconds; null in oauth2. */
  readonly issuedAtSeconds: number | null
}

/** A logout token that was found good (R13.4, R13.5); whether it was seen before is for the database to say. */
export interface LogoutToken {
  readonly issuer: string
  readonly jti: string
  readonly sub: string | null
  readonly sid: string | null
  readonly issuedAtSeconds: number
  /** End of its life, Unix seconds. */
  readonly expiresAtSeconds: number
}

/** What the admin page and `doctor` show; never a secret (R16.5). */
export interface ProviderStatus {
  readonly mode: ProviderMode
  readonly issuer: string
  readonly label: string
  readonly discovery: {
    readonly ok: boolean
    readonly checkedAtMs: number | null
    /** What kind of failure, and our phrase for it with what it was about. */
    readonly code: LoginError | null
    readonly error: string | null
  }
  readonly endpoints: Readonly<Record<string, string>>
  readonly pkce: 'S256' | 'none'
  readonly tokenAuthMethod: string
  readonly idTokenAlg: string | null
}

/** The one provider of an instance, in any mode. Everything here throws `LoginFailure`, and nothing else but bugs. */
export interface Provider {
  readonly mode: ProviderMode
  /** What identities are keyed with (R8.1). */
  readonly issuer: string
  /** Of mode, issuer, client id and where subjects are read: a login started under another is not accepted (R6.2). */
  readonly fingerprint: string
  /** How long everything that one callback waits for may take together, in milliseconds. */
  readonly loginMs: number
  /** Whether a code challenge has to be sent; throws `provider_misconfigured` where nothing would protect the exchange. */
  usesPkce(): Promise<boolean>
  authorizationUrl(request: AuthorizationRequest): Promise<string>
  /** R6.4, before the rest of the answer is believed: throws `state_invalid`. `iss` undefined: the parameter is absent. */
  checkIssuerParameter(iss: string | undefined): Promise<void>
  /** Exchanges the code and verifies everything (R6.5 to R7.7). One token request, never repeated. */
  redeem(redemption: Redemption): Promise<ProviderIdentity>
  /** R12.2; null where there is no such endpoint or no metadata within 2 s. */
  logoutUrl(options: {
    idToken: string | null
    postLogoutRedirectUri: string
    state: string
  }): Promise<string | null>
  /** R13.4, R13.5. Throws `LoginFailure` with `token_invalid` for a bad token. */
  verifyLogoutToken(token: string): Promise<LogoutToken>
  status(): Promise<ProviderStatus>
  /** How many published keys can verify its tokens, for `doctor`; null in oauth2. Throws what keeps them from being fetched. */
  countKeys(): Promise<number | null>
}
