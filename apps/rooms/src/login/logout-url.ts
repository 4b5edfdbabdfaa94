// The URL at which a browser ends its session at the provider, OpenID Connect RP-Initiated Logout
// 1.0, section 2 (R12.2, C117).
import type { OidcConfig } from '../identity/provider-config.ts'

const MAX_URL_LENGTH = 8 * 1024

export function logoutUrl(
  endpoint: string,
  { clientId, logoutRedirectParameter }: Pick<OidcConfig, 'clientId' | 'logoutRedirectParameter'>,
  options: { idToken: string | null; postLogoutRedirectUri: string; state: string },
): string {
  const url = new URL(endpoint)
  url.searchParams.set('client_id', clientId)
  url.searchParams.set(logoutRedirectParameter, options.postLogoutRedirectUri)
  url.searchParams.set('state', options.state)
  const bare = url.href
  if (options.idToken === null) return bare
  url.searchParams.set('id_token_hint', options.idToken)
  // Servers refuse longer URLs. Without the hint, the provider asks the user.
  return url.href.length <= MAX_URL_LENGTH ? url.href : bare
}
