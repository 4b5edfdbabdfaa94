import { readPieces } from '@latchkey/http/body'

/** A longer form has no password of a link. */
const MAX_FORM_BYTES = 4_096
const MAX_PASSWORD_LENGTH = 200
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i

/** Failed tries of an address with a link, and of all addresses with a link. */
const ADDRESS_LIMIT = { tries: 5, seconds: 15 * 60 }
const LINK_LIMIT = { tries: 100, seconds: 3_600 }
/** Keys of either kind that are kept in memory. */
const MAX_KEYS = 20_000

export type PasswordResult = 'right' | 'wrong' | { retryAfterSeconds: number }

/** The password of a posted form; undefined if there is none that could be right. */
export async function readPassword(request: Request): Promise<string | undefined> {
  if (!FORM_TYPE.test(request.headers.get('content-type') ?? '')) return undefined
  const chunks: Uint8Array[] = []
  try {
    for await (const chunk of readPieces(request, MAX_FORM_BYTES)) chunks.push(chunk)
  } catch {
    return undefined
  }
  const password = new URLSearchParams(Buffer.concat(chunks).toString()).get('password') ?? ''
  return password !== '' && password.length <= MAX_PASSWORD_LENGTH * 2 ? password : undefined
}

/** Checks passwords of links. Only tries that fail count towards the limits. */
export class PasswordCheck {
  readonly #verify: (linkId: number, password: string) => Promise<boolean>
  readonly #addresses: TryCounter
  readonly #links: TryCounter

  /** `now` is a clock in milliseconds. */
  constructor(verify: (linkId: number, password: string) => Promise<boolean>, now: () => number) {
    this.#verify = verify
    this.#addresses = new TryCounter(ADDRESS_LIMIT, now)
    this.#links = new TryCounter(LINK_LIMIT, now)
  }

  async check(linkId: number, address: string, password: string): Promise<PasswordResult> {
    const keys = [
      [this.#addresses, `${linkId} ${address}`],
      [this.#links, String(linkId)],
    ] as const
    const waitSeconds = Math.max(...keys.map(([counter, key]) => counter.secondsUntilFree(key)))
    if (waitSeconds > 0) return { retryAfterSeconds: waitSeconds }
    // A try counts before it is checked, or many at once would pass the limit.
    const tries = keys.map(([counter, key]) => counter.add(key))
    if (!(await this.#verify(linkId, password))) return 'wrong'
    for (const undo of tries) undo()
    return 'right'
  }
}

/** Counts tries of the last seconds by key. */
class TryCounter {
  readonly #limit: { tries: number; seconds: number }
  readonly #now: () => number
  readonly #times = new Map<string, number[]>()

  constructor(limit: { tries: number; seconds: number }, now: () => number) {
    this.#limit = limit
    this.#now = now
  }

  /** Whole seconds until a try is allowed; 0 if it is allowed now. */
  secondsUntilFree(key: string): number {
    const { tries, seconds } = this.#limit
    const times = this.#recent(key)
    const [oldest] = times
    if (oldest === undefined || times.length < tries) return 0
    return Math.max(1, Math.ceil((oldest + seconds * 1000 - this.#now()) / 1000))
  }

  /** Counts a try, and returns the function that takes it back. */
  add(key: string): () => void {
    const time = this.#now()
    const times = [...this.#recent(key), time]
    this.#times.delete(key)
    const [oldest] = this.#times.keys()
    if (oldest !== undefined && this.#times.size >= MAX_KEYS) this.#times.delete(oldest)
    this.#times.set(key, times)
    return () => {
      const present = this.#times.get(key) ?? []
      const at = present.indexOf(time)
      if (at >= 0) this.#times.set(key, present.toSpliced(at, 1))
    }
  }

  #recent(key: string): number[] {
    const since = this.#now() - this.#limit.seconds * 1000
    return (this.#times.get(key) ?? []).filter((time) => time > since)
  }
}
