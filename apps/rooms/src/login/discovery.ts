// Metadata of the provider, OpenID Connect Discovery 1.0 (R4.1, R4.3, R4.4, C5-C11).
import { HOUR_MS } from '@latchkey/http/duration'
import { elapsedMs } from '@latchkey/http/elapsed'
import { isSafeUrl } from '@latchkey/http/safe-url'
import { z } from 'zod'
import { endpoint } from '../settings/kinds.ts'
import { ID_TOKEN_ALGORITHMS, type IdTokenAlgorithm, type OidcConfig } from '../identity/provider-config.ts'
import { LoginFailure, type ProviderStatus } from './provider.ts'
import type { ProviderDependencies } from './provider-dependencies.ts'

export interface Metadata {
  readonly authorizationEndpoint: string
  readonly tokenEndpoint: string
  readonly jwksUri: string
  readonly userinfoEndpoint: string | null
  readonly endSessionEndpoint: string | null
  readonly supportsS256: boolean
  /** Null if the metadata does not list them. */
  readonly tokenAuthMethods: readonly string[] | null
  /** The only algorithm that ID tokens may be signed with (R2). */
  readonly algorithm: IdTokenAlgorithm
  /** Every authorization response names the issuer (RFC 9207). */
  readonly alwaysSendsIssuer: boolean
}

export interface Discovery {
  /** Throws `LoginFailure`. */
  get(): Promise<Metadata>
  lastCheck(): Omit<ProviderStatus['discovery'], 'ok'>
}

const MAX_AGE_MS = HOUR_MS
// Half of the time in R4.3, to detect a recovered provider in time after any failure.
const FAILURE_MAX_AGE_MS = 5_000

/** Caches the metadata. It is loaded lazily, with one request for all callers. */
export function createDiscovery(config: OidcConfig, { outbound, now, log }: ProviderDependencies): Discovery {
  let metadata: Metadata | undefined
  let failure: LoginFailure | undefined
  let checkedAtMs = -Infinity
  let loading: Promise<Metadata> | undefined

  const isWithin = (ms: number) => elapsedMs(checkedAtMs, now()) < ms

  async function load(): Promise<Metadata> {
    try {
      metadata = await fetchMetadata(config, outbound)
      failure = undefined
      return metadata
    } catch (error) {
      metadata = undefined
      if (error instanceof LoginFailure) {
        failure = error
        log.warn('provider: cannot use the metadata', { error: describeFailure(error) })
      }
      throw error
    } finally {
      checkedAtMs = now()
      loading = undefined
    }
  }

  return {
    async get() {
      if (metadata !== undefined && isWithin(MAX_AGE_MS)) return metadata
      if (failure !== undefined && loading === undefined && isWithin(FAILURE_MAX_AGE_MS)) throw failure
      loading ??= load()
      return loading
    },
    lastCheck: () => ({
      checkedAtMs: Number.isFinite(checkedAtMs) ? checkedAtMs : null,
      code: failure?.code ?? null,
      error: failure === undefined ? null : describeFailure(failure),
    }),
  }
}

/** OpenID Connect Discovery 1.0, section 4: without one trailing slash, in this URL only. */
function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
}

async function fetchMetadata(
  config: OidcConfig,
  outbound: ProviderDependencies['outbound'],
): Promise<Metadata> {
  const { status, object } = await outbound({ endpoint: 'discovery', url: discoveryUrl(config.issuer) })
  if (status !== 200) throw new LoginFailure('provider_unavailable', 'no metadata', { status })
  if (object === undefined) throw new LoginFailure('provider_unavailable', 'metadata is not a JSON object')
  // Section 4.3: must be equal before any other member is trusted (C7).
  if (object.issuer !== config.issuer)
    throw new LoginFailure('provider_misconfigured', 'issuer mismatch', {
      configured: config.issuer,
      received: truncate(object.issuer),
    })
  return readMetadata(object, config)
}

// Some providers publish null for missing members.
const Names = z.array(z.string()).nullish()
const Document = z.object({
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  jwks_uri: z.string(),
  userinfo_endpoint: z.string().nullish(),
  end_session_endpoint: z.string().nullish(),
  code_challenge_methods_supported: Names,
  token_endpoint_auth_methods_supported: Names,
  id_token_signing_alg_values_supported: Names,
  authorization_response_iss_parameter_supported: z.boolean().nullish(),
})

function readMetadata(object: Readonly<Record<string, unknown>>, config: OidcConfig): Metadata {
  const parsed = Document.safeParse(object)
  if (!parsed.success)
    throw new LoginFailure('provider_misconfigured', 'metadata incomplete or malformed', {
      members: parsed.error.issues.map(({ path }) => path.join('.')),
    })
  const document = parsed.data
  const requiredUrl = (name: 'authorization_endpoint' | 'token_endpoint' | 'jwks_uri') =>
    permittedUrl(document[name], name, config)
  const optionalUrl = (name: 'userinfo_endpoint' | 'end_session_endpoint') => {
    const text = document[name] ?? null
    return text === null ? null : permittedUrl(text, name, config)
  }
  return {
    authorizationEndpoint: requiredUrl('authorization_endpoint'),
    tokenEndpoint: requiredUrl('token_endpoint'),
    jwksUri: requiredUrl('jwks_uri'),
    userinfoEndpoint: optionalUrl('userinfo_endpoint'),
    endSessionEndpoint: optionalUrl('end_session_endpoint'),
    supportsS256: document.code_challenge_methods_supported?.includes('S256') ?? false,
    tokenAuthMethods: document.token_endpoint_auth_methods_supported ?? null,
    algorithm: algorithmFor(config, document.id_token_signing_alg_values_supported ?? null),
    alwaysSendsIssuer: document.authorization_response_iss_parameter_supported ?? false,
  }
}

/**
 * Checks a URL by the rule of the settings (R4.4). No `javascript:` URL reaches a Location header
 * (C9).
 */
function permittedUrl(text: string, member: string, { allowHttp }: OidcConfig): string {
  const url = endpoint().parse(text)
  if (url !== undefined && (allowHttp || isSafeUrl(url))) return url
  throw new LoginFailure('provider_misconfigured', 'metadata address not permitted', { member })
}

/**
 * Exactly one algorithm (C52). RS256 is the default of providers (OpenID Connect Core 1.0, section
 * 3.1.3.7).
 */
function algorithmFor({ idTokenAlg }: OidcConfig, advertised: readonly string[] | null): IdTokenAlgorithm {
  if (idTokenAlg !== 'auto') return idTokenAlg
  if (advertised === null || advertised.length === 0) return 'RS256'
  const algorithm = ID_TOKEN_ALGORITHMS.find((candidate) => advertised.includes(candidate))
  if (algorithm !== undefined) return algorithm
  throw new LoginFailure('provider_misconfigured', 'no asymmetric signature algorithm in common')
}

function describeFailure({ reason, detail }: LoginFailure): string {
  const details = Object.entries(detail).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  return [reason, ...details].join(', ')
}

function truncate(value: unknown): unknown {
  return typeof value === 'string' ? value.slice(0, 500) : typeof value
}
