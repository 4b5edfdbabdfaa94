// The parties of ID tokens and logout tokens, OpenID Connect Core 1.0, section 3.1.3.7, points 2 to 5
// (R7.3, R13.4, C56, C58, C59, C110).
import type { OidcConfig } from '../identity/provider-config.ts'
import { LoginFailure } from './provider.ts'
import type { JsonObject } from './strict-jws.ts'

export type ExpectedParties = Pick<OidcConfig, 'issuer' | 'clientId' | 'audiences'>

/** Long enough to recognise an audience in the log, and too short to fill it. */
const LOGGED_LENGTH = 120

/**
 * Throws `token_invalid` unless the issuer issued the token for this client, and for no audience but
 * the configured ones: another may have received the token and could replay it here. Beside one of
 * these, an ID token must name this client as the party that it was issued to. Logout tokens have no
 * such claim, so theirs must only not be wrong.
 */
export function checkParties(
  { iss, aud, ...claims }: JsonObject,
  { issuer, clientId, audiences: further }: ExpectedParties,
  what: 'id token' | 'logout token',
): void {
  if (iss !== issuer) refuse(`${what} issuer wrong`)
  const audiences: unknown[] = Array.isArray(aud) ? aud : [aud]
  if (!audiences.includes(clientId)) refuse(`${what} audience wrong`)
  const others = audiences.filter((audience) => audience !== clientId)
  const stranger = others.find((audience) => !further.some((permitted) => permitted === audience))
  if (stranger !== undefined)
    refuse(`${what} has an audience that AUTH_AUDIENCES does not list`, {
      audience: JSON.stringify(stranger).slice(0, LOGGED_LENGTH),
    })
  const mustName = what === 'id token' && others.length > 0
  if ((mustName || Object.hasOwn(claims, 'azp')) && claims.azp !== clientId)
    refuse(`${what} authorized party wrong`)
}

function refuse(reason: string, detail: Readonly<Record<string, unknown>> = {}): never {
  throw new LoginFailure('token_invalid', reason, detail)
}
