export type FetchKeys = (url: string, init: RequestInit) => Promise<Response>

/** What somebody else says, as it was heard last. */
export interface Asked<Value> {
  /** It, if it was heard within so many milliseconds. */
  within(ms: number): Value | undefined
  /** Asks again; what was heard last stays when that fails. Never rejects. */
  refresh(): Promise<void>
  /** Whether the last question had no answer. */
  isAway(): boolean
}

/** However many want to know, as with made-up key ids, and however long it is out of reach: no sooner asked again than this. */
export const PAUSE_MS = 5_000
const DEADLINE_MS = 5_000
const MAX_DOCUMENT_BYTES = 512 * 1024

export function asked<Value>(
  ask: () => Promise<Value>,
  now: () => number,
  onFailure: (error: unknown) => void,
): Asked<Value> {
  let heard: Value | undefined
  let heardAt = -Infinity
  let endedAt = -Infinity
  let isAway = false
  let asking: Promise<void> | undefined

  // In both directions, since a clock that was set back must not make anything last longer.
  const isWithin = (ms: number, since: number) => Math.abs(now() - since) < ms

  async function hear(): Promise<void> {
    try {
      heard = await ask()
      heardAt = now()
      isAway = false
    } catch (error) {
      isAway = true
      onFailure(error)
    } finally {
      // Not since the question: one without an answer takes as long as the pause.
      endedAt = now()
      asking = undefined
    }
  }

  return {
    within: (ms) => (isWithin(ms, heardAt) ? heard : undefined),
    async refresh() {
      if (asking === undefined && isWithin(PAUSE_MS, endedAt)) return
      asking ??= hear()
      await asking
    },
    isAway: () => isAway,
  }
}

/** The JSON at an issuer's address, of at most 512 KiB. */
export async function readDocument(address: string, fetchKeys: FetchKeys): Promise<unknown> {
  // A redirect would let whoever controls one page of the issuer's host supply the keys, or name them.
  const response = await fetchKeys(address, {
    headers: { accept: 'application/json' },
    redirect: 'manual',
    signal: AbortSignal.timeout(DEADLINE_MS),
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
