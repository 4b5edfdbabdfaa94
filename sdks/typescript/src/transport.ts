import { LinksApiError, LinksNetworkError, LinksTimeoutError, unexpectedAnswer } from './errors.js'
import { type Page, pageOf } from './paging.js'
import { readRetryAfter, waitBeforeRetry } from './retry.js'

/** Where the service is, and how it is asked. */
export interface ClientOptions {
  /** Origin of the service, e.g. `https://go.example.com`. */
  baseUrl: string
  /** `sk_…`; what it may do is decided where it was made. */
  apiKey: string
  /** For one attempt, until the answer is read; 30 seconds unless given. */
  timeoutMs?: number | undefined
  /** How often a call that got 429 or 503 is repeated, where that is safe; 2 unless given. */
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
    const { protocol, username, password } = new URL(options.baseUrl)
    if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError('baseUrl must be an http(s) URL')
    // Some platforms refuse such an address and show it, others send them instead of the key.
    if (username + password !== '') throw new TypeError('baseUrl must hold no user and no password')
    const apiKey = (options.apiKey ?? '').trim()
    // Checked here, since the errors of those who would send another one show it.
    if (!/^[!-~]+$/.test(apiKey)) throw new TypeError('apiKey must be visible ASCII characters')
    this.#options = { ...options, apiKey }
    this.#root = options.baseUrl.trim().replace(/\/+$/, '') + API_PATH
    this.#surroundings = surroundings
  }

  async json<Result>(call: Call): Promise<Result> {
    return read(await this.#send(call), (body) => body as Result)
  }

  async page<Item>(call: Call): Promise<Page<Item>> {
    const answer = await this.#send(call)
    return read(answer, (body) => pageOf<Item>(body, answer.headers))
  }

  async file(call: Call): Promise<Blob> {
    const answer = await this.#send(call)
    const type = answer.headers.get('content-type') ?? ''
    // The service has no files but images; others are of a proxy in between.
    if (!/^image\//i.test(type)) throw unexpected(answer)
    return new Blob([answer.bytes], { type })
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
    const request = this.#request(call)
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
        ...request,
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
      ...(body && { body: JSON.stringify(body, refuseNoNumber) }),
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

/** JSON has null for numbers that are none, and null clears a field. */
function refuseNoNumber(field: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${field} is ${value}`)
  return value
}

function queryOf(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}

/** No operation answers anything but an object or a list; what `meaning` cannot read is not expected either. */
function read<Value>(answer: Answer, meaning: (body: object) => Value): Value {
  try {
    const body: unknown = JSON.parse(new TextDecoder().decode(answer.bytes))
    if (typeof body !== 'object' || body === null) throw new TypeError('Neither an object nor a list')
    return meaning(body)
  } catch {
    throw unexpected(answer)
  }
}

function unexpected({ status, headers }: Answer): LinksApiError {
  return unexpectedAnswer(status, headers.get('x-request-id') ?? undefined)
}

function apiError({ status, headers, bytes }: Answer, retryAfter: number | undefined): LinksApiError {
  const { error } = errorBody(bytes)
  return new LinksApiError({
    status,
    code: headers.get('x-error-code') ?? undefined,
    message: typeof error === 'string' ? error : `HTTP ${status}`,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter,
  })
}

/** Whatever a proxy in between may have made of it. */
function errorBody(bytes: ArrayBuffer): { error?: unknown } {
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
