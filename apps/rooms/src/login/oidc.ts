// The modes `oidc` and `teamidp`: OpenID Connect with full verification (R4-R7, R12, R13).
import { authorizationUrl } from './authorization-url.ts'
import { type Discovery, type Metadata, createDiscovery } from './discovery.ts'
import { explainClaims } from './explain-claims.ts'
import { fingerprintOf } from './fingerprint.ts'
import { verifyIdToken } from './id-token.ts'
import { admissionOf } from './admission.ts'
import { describePerson, isComplete, warnOfUnmatchableClaims } from './identity.ts'
import { type KeySet, createKeySet } from './key-set.ts'
import { verifyLogoutToken } from './logout-token.ts'
import { logoutUrl } from './logout-url.ts'
import type { OidcConfig } from '../identity/provider-config.ts'
import {
  LoginFailure,
  type Provider,
  type ProviderIdentity,
  type ProviderStatus,
  type Redemption,
} from './provider.ts'
import { keyOf } from '../identity/identifier.ts'
import type { JsonObject } from './strict-jws.ts'
import type { ProviderDependencies } from './provider-dependencies.ts'
import { clientAuthentication, requestTokens } from './token-endpoint.ts'
import { checkSameSubject, fetchUserInfo } from './user-info.ts'
import { withLoginTimeout } from './login-timeout.ts'

/** The components of an OpenID provider. */
interface OidcParts {
  readonly config: OidcConfig
  readonly dependencies: ProviderDependencies
  readonly discovery: Discovery
  readonly keys: KeySet
}

export function createOidcProvider(config: OidcConfig, dependencies: ProviderDependencies): Provider {
  const discovery = createDiscovery(config, dependencies)
  const keys = createKeySet(dependencies)
  const parts: OidcParts = { config, dependencies, discovery, keys }
  return {
    mode: config.mode,
    issuer: config.issuer,
    fingerprint: fingerprintOf(config),
    loginMs: dependencies.timeouts.loginMs,
    usesPkce: () => usesPkce(parts),
    async authorizationUrl(request) {
      const { authorizationEndpoint } = await discovery.get()
      return authorizationUrl(authorizationEndpoint, config, request)
    },
    checkIssuerParameter: (iss) => checkIssuerParameter(iss, parts),
    redeem: (redemption) => redeem(redemption, parts),
    async logoutUrl(options) {
      const metadata = await metadataForPage(parts)
      return metadata?.endSessionEndpoint ? logoutUrl(metadata.endSessionEndpoint, config, options) : null
    },
    verifyLogoutToken(token) {
      const verified = verifyLogoutToken(token, {
        config,
        metadata: () => discovery.get(),
        keys,
        now: dependencies.now,
      })
      return withLoginTimeout(dependencies.timeouts.logoutTokenMs, verified)
    },
    status: () => statusOf(parts),
    explainClaims: (claims) => explainClaims(claims, config),
    async countKeys() {
      const { jwksUri, algorithm } = await discovery.get()
      return keys.count({ jwksUri, algorithm })
    },
  }
}

async function usesPkce({ config, discovery }: OidcParts): Promise<boolean> {
  if (config.pkce !== 'auto') return config.pkce === 'required'
  const { supportsS256 } = await discovery.get()
  // Without a challenge and a secret, an intercepted code could be used (R5.6, C16).
  if (!supportsS256 && config.clientSecret === null)
    throw new LoginFailure('provider_misconfigured', 'neither code challenge nor client secret')
  return supportsS256
}

/**
 * RFC 9207, section 2.4 (R6.4, C34): a response of another server must not be used with this one.
 */
async function checkIssuerParameter(
  iss: string | undefined,
  { config, discovery }: OidcParts,
): Promise<void> {
  if (iss === config.issuer) return
  if (iss !== undefined) throw new LoginFailure('state_invalid', 'issuer parameter wrong')
  const { alwaysSendsIssuer } = await discovery.get()
  if (alwaysSendsIssuer) throw new LoginFailure('state_invalid', 'issuer parameter missing')
}

/**
 * OpenID Connect Core 1.0, section 3.1.3, in its order: code exchange, ID token verification,
 * user-info.
 */
async function redeem(redemption: Redemption, parts: OidcParts): Promise<ProviderIdentity> {
  const { config, discovery, keys } = parts
  const { outbound, now, log } = parts.dependencies
  const metadata = await discovery.get()
  const { tokenEndpoint: url, tokenAuthMethods: advertised } = metadata
  const { accessToken, idToken } = await requestTokens(outbound, { url, config, advertised, redemption })
  if (idToken === null) throw new LoginFailure('provider_error', 'id token missing')
  const { nonceHash } = redemption
  const signed = await verifyIdToken(idToken, { config, metadata, keys, nonceHash, accessToken, now })
  const claims: JsonObject[] = [signed]
  let isPartial = false
  // After the verification: an unverified token causes no further request (R7.1, C50).
  if (metadata.userinfoEndpoint !== null && !isComplete(signed, config)) {
    const userInfo = await fetchUserInfo(outbound, metadata.userinfoEndpoint, accessToken)
    if (userInfo === null) {
      isPartial = true
      log.warn('userinfo: refused, so only the claims of the ID token count', { issuer: config.issuer })
    } else {
      checkSameSubject(signed, userInfo)
      claims.push(userInfo)
    }
  }
  warnOfUnmatchableClaims(claims, config, log)
  return {
    ...describePerson(claims, config, { isPartial }),
    idToken,
    sub: signed.sub as string,
    sid: sidOf(signed),
    issuedAtSeconds: Math.floor(signed.iat as number),
  }
}

/** The session id of OpenID Connect Front-Channel and Back-Channel Logout. */
function sidOf({ sid }: JsonObject): string | null {
  return keyOf(sid) ?? null
}

/** Undefined if the metadata is not available in time (R12.2). */
async function metadataForPage({ discovery, dependencies }: OidcParts): Promise<Metadata | undefined> {
  try {
    return await withLoginTimeout(dependencies.timeouts.pageMs, discovery.get())
  } catch (error) {
    if (error instanceof LoginFailure) return undefined
    throw error
  }
}

async function statusOf(parts: OidcParts): Promise<ProviderStatus> {
  const { config, discovery } = parts
  const metadata = await metadataForPage(parts)
  const challenges = config.pkce === 'auto' ? metadata?.supportsS256 === true : config.pkce === 'required'
  return {
    mode: config.mode,
    issuer: config.issuer,
    label: config.label,
    ...admissionOf(config),
    discovery: { ok: metadata !== undefined, ...discovery.lastCheck() },
    endpoints: metadata === undefined ? {} : endpointsOf(metadata),
    pkce: challenges ? 'S256' : 'none',
    tokenAuthMethod: metadata
      ? clientAuthentication(config, metadata.tokenAuthMethods)
      : config.tokenAuthMethod,
    idTokenAlg: metadata?.algorithm ?? (config.idTokenAlg === 'auto' ? null : config.idTokenAlg),
  }
}

function endpointsOf(metadata: Metadata): Record<string, string> {
  return {
    authorization: metadata.authorizationEndpoint,
    token: metadata.tokenEndpoint,
    jwks: metadata.jwksUri,
    ...(metadata.userinfoEndpoint !== null && { userinfo: metadata.userinfoEndpoint }),
    ...(metadata.endSessionEndpoint !== null && { endSession: metadata.endSessionEndpoint }),
  }
}
