// Signing keys of the provider, RFC 7517 (R7.4, C12, C53, C67-C74).
import { HOUR_MS } from '@latchkey/http/duration'
import { elapsedMs } from '@latchkey/http/elapsed'
import { type CryptoKey, type JWK, importJWK } from 'jose'
import type { IdTokenAlgorithm } from '../identity/provider-config.ts'
import { LoginFailure } from './provider.ts'
import type { ProviderDependencies } from './provider-dependencies.ts'

export interface KeyQuery {
  /** `kid` of the token's header; undefined without one. */
  readonly kid: string | undefined
  readonly algorithm: IdTokenAlgorithm
  /** URL in the current metadata: a new one is used at the next reload (C12). */
  readonly jwksUri: string
}

export interface KeySet {
  /** Returns the key with which the token must be signed. Throws `LoginFailure`. */
  find(query: KeyQuery): Promise<CryptoKey>
  /**
   * Loads the published keys and counts the usable ones. Does not cache them. Throws the error of
   * the request.
   */
  count(query: Omit<KeyQuery, 'kid'>): Promise<number>
}

interface Key {
  readonly kid: string | undefined
  readonly key: CryptoKey
}

const FRESH_MS = 600_000
// The last keys stay usable for this time while the provider is unreachable. A key that the
// provider revoked stops working after it (C72).
const USABLE_MS = HOUR_MS
// Minimum time between forced reloads, however many tokens have unknown key ids (C70).
const PAUSE_MS = 30_000
const MAX_KEYS = 100

/**
 * A cache of the key set with the rules of R7.4. `createRemoteJWKSet` of jose has other rules: it
 * does not pause after a failed or empty response, and drops its keys after the first failure.
 */
export function createKeySet({ outbound, now, log, metrics }: ProviderDependencies): KeySet {
  let keys: readonly Key[] = []
  let loadedAtMs = -Infinity
  let pausedAtMs = -Infinity
  let hasFailed = false
  let loading: Promise<void> | undefined

  const isWithin = (ms: number, sinceMs: number) => elapsedMs(sinceMs, now()) < ms

  async function load(query: KeyQuery): Promise<void> {
    try {
      metrics.countKeySetFetch()
      keys = await fetchKeys(query, outbound)
      loadedAtMs = now()
      hasFailed = false
      if (keys.length === 0) pausedAtMs = now()
    } catch (error) {
      pausedAtMs = now()
      hasFailed = true
      log.warn('provider: cannot fetch the key set', { url: query.jwksUri, error })
    } finally {
      loading = undefined
    }
  }

  async function refresh(query: KeyQuery, isForced: boolean): Promise<void> {
    if (loading === undefined && isWithin(PAUSE_MS, pausedAtMs)) return
    if (loading === undefined && isForced) pausedAtMs = now()
    loading ??= load(query)
    await loading
  }

  const keyOf = (kid: string | undefined) =>
    kid === undefined ? keys[0]?.key : keys.find((key) => key.kid === kid)?.key

  function pick(kid: string | undefined): CryptoKey | undefined {
    if (!isWithin(USABLE_MS, loadedAtMs))
      throw new LoginFailure('provider_unavailable', 'no keys of the provider')
    // Without a key id there must be only one key (OpenID Connect Core 1.0, section 10.1; C73).
    if (kid === undefined && keys.length > 1) throw new LoginFailure('token_invalid', 'key id missing')
    return keyOf(kid)
  }

  return {
    async find(query) {
      // An unknown `kid` forces at most one reload. The initial load does not count as forced.
      const isForced = loadedAtMs > -Infinity && keyOf(query.kid) === undefined
      if (!isWithin(FRESH_MS, loadedAtMs)) await refresh(query, isForced)
      const cached = pick(query.kid)
      if (cached !== undefined) return cached
      await refresh(query, true)
      const key = pick(query.kid)
      if (key !== undefined) return key
      // The key may exist but could not be fetched. The provider must send the same logout token
      // again (R6.8, R13.3).
      if (hasFailed) throw new LoginFailure('provider_unavailable', 'unknown signing key, and no newer keys')
      throw new LoginFailure('token_invalid', 'unknown signing key')
    },
    count: async (query) => (await fetchKeys(query, outbound)).length,
  }
}

