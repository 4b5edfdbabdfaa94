import { readPieces } from '@latchkey/http/body'
import { FairQueue } from './fair-queue.ts'

/** A longer form has no password of a link. */
const MAX_FORM_BYTES = 4_096
const MAX_PASSWORD_LENGTH = 200
const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(?:;|$)/i

/** Wrong tries of an address with a link, and of all addresses with a link. */
const ADDRESS_LIMIT = { tries: 5, seconds: 15 * 60 }
const LINK_LIMIT = { tries: 100, seconds: 3_600 }
/** Keys of either kind in memory. Each new one took a check. */
const MAX_KEYS = 20_000
/** Tries that wait for their check, some 30 seconds of work. */
const MAX_WAITING = 1_000
const FULL_QUEUE_SECONDS = 5

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

/** What a check needs of links and of hashes. */
interface Passwords {
  /** The hash of the link's password. */
  findHash: (linkId: number) => Promise<string | undefined>
  /** Takes some 30 ms of a processor. */
  isRight: (password: string, hash: string | undefined) => Promise<boolean>
}

/**
 * Checks passwords of links, one after another and in turn for addresses. Only a try that was
 * checked and wrong counts towards the limits. The try after it waits for its result, so many at
 * once do not pass a limit.
 */
export class PasswordCheck {
  readonly #passwords: Passwords
  readonly #queue = new FairQueue(MAX_WAITING)
  readonly #addresses: TryCounter
  readonly #links: TryCounter

  /** `now` is a clock in milliseconds. */
  constructor(passwords: Passwords, now: () => number) {
    this.#passwords = passwords
    this.#addresses = new TryCounter(ADDRESS_LIMIT, now)
    this.#links = new TryCounter(LINK_LIMIT, now)
  }

  /** `address` is a client prefix. */
  async check(linkId: number, address: string, password: string): Promise<PasswordResult> {
    // A refused try costs neither a look-up nor a place in the queue.
    const refusal = this.#findRefusal(linkId, address)
    if (refusal) return refusal
    // Look-ups wait beside each other: a database that does not answer must not fill the queue.
    const hash = await this.#passwords.findHash(linkId)
    const result = await this.#queue.run(address, async () => {
      // Tries before this one may have been wrong.
      const reached = this.#findRefusal(linkId, address)
      if (reached) return reached
      if (await this.#passwords.isRight(password, hash)) return 'right' as const
      this.#addresses.add(addressKey(linkId, address))
      this.#links.add(String(linkId))
      return 'wrong' as const
    })
    return result ?? { retryAfterSeconds: FULL_QUEUE_SECONDS }
  }

  #findRefusal(linkId: number, address: string): { retryAfterSeconds: number } | undefined {
    const retryAfterSeconds = Math.max(
      this.#addresses.secondsUntilFree(addressKey(linkId, address)),
      this.#links.secondsUntilFree(String(linkId)),
    )
    return retryAfterSeconds > 0 ? { retryAfterSeconds } : undefined
  }
}

function addressKey(linkId: number, address: string): string {
  return `${linkId} ${address}`
}

/** Counts wrong tries of the last seconds by key. */
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

  add(key: string): void {
    const times = [...this.#recent(key), this.#now()]
    this.#times.delete(key)
    const [oldest] = this.#times.keys()
    if (oldest !== undefined && this.#times.size >= MAX_KEYS) this.#times.delete(oldest)
    this.#times.set(key, times)
  }

  #recent(key: string): number[] {
    const since = this.#now() - this.#limit.seconds * 1000
    return (this.#times.get(key) ?? []).filter((time) => time > since)
  }
}
