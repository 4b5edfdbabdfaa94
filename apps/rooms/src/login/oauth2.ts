// The mode `oauth2`: no discovery and no ID token. User-info identifies the user (R4.2, R7.5).
import { authorizationUrl } from './authorization-url.ts'
import { explainClaims } from './explain-claims.ts'
import { fingerprintOf } from './fingerprint.ts'
import { admissionOf } from './admission.ts'
import { describePerson, warnOfUnmatchableClaims } from './identity.ts'
import { type OAuth2Config, issuerOf } from '../identity/provider-config.ts'
import { LoginFailure, type Provider } from './provider.ts'
import type { ProviderDependencies } from './provider-dependencies.ts'
import { clientAuthentication, requestTokens } from './token-endpoint.ts'
import { fetchUserInfo } from './user-info.ts'

export function createOAuth2Provider(
  config: OAuth2Config,
  { outbound, timeouts, log }: ProviderDependencies,
): Provider {
  const issuer = issuerOf(config)
  // Without metadata, `auto` means `required` (R2).
  const usesPkce = config.pkce !== 'disabled'
  return {
    mode: 'oauth2',
    issuer,
    fingerprint: fingerprintOf(config),
    loginMs: timeouts.loginMs,
    usesPkce: async () => usesPkce,
    authorizationUrl: async (request) => authorizationUrl(config.authorizationEndpoint, config, request),
    // R6.4: it is unknown what this server would send.
    checkIssuerParameter: async () => {},
    async redeem(redemption) {
      const { tokenEndpoint: url, userinfoEndpoint } = config
      const { accessToken } = await requestTokens(outbound, { url, config, advertised: null, redemption })
      // An ID token is ignored: this mode verifies none.
      const userInfo = await fetchUserInfo(outbound, userinfoEndpoint, accessToken)
      if (userInfo === null) throw new LoginFailure('provider_error', 'userinfo endpoint refused')
      warnOfUnmatchableClaims([userInfo], config, log)
      const person = describePerson([userInfo], config)
      return { ...person, idToken: null, sub: null, sid: null, issuedAtSeconds: null }
    },
    logoutUrl: async () => null,
    verifyLogoutToken: async () => {
      throw new LoginFailure('token_invalid', 'no logout tokens in this mode')
    },
    status: async () => ({
      mode: 'oauth2',
      issuer,
      label: config.label,
      ...admissionOf(config),
      discovery: { ok: true, checkedAtMs: null, code: null, error: null },
      endpoints: {
        authorization: config.authorizationEndpoint,
        token: config.tokenEndpoint,
        userinfo: config.userinfoEndpoint,
      },
      pkce: usesPkce ? 'S256' : 'none',
      tokenAuthMethod: clientAuthentication(config, null),
      idTokenAlg: null,
    }),
    explainClaims: (claims) => explainClaims(claims, config),
    countKeys: async () => null,
  }
}
