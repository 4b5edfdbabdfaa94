import type { ProviderMode } from '../identity/provider-config.ts'
import type { ClaimsExplanation } from './explain-claims.ts'
import type { JsonObject } from './strict-jws.ts'

/** Error codes of the login page (R6.8). */
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
  'access_not_granted',
  'too_many_attempts',
  'internal',
] as const
export type LoginError = (typeof LOGIN_ERRORS)[number]

/**
 * A login that ends without a session. `code` is for the user. `reason` is for log and audit log: a
 * stable phrase in lower case ("issuer mismatch"). It never contains text of the provider or the
 * client, except where `detail` says so.
 */
export class LoginFailure extends Error {
  override readonly name = 'LoginFailure'
  readonly code: LoginError
  readonly reason: string
  /**
   * For the log only, such as the configured and the received issuer. Never a code, token or claim.
   */
  readonly detail: Readonly<Record<string, unknown>>

  constructor(code: LoginError, reason: string, detail: Readonly<Record<string, unknown>> = {}) {
    super(reason)
    this.code = code
    this.reason = reason
    this.detail = detail
  }
}

/** The text of a condition has no limit, and the audit log has one row for each reason (R21.2a). */
const CONDITION_LENGTH = 200

/** The claims of this person do not meet a condition of AUTH_REQUIRE, which may be a change (R38.1). */
export class AccessNotGranted extends LoginFailure {
  readonly issuer: string
  readonly subject: string

  constructor({ issuer, subject }: Pick<ProviderIdentity, 'issuer' | 'subject'>, condition: string) {
    super('access_not_granted', `condition not met: ${condition.slice(0, CONDITION_LENGTH)}`)
    this.issuer = issuer
    this.subject = subject
  }
}

/** Parameters of the authorization request. */
export interface AuthorizationRequest {
  /** Random value that the callback repeats. */
  readonly state: string
  /** Sent only in the OIDC modes. */
  readonly nonce: string
  /** S256 challenge, sent if `usesPkce` returns true. */
  readonly codeChallenge: string | null
  readonly redirectUri: string
  readonly prompt: 'login' | 'select_account' | null
}

/** Values of the callback and of the login state for the code exchange. */
export interface Redemption {
  readonly code: string
  readonly redirectUri: string
  readonly codeVerifier: string | null
  /** SHA-256 of the nonce in lower-case hex; null in oauth2. */
  readonly nonceHash: string | null
}

/** What the access layer asks of claims (R50.2). */
export interface AccessClaims {
  /** Only if the provider has verified it; at most 320 characters. */
  readonly email: string | null
  /** Whether they meet ROOMS_ACCESS_REQUIRE. */
  readonly isMet: boolean
}

/** The user who has signed in. */
export interface ProviderIdentity {
  readonly issuer: string
  /** 1 to 255 characters. */
  readonly subject: string
  /**
   * The name of the user in logout tokens: `sub` of the ID token, whatever the subject path is;
   * null in oauth2.
   */
  readonly sub: string | null
  /** Cleaned, 1 to 64 graphemes. */
  readonly name: string
  /** At most 320 characters. */
  readonly email: string | null
  /** Whether the admin claim matches (R9.3). */
  readonly isAdmin: boolean
  /** Ids of the teams in which the user's role counts as owner (R9.5); empty outside teamidp. */
  readonly ownedTeams: readonly string[]
  /** Names of the user's groups; null if they are not known, and memberships by groups stay (R38.3c). */
  readonly groups: readonly string[] | null
  /** What the access layer asks of the claims; null without one. */
  readonly access: AccessClaims | null
  /** Compact JWS for the logout at the provider; null in oauth2. */
  readonly idToken: string | null
  readonly sid: string | null
  /** `iat` of the ID token in Unix seconds; null in oauth2. */
  readonly issuedAtSeconds: number | null
}

/** A valid logout token (R13.4, R13.5). Replays are detected in the database. */
export interface LogoutToken {
  readonly issuer: string
  readonly jti: string
  readonly sub: string | null
  readonly sid: string | null
  readonly issuedAtSeconds: number
  /** End of its validity in Unix seconds. */
  readonly expiresAtSeconds: number
}

/** Status for the admin page and `doctor`, without secrets (R16.5). */
export interface ProviderStatus {
  readonly mode: ProviderMode
  readonly issuer: string
  readonly label: string
  /** As in the setting. */
  readonly conditions: readonly string[]
  /** The provider if everyone in the world can sign in (R38.1e). */
  readonly openProvider: string | null
  readonly discovery: {
    readonly ok: boolean
    readonly checkedAtMs: number | null
    /** Error code of the failure; `error` describes it with details. */
    readonly code: LoginError | null
    readonly error: string | null
  }
  readonly endpoints: Readonly<Record<string, string>>
  readonly pkce: 'S256' | 'none'
  readonly tokenAuthMethod: string
  readonly idTokenAlg: string | null
}

/** The provider of an instance, in any mode. All functions throw `LoginFailure` only. */
export interface Provider {
  readonly mode: ProviderMode
  /** Part of the key of identities (R8.1). */
  readonly issuer: string
  /**
   * Hash of mode, issuer, client id and subject source. A login that started with another one is
   * refused (R6.2).
   */
  readonly fingerprint: string
  /** Timeout of all provider calls of a callback together, in milliseconds. */
  readonly loginMs: number
  /**
   * Whether a code challenge must be sent. Throws `provider_misconfigured` if nothing would protect
   * the exchange.
   */
  usesPkce(): Promise<boolean>
  authorizationUrl(request: AuthorizationRequest): Promise<string>
  /**
   * Checks the `iss` parameter before the other parameters are trusted (R6.4). Throws
   * `state_invalid`. `undefined` means that the parameter is missing.
   */
  checkIssuerParameter(iss: string | undefined): Promise<void>
  /**
   * Exchanges the code and verifies the result (R6.5 to R7.7). Sends one token request, which is
   * never repeated.
   */
  redeem(redemption: Redemption): Promise<ProviderIdentity>
  /** Null without an end-session endpoint, or without metadata within 2 s (R12.2). */
  logoutUrl(options: {
    idToken: string | null
    postLogoutRedirectUri: string
    state: string
  }): Promise<string | null>
  /**
   * Verifies a logout token (R13.4, R13.5). Throws `LoginFailure` with `token_invalid` if it is
   * invalid.
   */
  verifyLogoutToken(token: string): Promise<LogoutToken>
  status(): Promise<ProviderStatus>
  /** The meaning that these claims would have in a login (R38.4). */
  explainClaims(claims: JsonObject): ClaimsExplanation
  /**
   * Number of published keys that can verify tokens, for `doctor`; null in oauth2. Throws the error
   * of the request.
   */
  countKeys(): Promise<number | null>
}
