// Asks who signed in, OpenID Connect Core 1.0, section 5.3 (R6.6, R7.5, C75-C78).
import type { Outbound } from './outbound.ts'
import { LoginFailure } from './provider.ts'
import type { JsonObject } from './strict-jws.ts'

/** The access token goes into the header (RFC 6750, section 2.1) and never into the address, which proxies log. */
export async function fetchUserInfo(
  outbound: Outbound,
  url: string,
  accessToken: string,
): Promise<JsonObject> {
  const { status, object } = await outbound({
    endpoint: 'userinfo',
    url,
    headers: { authorization: `Bearer ${accessToken}` },
  })
  if (status >= 500) throw new LoginFailure('provider_unavailable', 'userinfo endpoint failed', { status })
  if (status !== 200) throw new LoginFailure('provider_error', 'userinfo endpoint refused', { status })
  // A signed answer (application/jwt) is none either: nobody asked for one.
  if (object === undefined) throw new LoginFailure('provider_error', 'userinfo answer is no JSON object')
  return object
}

/** Section 5.3.2: `sub` must be the ID token's, or user-info speaks of somebody else. */
export function checkSameSubject(idToken: JsonObject, userInfo: JsonObject): void {
  if (!Object.hasOwn(userInfo, 'sub') || userInfo.sub !== idToken.sub)
    throw new LoginFailure('token_invalid', 'userinfo subject differs')
}
