// Strict parsing of compact JWS before the signature check, RFC 7515 (R7.2, C47, C49, C51-C55).
import { type CryptoKey, compactVerify } from 'jose'
import { LoginFailure } from './provider.ts'

export type JsonObject = Readonly<Record<string, unknown>>

export interface ParsedJws {
  readonly header: JsonObject
  readonly claims: JsonObject
}

/** Required values of a header. */
export interface ExpectedHeader {
  readonly algorithm: string
  /** Accepted values of `typ`. The member may be missing. */
  readonly types: readonly string[]
}

/**
 * Parses header and claims of a token, without verifying anything. `what` is the prefix of failure
 * reasons.
 */
export function parseJws(token: string, maxCharacters: number, what: string): ParsedJws {
  if (token.length > maxCharacters) throw new LoginFailure('token_invalid', `${what} too long`)
  const parts = token.split('.')
  const [header, claims] = parts.slice(0, 2).map(readPart)
  // RFC 7516, section 7.1.
  if (parts.length === 5) throw new LoginFailure('token_invalid', `${what} encrypted`)
  // Section 7.1: three parts. The third is empty without a signature.
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

/**
 * Base64url of section 2: no padding, line breaks or other alphabets, and only the canonical
 * encoding.
 */
function decodeStrictly(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64url')
  return part !== '' && bytes.toString('base64url') === part ? bytes : undefined
}

/**
 * Parses a JSON object. Objects with duplicate member names are refused (sections 4 and 10.12): two
 * parsers could use different values.
 */
export function parseUniqueMembers(bytes: Uint8Array): JsonObject | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    // Valid JSON has one colon per member outside of strings, and parsing keeps only the last of
    // duplicate members.
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
  // Exactly the expected algorithm. This refuses `none`, HS256 and non-strings (RFC 8725, section
  // 3.1).
  if (header.alg !== algorithm) throw new LoginFailure('token_invalid', `${what} algorithm not expected`)
  // RFC 7515, section 4.1.11: extensions that must be understood. None is supported, including
  // `b64` (RFC 7797).
  if (Object.hasOwn(header, 'crit') || Object.hasOwn(header, 'b64'))
    throw new LoginFailure('token_invalid', `${what} has critical extensions`)
  // RFC 8725, section 3.11: tokens of one kind must not be accepted as another. Access tokens are
  // `at+jwt` (RFC 9068).
  const { typ = types[0] } = header
  if (typeof typ !== 'string' || !types.includes(typ))
    throw new LoginFailure('token_invalid', `${what} type not expected`)
  if (header.kid !== undefined && typeof header.kid !== 'string')
    throw new LoginFailure('token_invalid', `${what} malformed`)
}

/**
 * The key comes from the key set of the provider, never from the token: `jwk`, `jku`, `x5u` and
 * `x5c` are ignored (C53).
 */
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
