import type { Log } from '@latchkey/http/log'
import { type JSONWebKeySet, type JWTVerifyGetKey, createLocalJWKSet, errors } from 'jose'
import { type FetchKeys, RETRY_AFTER_MS, createRefreshingCache, readDocument } from './refreshing-cache.ts'

export interface AccessDependencies {
  readonly fetchKeys?: FetchKeys
  /** Milliseconds since 1970. */
  readonly now?: () => number
  readonly log?: Pick<Log, 'warn'>
}

export interface KeySet {
  /** Throws `KeysUnavailable` if there are no keys to verify with. */
  load(): Promise<void>
  /** Finds the one matching key. Call it after `load`. */
  readonly find: JWTVerifyGetKey
}

/** There are no keys, and none can be fetched at present. */
export class KeysUnavailable extends Error {
  readonly retryAfterSeconds = RETRY_AFTER_MS / 1000
  override readonly name = 'KeysUnavailable'
}

// A key that the issuer withdrew becomes invalid after this time.
const FRESH_MS = 10 * 60_000
// While the issuer is unreachable, its last keys remain usable for a day.
const USABLE_MS = 24 * 3_600_000

/**
 * Creates a cache of the keys published at `url`. jose's own `createRemoteJWKSet` drops its keys if
 * a refresh fails, but an outage of the issuer must not lock everyone out (L16.1).
 */
export function createKeySet(
  url: string,
  { fetchKeys = fetch, now = Date.now, log }: AccessDependencies = {},
): KeySet {
  const keys = createRefreshingCache(
    async () => createLocalJWKSet((await readDocument(url, fetchKeys)) as JSONWebKeySet),
    now,
    (error) => log?.warn('access: cannot fetch the keys', { url, error }),
  )

  function requireKeys(): JWTVerifyGetKey {
    const keySet = keys.get(USABLE_MS)
    if (keySet === undefined) throw new KeysUnavailable()
    return keySet
  }

  return {
    async load() {
      if (keys.get(FRESH_MS)) return
      const refreshing = keys.refresh()
      // Waits for a reachable issuer, because it may have withdrawn a key.
      if (!keys.isUnreachable() || !keys.get(USABLE_MS)) await refreshing
      requireKeys()
    },
    async find(header, token) {
      try {
        return await requireKeys()(header, token)
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
        await keys.refresh()
        return requireKeys()(header, token)
      }
    },
  }
}
