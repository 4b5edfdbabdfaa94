// Verification of logout tokens, OpenID Connect Back-Channel Logout 1.0, section 2.6 (R13.4, R13.5,
// C109-C113). The caller checks in the database whether the token is a replay, and finds the
// sessions to end.
import { type ExpectedParties, checkParties } from './audience.ts'
import type { Metadata } from './discovery.ts'
import type { KeySet } from './key-set.ts'
import type { OidcConfig } from '../identity/provider-config.ts'
import { LoginFailure, type LogoutToken } from './provider.ts'
import { isIdentifier, keyOf } from '../identity/identifier.ts'
import { type JsonObject, checkHeader, checkSignature, parseJws } from './strict-jws.ts'

export interface ExpectedLogoutToken {
  readonly config: ExpectedParties & Pick<OidcConfig, 'logoutTokenMaxAgeSeconds'>
  /**
   * Called only after all other checks: requests of strangers must not cause requests to the
   * provider.
   */
  readonly metadata: () => Promise<Pick<Metadata, 'algorithm' | 'jwksUri'>>
  readonly keys: KeySet
  readonly now: () => number
}

const MAX_CHARACTERS = 16 * 1024
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const LEEWAY_SECONDS = 30
const MAX_LIFETIME_SECONDS = 600

/**
 * Throws `LoginFailure`: `token_invalid` for an invalid token, `provider_unavailable` without keys.
 */
export async function verifyLogoutToken(token: string, expected: ExpectedLogoutToken): Promise<LogoutToken> {
  const { config, keys } = expected
  const { header, claims } = parseJws(token, MAX_CHARACTERS, 'logout token')
  checkParties(claims, config, 'logout token')
  checkEvent(claims)
  // Section 2.4: an ID token must not be accepted as a logout token.
  if (Object.hasOwn(claims, 'nonce')) refuse('logout token has a nonce')
  const jti = textOf(claims, 'jti')
  if (jti === null) refuse('logout token id missing')
  const sub = textOf(claims, 'sub')
  const sid = textOf(claims, 'sid')
  if (sub === null && sid === null) refuse('logout token without sub and sid')
  const life = lifeOf(claims, config, expected.now() / 1000)

  const { algorithm, jwksUri } = await expected.metadata()
  const expectedHeader = { algorithm, types: ['logout+jwt', 'JWT'] }
  checkHeader(header, expectedHeader, 'logout token')
  const key = await keys.find({ kid: header.kid as string | undefined, algorithm, jwksUri })
  await checkSignature(token, key, expectedHeader, 'logout token')
  return { issuer: config.issuer, jti, sub, sid, ...life }
}

function refuse(reason: string): never {
  throw new LoginFailure('token_invalid', reason)
}

/** C111. */
function checkEvent({ events }: JsonObject): void {
  const event = isObject(events) && Object.hasOwn(events, EVENT) ? events[EVENT] : undefined
  if (!isObject(event)) refuse('logout token event missing or malformed')
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Null if the claim is missing. A claim must be non-empty text. */
function textOf(claims: JsonObject, name: 'jti' | 'sub' | 'sid'): string | null {
  if (!Object.hasOwn(claims, name)) return null
  const value = claims[name]
  // Users with a longer subject cannot sign in.
  const key = name === 'sub' && !isIdentifier(value) ? undefined : keyOf(value)
  return key ?? refuse(`logout token ${name} malformed`)
}

/**
 * The validity in whole seconds, with the start rounded down and the end rounded up (R13.5, C113).
 */
function lifeOf(
  { iat, exp }: JsonObject,
  { logoutTokenMaxAgeSeconds }: ExpectedLogoutToken['config'],
  nowSeconds: number,
): Pick<LogoutToken, 'issuedAtSeconds' | 'expiresAtSeconds'> {
  if (!isTime(iat)) refuse('logout token issue time missing or malformed')
  if (iat > nowSeconds + LEEWAY_SECONDS) refuse('logout token issued in the future')
  // Early implementations sent no `exp`, which must be permitted explicitly.
  const end = exp === undefined && logoutTokenMaxAgeSeconds !== null ? iat + logoutTokenMaxAgeSeconds : exp
  if (!isTime(end)) refuse('logout token expiry missing or malformed')
  const last = Math.min(end, iat + MAX_LIFETIME_SECONDS)
  if (nowSeconds >= last) refuse('logout token expired')
  return { issuedAtSeconds: Math.floor(iat), expiresAtSeconds: Math.ceil(last) }
}

function isTime(value: unknown): value is number {
  return Number.isFinite(value)
}
