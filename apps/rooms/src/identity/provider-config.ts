import type { ClaimPath } from './claim-path.ts'
import type { Condition } from './conditions.ts'

export const ID_TOKEN_ALGORITHMS = ['RS256', 'ES256', 'PS256', 'EdDSA', 'ES384', 'RS384', 'RS512'] as const
export type IdTokenAlgorithm = (typeof ID_TOKEN_ALGORITHMS)[number]

/** Settings of all three modes (R2). */
interface CommonConfig {
  readonly label: string
  readonly clientId: string
  readonly clientSecret: string | null
  /** Scopes in the order of the setting, without duplicates. */
  readonly scopes: readonly string[]
  readonly pkce: 'required' | 'auto' | 'disabled'
  readonly tokenAuthMethod: 'auto' | 'client_secret_basic' | 'client_secret_post'
  /** The `token_type` of token responses in lower case; null also accepts a response without one. */
  readonly tokenType: string | null
  /** Who may sign in: everyone whose claims meet all of them. */
  readonly conditions: readonly Condition[]
  /** Whom the access layer admits; null if Rooms is none. */
  readonly accessConditions: readonly Condition[] | null
  readonly adminClaim: { readonly path: ClaimPath; readonly value: string } | null
  readonly subjectPath: ClaimPath
  /** The first path with a name wins. */
  readonly namePaths: readonly ClaimPath[]
  readonly emailPath: ClaimPath | null
  /** Null if groups of the provider give nothing in rooms. */
  readonly groupsPath: ClaimPath | null
  /** Permits http URLs of the provider that are not loopback. */
  readonly allowHttp: boolean
}

export interface OidcConfig extends CommonConfig {
  readonly mode: 'oidc' | 'teamidp'
  /** Exactly as configured. */
  readonly issuer: string
  /** Audiences that tokens may have beside the client ID. */
  readonly audiences: readonly string[]
  readonly idTokenAlg: 'auto' | IdTokenAlgorithm
  /** Hosts in the metadata that may have private addresses. */
  readonly trustedHosts: readonly string[]
  readonly backchannelLogout: boolean
  /** The query parameter of the end-session endpoint that names the address to return to. */
  readonly logoutRedirectParameter: string
  /** Maximum age of logout tokens without `exp`; null refuses them. */
  readonly logoutTokenMaxAgeSeconds: number | null
  /** Null except in teamidp. */
  readonly teams: TeamsConfig | null
}

export interface TeamsConfig {
  readonly claimPath: ClaimPath
  readonly idPath: ClaimPath
  readonly rolePath: ClaimPath
  /** Null means all teams in the list. */
  readonly teamId: string | null
  readonly ownerRoles: readonly string[]
}

export interface OAuth2Config extends CommonConfig {
  readonly mode: 'oauth2'
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly userinfoEndpoint: string
}

export type ProviderConfig = OidcConfig | OAuth2Config
export type ProviderMode = ProviderConfig['mode']

/** The key of identities of this provider, together with the subject (R8.1). */
export function issuerOf(config: ProviderConfig): string {
  return config.mode === 'oauth2' ? `oauth2:${new URL(config.userinfoEndpoint).origin}` : config.issuer
}

/**
 * The source of subjects. It is more specific than the issuer: in oauth2, all realms of a host have
 * the same one.
 */
export interface SubjectSource {
  /** Null if the metadata contains it. */
  readonly userinfoEndpoint: string | null
  readonly subjectPath: string
}

export function subjectSourceOf(config: ProviderConfig): SubjectSource {
  const userinfoEndpoint = config.mode === 'oauth2' ? config.userinfoEndpoint : null
  return { userinfoEndpoint, subjectPath: config.subjectPath.whole }
}
