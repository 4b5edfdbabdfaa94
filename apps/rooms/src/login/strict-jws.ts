// Compact JWS read strictly, before its signature is looked at, RFC 7515 (R7.2, C47, C49, C51-C55).
import { type CryptoKey, compactVerify } from 'jose'
import { LoginFailure } from './provider.ts'

export type JsonObject = Readonly<Record<string, unknown>>

export interface ParsedJws {
  readonly header: JsonObject
  readonly claims: JsonObject
}

/** What a header has to say. */
export interface ExpectedHeader {
  readonly algorithm: string
  /** Accepted values of `typ`, which may also be absent. */
  readonly types: readonly string[]
}

/** Header and claims of a token, of which nothing is proved yet. `what` begins the reason of a refusal. */
export function parseJws(token: string, maxCharacters: number, what: string): ParsedJws {
  if (token.length > maxCharacters) throw new LoginFailure('token_invalid', `${what} too long`)
  const parts = token.split('.')
  const [header, claims] = parts.slice(0, 2).map(readPart)
  // RFC 7516, section 7.1.
  if (parts.length === 5) throw new LoginFailure('token_invalid', `${what} encrypted`)
  // Section 7.1: three parts, of which the third is empty without a signature.
  if (
    parts.length !== 3 ||
    header === undefined ||
    claims === undefined ||
    decodeStrictly(parts[2] ?? '') === undefined
  )
    throw new LoginFailure('token_invalid', `${what} malformed`)
  return { header, claims }
}

function readPart(part: string): JsonObject | undefined {
  const bytes = decodeStrictly(part)
  return bytes === undefined ? undefined : parseUniqueMembers(bytes)
}

/** Base64url as in section 2: no padding, no line breaks, no other alphabet, and the one spelling of these bytes. */
function decodeStrictly(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64url')
  return part !== '' && bytes.toString('base64url') === part ? bytes : undefined
}

/**
 * A JSON object in which no object has two members of the same name (sections 4 and 10.12), for two readers could each
 * believe another one.
 */
export function parseUniqueMembers(bytes: Uint8Array): JsonObject | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    // Outside of strings, valid JSON has one colon for each member; of members of one name, parsing keeps only the last.
    const colons = text.replace(/"(?:[^"\\]|\\.)*"/g, '').split(':').length - 1
    return countMembers(value) === colons ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}

function countMembers(root: object): number {
  const open = [root]
  let members = 0
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    const inside: unknown[] = Object.values(value)
    if (!Array.isArray(value)) members += inside.length
    for (const inner of inside) if (typeof inner === 'object' && inner !== null) open.push(inner)
  }
  return members
}

export function checkHeader(header: JsonObject, { algorithm, types }: ExpectedHeader, what: string): void {
  // Exactly the expected one, so `none`, HS256 and whatever is no string never get further (RFC 8725, section 3.1).
  if (header.alg !== algorithm) throw new LoginFailure('token_invalid', `${what} algorithm not expected`)
  // RFC 7515, section 4.1.11: extensions that must be understood. None is. `b64` (RFC 7797) is one of them.
  if (Object.hasOwn(header, 'crit') || Object.hasOwn(header, 'b64'))
    throw new LoginFailure('token_invalid', `${what} has critical extensions`)
  // RFC 8725, section 3.11: one kind of token must not pass for another; access tokens are `at+jwt` (RFC 9068).
  const { typ = types[0] } = header
  if (typeof typ !== 'string' || !types.includes(typ))
    throw new LoginFailure('token_invalid', `${what} type not expected`)
  if (header.kid !== undefined && typeof header.kid !== 'string')
    throw new LoginFailure('token_invalid', `${what} malformed`)
}

/** The key comes from the provider's key set and never from the token: no `jwk`, `jku`, `x5u` or `x5c` is read (C53). */
export async function checkSignature(
  token: string,
  key: CryptoKey,
  { algorithm }: ExpectedHeader,
  what: string,
): Promise<void> {
  try {
    await compactVerify(token, key, { algorithms: [algorithm] })
  } catch {
    throw new LoginFailure('token_invalid', `${what} signature wrong`)
  }
}
