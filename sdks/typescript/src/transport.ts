import { LinksApiError, LinksNetworkError, LinksTimeoutError } from './errors.js'
import { type Page, nextCursor } from './paging.js'
import { readRetryAfter, waitBeforeRetry } from './retry.js'

/** Where the service is, and how it is asked. */
export interface ClientOptions {
  /** Origin of the service, e.g. `https://go.example.com`. */
  baseUrl: string
  /** `sk_…`; what it may do is decided where it was made. */
  apiKey: string
  /** For one attempt, until the answer is read; 30 seconds unless given. */
  timeoutMs?: number | undefined
  /** How often a GET, PUT or DELETE that got 429 or 503 is repeated; 2 unless given. */
  maxRetries?: number | undefined
  /** Instead of the platform's own. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

/** What one call does otherwise than the client. */
export interface RequestOptions {
  /** Ends the call, waiting included, with the signal's reason. */
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  maxRetries?: number | undefined
}

export interface Call {
  method: string
  path: string
  query?: object | undefined
  body?: object | undefined
  options: RequestOptions | undefined
}

/** Time and chance; tests have their own. */
export interface Surroundings {
  now: () => number
  random: () => number
  wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

interface Answer {
  status: number
  headers: Headers
  bytes: ArrayBuffer
}

const API_PATH = '/_/api'
const TIMEOUT_MS = 30_000
/** Timers of this length and longer end at once. */
const LONGEST_TIMER_MS = 2 ** 31
const RETRIES = 2

/** Sends calls, repeats those that may be repeated, and turns answers into values or errors. */
export class Transport {
  readonly #options: ClientOptions
  readonly #root: string
  readonly #surroundings: Surroundings

  constructor(options: ClientOptions, surroundings: Surroundings = REAL) {
    const { protocol } = new URL(options.baseUrl)
    if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError('baseUrl must be an http(s) URL')
    const apiKey = (options.apiKey ?? '').trim()
    // Checked here, since the errors of those who would send another one show it.
    if (!/^[!-~]+$/.test(apiKey)) throw new TypeError('apiKey must be visible ASCII characters')
    this.#options = { ...options, apiKey }
    this.#root = options.baseUrl.replace(/\/+$/, '') + API_PATH
    this.#surroundings = surroundings
  }

  async json<Result>(call: Call): Promise<Result> {
    return parse(await this.#send(call)) as Result
  }

  async page<Item>(call: Call): Promise<Page<Item>> {
    const answer = await this.#send(call)
    const items = parse(answer)
    if (!Array.isArray(items)) throw unexpected(answer)
    const total = Number(answer.headers.get('x-total-count') ?? items.length)
    return { items: items as Item[], total, nextCursor: nextCursor(answer.headers.get('link')) }
  }

  async file(call: Call): Promise<Blob> {
    const { bytes, headers } = await this.#send(call)
    return new Blob([bytes], { type: headers.get('content-type') ?? '' })
  }

  async #send(call: Call): Promise<Answer> {
    const { now, random, wait } = this.#surroundings
    const allowed = call.options?.maxRetries ?? this.#options.maxRetries ?? RETRIES
    for (let retries = 0; ; retries += 1) {
      const answer = await this.#attempt(call)
      if (answer.status >= 200 && answer.status < 300) return answer
      const retryAfter = readRetryAfter(answer.headers.get('retry-after'), now())
      const failed = { method: call.method, status: answer.status, retryAfter, retries }
      const ms = retries < allowed ? waitBeforeRetry(failed, random) : undefined
      if (ms === undefined) throw apiError(answer, retryAfter)
      await wait(ms, call.options?.signal)
    }
  }

  async #attempt(call: Call): Promise<Answer> {
    const { signal } = call.options ?? {}
    signal?.throwIfAborted()
    const timeoutMs = call.options?.timeoutMs ?? this.#options.timeoutMs ?? TIMEOUT_MS
    // `AbortSignal.any` came with Node 20.3 only.
    const ending = new AbortController()
    const end = () => ending.abort(new LinksTimeoutError(timeoutMs))
    const timer = timeoutMs < LONGEST_TIMER_MS ? setTimeout(end, timeoutMs) : undefined
    const abort = () => ending.abort(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    try {
      const send = this.#options.fetch ?? fetch
      const response = await send(this.#root + call.path + queryOf(call.query), {
        ...this.#request(call),
        signal: ending.signal,
      })
      return { status: response.status, headers: response.headers, bytes: await response.arrayBuffer() }
    } catch (error) {
      throw ending.signal.aborted ? ending.signal.reason : new LinksNetworkError(error)
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
  }

  #request({ method, body }: Call): RequestInit {
    return {
      method,
      headers: {
        Authorization: `Bearer ${this.#options.apiKey}`,
        Accept: '*/*',
        'X-Client': 'sdk',
        ...(body && { 'Content-Type': 'application/json' }),
      },
      // A key is sent to nobody but the server it was made for.
      redirect: 'error',
      ...(body && { body: JSON.stringify(body) }),
    }
  }
}

/** One part of a path. Those that browsers and servers take for a step up or nothing would lead to another route. */
export function segment(value: string | number): string {
  const text = String(value)
  const isNone = text === '' || text === '.' || text === '..' || /\p{Cs}/u.test(text)
  if (isNone) throw new TypeError(`"${text}" is no part of a path`)
  return encodeURIComponent(text)
}

function queryOf(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}

function parse(answer: Answer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(answer.bytes))
  } catch {
    throw unexpected(answer)
  }
}

function unexpected({ status, headers }: Answer): LinksApiError {
  const message = 'The answer is not what this client expects; is baseUrl the address of Latchkey Links?'
  return new LinksApiError({ status, message, requestId: headers.get('x-request-id') ?? undefined })
}

function apiError({ status, headers, bytes }: Answer, retryAfter: number | undefined): LinksApiError {
  const { error, code } = errorBody(bytes)
  return new LinksApiError({
    status,
    code: typeof code === 'string' ? code : undefined,
    message: typeof error === 'string' ? error : `HTTP ${status}`,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter,
  })
}

/** Whatever a proxy in between may have made of it. */
function errorBody(bytes: ArrayBuffer): { error?: unknown; code?: unknown } {
  try {
    const body: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof body === 'object' && body !== null ? body : {}
  } catch {
    return {}
  }
}

const REAL: Surroundings = {
  now: Date.now,
  random: Math.random,
  wait: (ms, signal) =>
    new Promise((resolve, reject) => {
      const abort = () => {
        clearTimeout(timer)
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- the reason is the caller's, whatever it is
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort)
        resolve()
      }, ms)
      if (signal?.aborted) return abort()
      signal?.addEventListener('abort', abort, { once: true })
    }),
}
