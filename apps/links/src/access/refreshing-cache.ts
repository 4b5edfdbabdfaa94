import { elapsedMs } from '@latchkey/http/elapsed'

export type FetchKeys = (url: string, init: RequestInit) => Promise<Response>

/** Last known value of a remote document. */
export interface RefreshingCache<Value> {
  /** Returns the value if it was fetched within this many milliseconds. */
  get(ms: number): Value | undefined
  /** Fetches the document again. If that fails, the last value stays. Never rejects. */
  refresh(): Promise<void>
  /** Whether the last fetch failed. */
  isUnreachable(): boolean
}

/**
 * Minimum time between two fetches, regardless of the number of callers (made-up key ids cause
 * many) and the length of an outage.
 */
export const RETRY_AFTER_MS = 5_000
const TIMEOUT_MS = 5_000
const MAX_DOCUMENT_BYTES = 512 * 1024

export function createRefreshingCache<Value>(
  load: () => Promise<Value>,
  now: () => number,
  onFailure: (error: unknown) => void,
): RefreshingCache<Value> {
  let value: Value | undefined
  let loadedAt = -Infinity
  let finishedAt = -Infinity
  let isUnreachable = false
  let loading: Promise<void> | undefined

  const isWithin = (ms: number, sinceMs: number) => elapsedMs(sinceMs, now()) < ms

  async function refresh(): Promise<void> {
    try {
      value = await load()
      loadedAt = now()
      isUnreachable = false
    } catch (error) {
      isUnreachable = true
      onFailure(error)
    } finally {
      // Counted from the end of the fetch: one that times out takes as long as the interval.
      finishedAt = now()
      loading = undefined
    }
  }

  return {
    get: (ms) => (isWithin(ms, loadedAt) ? value : undefined),
    async refresh() {
      if (loading === undefined && isWithin(RETRY_AFTER_MS, finishedAt)) return
      loading ??= refresh()
      await loading
    },
    isUnreachable: () => isUnreachable,
  }
}

interface DocumentRequest {
  headers?: Readonly<Record<string, string>>
  /** Ends the request, and the answer with it. Default: after 5 seconds. */
  signal?: AbortSignal
}

/** Fetches the JSON document at an issuer's address, of at most 512 KiB. */
export async function readDocument(
  address: string,
  fetchKeys: FetchKeys,
  { headers = {}, signal = AbortSignal.timeout(TIMEOUT_MS) }: DocumentRequest = {},
): Promise<unknown> {
  // With redirects, control over one page of the issuer's host would be enough to supply the keys
  // or their address.
  const response = await fetchKeys(address, {
    headers: { accept: 'application/json', ...headers },
    redirect: 'manual',
    signal,
  })
  if (response.status === 200) return JSON.parse(await readText(response, address))
  await response.body?.cancel()
  throw new Error(`Expected 200 from ${address}, not ${response.status}`)
}

async function readText({ body }: Response, address: string): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size > MAX_DOCUMENT_BYTES) throw new Error(`Expected at most 512 KiB from ${address}`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
