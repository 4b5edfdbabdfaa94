// The user-info request, OpenID Connect Core 1.0, section 5.3 (R6.6, R7.5, C75-C78).
import type { Outbound } from './outbound.ts'
import { LoginFailure } from './provider.ts'
import type { JsonObject } from './strict-jws.ts'

/**
 * The access token is sent in a header (RFC 6750, section 2.1) and never in the URL, which proxies
 * log. Null if the provider permits this client no user-info.
 */
export async function fetchUserInfo(
  outbound: Outbound,
  url: string,
  accessToken: string,
): Promise<JsonObject | null> {
  const { status, object } = await outbound({
    endpoint: 'userinfo',
    url,
    headers: { authorization: `Bearer ${accessToken}` },
  })
  if (status >= 500) throw new LoginFailure('provider_unavailable', 'userinfo endpoint failed', { status })
  if (status === 401 || status === 403 || status === 404) return null
  if (status !== 200) throw new LoginFailure('provider_error', 'userinfo endpoint refused', { status })
  // A signed response (application/jwt) is refused as well: none was requested.
  if (object === undefined) throw new LoginFailure('provider_error', 'userinfo answer is not a JSON object')
  return object
}

/**
 * Section 5.3.2: `sub` must equal that of the ID token. Otherwise user-info describes another user.
 */
export function checkSameSubject(idToken: JsonObject, userInfo: JsonObject): void {
  if (!Object.hasOwn(userInfo, 'sub') || userInfo.sub !== idToken.sub)
    throw new LoginFailure('token_invalid', 'userinfo subject differs')
}