async function fetchKeys(
  { jwksUri, algorithm }: Omit<KeyQuery, 'kid'>,
  outbound: ProviderDependencies['outbound'],
): Promise<readonly Key[]> {
  const { status, object } = await outbound({ endpoint: 'jwks', url: jwksUri })
  if (status !== 200) throw new Error(`Expected 200, not ${status}`)
  const list = object?.keys
  if (!Array.isArray(list)) throw new Error('Expected a JSON Web Key Set')
  if (list.length > MAX_KEYS) throw new Error(`Expected at most ${MAX_KEYS} keys, not ${list.length}`)
  const published: unknown[] = list
  const ids = published.map((jwk) => (isObject(jwk) ? jwk.kid : undefined))
  const isDoubled = (kid: unknown) => kid !== undefined && ids.indexOf(kid) !== ids.lastIndexOf(kid)
  const usable = published.filter(isObject).filter((jwk) => fits(jwk, algorithm) && !isDoubled(jwk.kid))
  const keys = await Promise.all(usable.map((jwk) => importKey(jwk, algorithm)))
  return keys.filter((key) => key !== undefined)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// Above 8192 bits, verifying one signature would cost as much as a hundred.
const RSA_BITS = { min: 2048, max: 8192 }
const CURVES: Partial<Record<IdTokenAlgorithm, string>> = { ES256: 'P-256', ES384: 'P-384', EdDSA: 'Ed25519' }

// RFC 7518, sections 6.2.2, 6.3.2 and 6.4.1
const PRIVATE_PARTS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

/** Whether a published key can verify this algorithm and is published correctly (C53, C74). */
function fits(jwk: Readonly<Record<string, unknown>>, algorithm: IdTokenAlgorithm): boolean {
  if (jwk.kid !== undefined && typeof jwk.kid !== 'string') return false
  if (jwk.alg !== undefined && jwk.alg !== algorithm) return false
  if (jwk.use !== undefined && jwk.use !== 'sig') return false
  if (jwk.key_ops !== undefined && !(Array.isArray(jwk.key_ops) && jwk.key_ops.includes('verify')))
    return false
  // A published private key is known to everyone.
  if (PRIVATE_PARTS.some((part) => Object.hasOwn(jwk, part))) return false
  return isOfKind(jwk, algorithm)
}

function isOfKind({ kty, crv, n }: Readonly<Record<string, unknown>>, algorithm: IdTokenAlgorithm): boolean {
  const curve = CURVES[algorithm]
  if (curve !== undefined) return kty === (algorithm === 'EdDSA' ? 'OKP' : 'EC') && crv === curve
  const bits = bitsOf(n)
  return kty === 'RSA' && bits >= RSA_BITS.min && bits <= RSA_BITS.max
}

function bitsOf(modulus: unknown): number {
  if (typeof modulus !== 'string') return 0
  const digits = Buffer.from(modulus, 'base64url').toString('hex').replace(/^0+/, '')
  return digits === '' ? 0 : digits.length * 4 - Math.clz32(Number.parseInt(digits.slice(0, 1), 16)) + 28
}

/** Undefined for a key with invalid numbers. The other keys of the set stay usable. */
async function importKey(
  jwk: Readonly<Record<string, unknown>>,
  algorithm: IdTokenAlgorithm,
): Promise<Key | undefined> {
  const { kty, crv, x, y, n, e, kid } = jwk
  try {
    const key = await importJWK({ kty, crv, x, y, n, e } as JWK, algorithm)
    return key instanceof Uint8Array ? undefined : { kid: kid as string | undefined, key }
  } catch {
    return undefined
  }
}
