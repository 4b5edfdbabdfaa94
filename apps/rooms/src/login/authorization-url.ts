// The authorization request, RFC 6749, section 4.1.1 (R5.6, C14-C18).
import type { ProviderConfig } from '../identity/provider-config.ts'
import type { AuthorizationRequest } from './provider.ts'

/** Query parameters of the endpoint stay, unless they conflict with parameters of the request. */
export function authorizationUrl(
  endpoint: string,
  config: ProviderConfig,
  request: AuthorizationRequest,
): string {
  const url = new URL(endpoint)
  const set = (name: string, value: string) => url.searchParams.set(name, value)
  set('response_type', 'code')
  set('client_id', config.clientId)
  set('redirect_uri', request.redirectUri)
  set('scope', config.scopes.join(' '))
  set('state', request.state)
  if (request.codeChallenge !== null) {
    // RFC 7636. The method `plain` is never sent, whatever the provider offers.
    set('code_challenge', request.codeChallenge)
    set('code_challenge_method', 'S256')
  }
  if (config.mode !== 'oauth2') {
    set('nonce', request.nonce)
    if (request.prompt !== null) set('prompt', request.prompt)
  }
  return url.href
}
