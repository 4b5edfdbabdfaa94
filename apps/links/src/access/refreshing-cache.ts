export type FetchKeys = (url: string, init: RequestInit) => Promise<Response>

/** What somebody else says, as it was heard last. */
export interface RefreshingCache<Value> {
  /** It, if it was heard within so many milliseconds. */
  get(ms: number): Value | undefined
  /** Asks again; what was heard last stays when that fails. Never rejects. */
  refresh(): Promise<void>
  /** Whether the last question had no answer. */
  isUnreachable(): boolean
}

/** However many want to know, as with made-up key ids, and however long it is out of reach: no sooner asked again than this. */
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

  // In both directions, since a clock that was set back must not make anything last longer.
  const isWithin = (ms: number, since: number) => Math.abs(now() - since) < ms

  async function refresh(): Promise<void> {
    try {
      value = await load()
      loadedAt = now()
      isUnreachable = false
    } catch (error) {
      isUnreachable = true
      onFailure(error)
    } finally {
      // Not since the question: one without an answer takes as long as the pause.
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

/** The JSON at an issuer's address, of at most 512 KiB. */
export async function readDocument(address: string, fetchKeys: FetchKeys): Promise<unknown> {
  // A redirect would let whoever controls one page of the issuer's host supply the keys, or name them.
  const response = await fetchKeys(address, {
    headers: { accept: 'application/json' },
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
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
