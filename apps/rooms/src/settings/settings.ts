import { dialectOf } from '@latchkey/database/url'
import { isSafeUrl } from '@latchkey/http/safe-url'
import {
  type Declaration,
  type Environment,
  type Rule,
  type Values,
  parseSettings,
} from '@latchkey/settings/settings'
import { findUnknownSettings } from '@latchkey/settings/unknown'
import type { FileLocation } from '../files/storage/location.ts'
import { DEFAULT_LIMITS, type Limits } from '../api/limits.ts'
import { type ClaimPath, parseClaimPath } from '../identity/claim-path.ts'
import type { OidcConfig, ProviderConfig, ProviderMode } from '../identity/provider-config.ts'
import { accessConditionsOf, accessRules, hasRepeatedHost } from './access-layer.ts'
import { declarations } from './declarations.ts'
import { fileLocation, storageRules } from './storage.ts'
import { type VoiceSettings, voiceRules, voiceSettings } from './voice.ts'

type Key = keyof typeof declarations
type RoomsRule = Rule<typeof declarations>
type RoomsValues = Values<typeof declarations>

/** Settings that differ from the value of their name: composed of several, or always set by a rule. */
interface ComposedSettings {
  readonly provider: ProviderConfig
  readonly voice: VoiceSettings
  readonly files: FileLocation
  /** Exact origins. The first one is canonical. */
  readonly allowedHosts: readonly [string, ...string[]]
  readonly limits: Limits
}

export type Settings = Omit<RoomsValues, keyof ComposedSettings> & ComposedSettings

const OIDC_MODES: readonly ProviderMode[] = ['oidc', 'teamidp']

/** Settings that only some modes read. The other modes ignore them with a warning (R2.4). */
const MODES_OF: Partial<Record<Key, readonly ProviderMode[]>> = {
  audiences: OIDC_MODES,
  idTokenAlg: OIDC_MODES,
  trustedHosts: OIDC_MODES,
  logoutTokenMaxAge: OIDC_MODES,
  logoutRedirectParameter: OIDC_MODES,
  oidcIssuer: ['oidc'],
  teamIssuer: ['teamidp'],
  teamClaimPath: ['teamidp'],
  teamIdPath: ['teamidp'],
  teamRolePath: ['teamidp'],
  teamId: ['teamidp'],
  ownerRoles: ['teamidp'],
  authorizationEndpoint: ['oauth2'],
  tokenEndpoint: ['oauth2'],
  userinfoEndpoint: ['oauth2'],
}

function requireKey(key: Key): RoomsRule {
  return { settings: [key], problem: (values) => (values[key] === null ? 'is required' : null) }
}

function requireKeyIn(mode: ProviderMode, key: Key): RoomsRule {
  return {
    settings: [key, 'provider'],
    problem: (values) =>
      values.provider === mode && values[key] === null ? `is required with AUTH_PROVIDER=${mode}` : null,
  }
}

function safeUrl(
  key: 'oidcIssuer' | 'teamIssuer' | 'authorizationEndpoint' | 'tokenEndpoint' | 'userinfoEndpoint',
): RoomsRule {
  return {
    settings: [key, 'allowHttp'],
    problem: ({ allowHttp, ...values }) => {
      const url = values[key]
      return url === null || allowHttp || isSafeUrl(url)
        ? null
        : 'must be https beyond this machine; AUTH_ALLOW_HTTP=true permits http, which is unsafe'
    },
  }
}

function requiredWith(key: Key, other: Key): RoomsRule {
  return {
    settings: [key, other],
    problem: (values) =>
      values[key] === null && values[other] !== null ? `is required with ${declarations[other].name}` : null,
  }
}

