import type { Log } from '@latchkey/http/log'
import { type JWTVerifyGetKey, createLocalJWKSet, errors } from 'jose'

export type FetchKeys = (url: string, init: RequestInit) => Promise<Response>

export interface Surroundings {
  readonly fetchKeys?: FetchKeys
  /** Milliseconds since 1970. */
  readonly now?: () => number
  readonly log?: Pick<Log, 'warn'>
}

export interface KeySet {
  /** Throws `KeysUnavailable` when there are no keys to verify with. */
  load(): Promise<void>
  /** Finds the one key that fits; to be called after `load`. */
  readonly find: JWTVerifyGetKey
}

/** There are no keys, and none can be fetched at the moment. */
export class KeysUnavailable extends Error {
  readonly retryAfterSeconds = PAUSE_MS / 1000
  override readonly name = 'KeysUnavailable'
}

// A key that the issuer withdrew stops working after this.
const FRESH_MS = 10 * 60_000
// With the issuer out of reach, the keys it had last still admit people for a day.
const USABLE_MS = 24 * 3_600_000
// However many assertions with made-up key ids arrive, the issuer is asked at most once in this time.
const PAUSE_MS = 5_000
const DEADLINE_MS = 5_000

/**
 * The keys published at `url`, cached. jose's own `createRemoteJWKSet` drops its keys when a refresh fails, but an outage
 * of the issuer must not lock everyone out (L16.1).
 */
export function createKeySet(
  url: string,
  { fetchKeys = fetch, now = Date.now, log }: Surroundings = {},
): KeySet {
  let keys: JWTVerifyGetKey | undefined
  let fetchedAt = -Infinity
  let askedAt = -Infinity
  let asking: Promise<void> | undefined

  // In both directions, since a clock that was set back must not make anything last longer.
  const isWithin = (ms: number, since: number) => Math.abs(now() - since) < ms

  async function ask(): Promise<void> {
    askedAt = now()
    try {
      keys = await fetchKeySet(url, fetchKeys)
      fetchedAt = now()
    } catch (error) {
      log?.warn('The keys of the access layer cannot be fetched', { url, error })
    } finally {
      asking = undefined
    }
  }

  async function refresh(): Promise<void> {
    if (asking === undefined && isWithin(PAUSE_MS, askedAt)) return
    asking ??= ask()
    await asking
  }

  function usableKeys(): JWTVerifyGetKey {
    if (keys === undefined || !isWithin(USABLE_MS, fetchedAt)) throw new KeysUnavailable()
    return keys
  }

  return {
    async load() {
      if (!isWithin(FRESH_MS, fetchedAt)) await refresh()
      usableKeys()
    },
    async find(header, token) {
      try {
        return await usableKeys()(header, token)
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
        await refresh()
        return usableKeys()(header, token)
      }
    },
  }
}

async function fetchKeySet(url: string, fetchKeys: FetchKeys): Promise<JWTVerifyGetKey> {
  // A redirect would let whoever controls one page of the issuer's host supply the keys.
  const response = await fetchKeys(url, {
    headers: { accept: 'application/json' },
    redirect: 'manual',
    signal: AbortSignal.timeout(DEADLINE_MS),
  })
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`Expected 200, not ${response.status}`)
  }
  return createLocalJWKSet(await response.json())
}
