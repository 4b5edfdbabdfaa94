import type { ClaimPath } from './claim-path.ts'

export const ID_TOKEN_ALGORITHMS = ['RS256', 'ES256', 'PS256', 'EdDSA', 'ES384', 'RS384', 'RS512'] as const
export type IdTokenAlgorithm = (typeof ID_TOKEN_ALGORITHMS)[number]

/** What all three modes are configured with (R2). */
interface CommonConfig {
  readonly label: string
  readonly clientId: string
  readonly clientSecret: string | null
  /** In the order given, without repetition. */
  readonly scopes: readonly string[]
  readonly pkce: 'required' | 'auto' | 'disabled'
  readonly tokenAuthMethod: 'auto' | 'client_secret_basic' | 'client_secret_post'
  readonly adminClaim: { readonly path: ClaimPath; readonly value: string } | null
  readonly subjectPath: ClaimPath
  readonly namePath: ClaimPath
  readonly emailPath: ClaimPath | null
  /** Permits http provider URLs that are not loopback. */
  readonly allowHttp: boolean
}

export interface OidcConfig extends CommonConfig {
  readonly mode: 'oidc' | 'teamidp'
  /** Byte for byte as configured. */
  readonly issuer: string
  readonly idTokenAlg: 'auto' | IdTokenAlgorithm
  /** Hosts named by metadata that may have private addresses. */
  readonly trustedHosts: readonly string[]
  readonly backchannelLogout: boolean
  /** Accepts logout tokens without `exp` up to this age. */
  readonly logoutTokenMaxAgeSeconds: number | null
  /** Only in teamidp. */
  readonly teams: TeamsConfig | null
}

export interface TeamsConfig {
  readonly claimPath: ClaimPath
  readonly idPath: ClaimPath
  readonly rolePath: ClaimPath
  /** Null: every listed team. */
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

/** What identities of this provider are keyed with, beside the subject (R8.1). */
export function issuerOf(config: ProviderConfig): string {
  return config.mode === 'oauth2' ? `oauth2:${new URL(config.userinfoEndpoint).origin}` : config.issuer
}

/** Where a subject is read. The issuer says less: all realms of a host can share the one of oauth2. */
export interface SubjectSource {
  /** Null where metadata names it. */
  readonly userinfoEndpoint: string | null
  readonly subjectPath: string
}

export function subjectSourceOf(config: ProviderConfig): SubjectSource {
  const userinfoEndpoint = config.mode === 'oauth2' ? config.userinfoEndpoint : null
  return { userinfoEndpoint, subjectPath: config.subjectPath.whole }
}