const rules: readonly RoomsRule[] = [
  ...storageRules,
  ...voiceRules,
  ...accessRules,
  requireKey('provider'),
  requireKey('clientId'),
  requireKey('allowedHosts'),
  requireKeyIn('oidc', 'oidcIssuer'),
  requireKeyIn('teamidp', 'teamIssuer'),
  requireKeyIn('oauth2', 'authorizationEndpoint'),
  requireKeyIn('oauth2', 'tokenEndpoint'),
  requireKeyIn('oauth2', 'userinfoEndpoint'),
  requireKeyIn('oauth2', 'subjectPath'),
  {
    settings: ['oauthNamePaths', 'namePaths', 'provider'],
    problem: ({ provider, namePaths, oauthNamePaths }) =>
      provider === 'oauth2' && namePaths === null && oauthNamePaths === null
        ? 'is required with AUTH_PROVIDER=oauth2, unless AUTH_NAME_PATH is set'
        : null,
  },
  {
    settings: ['oauthNamePaths', 'namePaths'],
    problem: ({ namePaths, oauthNamePaths }) =>
      namePaths !== null && oauthNamePaths !== null ? 'must be unset with AUTH_NAME_PATH' : null,
  },
  safeUrl('oidcIssuer'),
  safeUrl('teamIssuer'),
  safeUrl('authorizationEndpoint'),
  safeUrl('tokenEndpoint'),
  safeUrl('userinfoEndpoint'),
  requiredWith('adminClaimPath', 'adminClaimValue'),
  requiredWith('adminClaimValue', 'adminClaimPath'),
  {
    settings: ['clientSecret', 'pkce'],
    problem: ({ pkce, clientSecret }) =>
      pkce === 'disabled' && clientSecret === null ? 'is required with AUTH_PKCE=disabled' : null,
  },
  {
    settings: ['backchannelLogout', 'provider'],
    problem: ({ provider, backchannelLogout }) =>
      provider === 'oauth2' && backchannelLogout === true ? 'cannot be on with AUTH_PROVIDER=oauth2' : null,
  },
  {
    settings: ['sessionIdleSeconds', 'sessionAbsoluteSeconds'],
    problem: ({ sessionIdleSeconds, sessionAbsoluteSeconds }) =>
      sessionIdleSeconds > sessionAbsoluteSeconds ? 'must not exceed SESSION_ABSOLUTE_SECONDS' : null,
  },
  {
    settings: ['trustedProxies', 'proxyHeader'],
    problem: ({ trustedProxies, proxyHeader }) =>
      proxyHeader !== null && trustedProxies.length === 0 ? 'must name the proxies with PROXY_HEADER' : null,
  },
  {
    settings: ['busUrl', 'databaseUrl'],
    problem: ({ busUrl, databaseUrl }) =>
      busUrl !== null && dialectOf(databaseUrl) === 'sqlite'
        ? 'needs PostgreSQL: an SQLite database has one node'
        : null,
  },
  {
    settings: ['retentionDays', 'maxRetentionDays'],
    problem: ({ retentionDays, maxRetentionDays }) =>
      retentionDays !== null && maxRetentionDays !== null && retentionDays > maxRetentionDays
        ? 'must not exceed ROOMS_RETENTION_MAX'
        : null,
  },
  {
    settings: ['allowedHosts'],
    problem: ({ allowedHosts }) =>
      allowedHosts !== null && hasRepeatedHost(allowedHosts) ? 'must name each host and port once' : null,
  },
]

/** Throws `SettingsError` with all problems. */
export function readSettings(env: Environment): Settings {
  const values = parseSettings(declarations, withoutOtherModes(env), rules)
  const { allowedHosts, limits, provider, clientId } = values
  // The rules guarantee this, but the types do not.
  if (provider === null || allowedHosts === null || clientId === null)
    throw new TypeError('A rule is missing')
  return {
    ...values,
    files: fileLocation(values),
    voice: voiceSettings(values),
    provider: providerConfig(values, provider, clientId),
    allowedHosts: allowedHosts as [string, ...string[]],
    limits: limits ?? DEFAULT_LIMITS,
  }
}

/** Warnings for the log at startup: misspelt settings, settings of other modes, unsafe settings. */
export function settingsWarnings(env: Environment): string[] {
  return [
    ...findUnknownSettings(declarations, env, PREFIXES),
    ...settingsOfOtherModes(env).map(({ name }) => `${name} is ignored: it is for another AUTH_PROVIDER`),
    ...(env['AUTH_ALLOW_HTTP'] === 'true'
      ? ['AUTH_ALLOW_HTTP=true is unsafe: anyone on the network path can sign in as any user']
      : []),
    ...(scopesNeedOpenid(env) ? ['AUTH_SCOPES has no openid; it is added'] : []),
  ]
}

const PREFIXES = [
  'AUTH_',
  'OIDC_',
  'TEAMIDP_',
  'OAUTH_',
  'ADMIN_',
  'GUEST_',
  'ALLOWED_',
  'PROXY_',
  'TRUSTED_',
  'SESSION_',
  'BACKCHANNEL_',
  'LOGOUT_TOKEN_',
  'ROOMS_',
]

function settingsOfOtherModes(env: Environment): Declaration<unknown>[] {
  const mode = declarations.provider.kind.parse(env['AUTH_PROVIDER'] ?? '')
  // Without a mode, it is unknown which settings belong to another one. Their values are still
  // checked.
  if (mode === undefined) return []
  return (Object.keys(MODES_OF) as Key[])
    .filter((key) => !MODES_OF[key]?.includes(mode))
    .map((key) => declarations[key])
    .filter(({ name }) => env[name])
}

function withoutOtherModes(env: Environment): Environment {
  const names = new Set(settingsOfOtherModes(env).map(({ name }) => name))
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name)))
}

function scopesNeedOpenid(env: Environment): boolean {
  const scopes = env['AUTH_SCOPES']
  return Boolean(scopes) && env['AUTH_PROVIDER'] !== 'oauth2' && !scopes?.split(' ').includes('openid')
}

const LABELS: Record<ProviderMode, string> = {
  teamidp: 'Team sign-in',
  oidc: 'OpenID Connect',
  oauth2: 'OAuth 2.0',
}

function providerConfig(values: RoomsValues, mode: ProviderMode, clientId: string): ProviderConfig {
  const common = {
    label: values.label ?? LABELS[mode],
    clientId,
    clientSecret: values.clientSecret,
    scopes: scopesOf(values, mode),
    pkce: values.pkce,
    tokenAuthMethod: values.tokenAuthMethod,
    tokenType: values.tokenType === 'none' ? null : values.tokenType,
    allowHttp: values.allowHttp,
    conditions: values.conditions ?? [],
    accessConditions: accessConditionsOf(values),
    adminClaim:
      values.adminClaimPath !== null && values.adminClaimValue !== null
        ? { path: values.adminClaimPath, value: values.adminClaimValue }
        : null,
    subjectPath: values.subjectPath ?? path('sub'),
    namePaths: values.namePaths ?? values.oauthNamePaths ?? NAME_PATHS,
    groupsPath: values.groupsPath,
  }
  if (mode !== 'oauth2')
    return { ...common, ...oidcConfig(values, mode), emailPath: values.emailPath ?? path('email') }
  const { authorizationEndpoint, tokenEndpoint, userinfoEndpoint } = values
  if (authorizationEndpoint === null || tokenEndpoint === null || userinfoEndpoint === null)
    throw new TypeError('A rule is missing')
  return {
    ...common,
    mode,
    authorizationEndpoint,
    tokenEndpoint,
    userinfoEndpoint,
    emailPath: values.emailPath,
  }
}

function oidcConfig(values: RoomsValues, mode: OidcConfig['mode']) {
  const issuer = mode === 'oidc' ? values.oidcIssuer : values.teamIssuer
  if (issuer === null) throw new TypeError('A rule is missing')
  return {
    mode,
    issuer,
    audiences: values.audiences ?? [],
    idTokenAlg: values.idTokenAlg,
    trustedHosts: values.trustedHosts ?? [],
    backchannelLogout: values.backchannelLogout ?? mode === 'teamidp',
    logoutTokenMaxAgeSeconds: values.logoutTokenMaxAge,
    logoutRedirectParameter: values.logoutRedirectParameter,
    teams:
      mode === 'oidc'
        ? null
        : {
            claimPath: values.teamClaimPath,
            idPath: values.teamIdPath,
            rolePath: values.teamRolePath,
            teamId: values.teamId,
            ownerRoles: values.ownerRoles,
          },
  }
}

function scopesOf({ scopes, teamId }: RoomsValues, mode: ProviderMode): readonly string[] {
  if (scopes === null) {
    const usual = ['openid', 'profile', 'email']
    return mode === 'teamidp' && teamId !== null ? [...usual, 'teams:read'] : usual
  }
  return mode === 'oauth2' || scopes.includes('openid') ? scopes : ['openid', ...scopes]
}

const NAME_PATHS = ['name', 'preferred_username', 'nickname'].map(path)

function path(name: string): ClaimPath {
  const parsed = parseClaimPath(name)
  if (parsed === undefined) throw new TypeError(`${name} is not a claim path`)
  return parsed
}
