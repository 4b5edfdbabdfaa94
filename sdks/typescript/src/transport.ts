import { LinksApiError, LinksNetworkError, LinksTimeoutError, unexpectedAnswer } from './errors.js'
import { type Page, pageOf } from './paging.js'
import { readRetryAfter, waitBeforeRetry } from './retry.js'

/** Options of a client. */
export interface ClientOptions {
  /** Origin of the service, e.g. `https://go.example.com`. */
  baseUrl: string
  /** `sk_…`. Its scope was chosen when it was created. */
  apiKey: string
  /** Timeout of one attempt, including the time to read the answer. Default: 30 seconds. */
  timeoutMs?: number | undefined
  /** Maximum number of retries after a 429 or 503, where a retry is safe. Default: 2. */
  maxRetries?: number | undefined
  /** Replaces the global `fetch`. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

/** Options of one call. They override those of the client. */
export interface RequestOptions {
  /** Aborts the call, even while it waits for a retry. The call throws the signal's reason. */
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

/** Clock and randomness, which tests replace. */
export interface Runtime {
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
/** `setTimeout` fires at once for delays of this length or more. */
const LONGEST_TIMER_MS = 2 ** 31
const RETRIES = 2

/** Sends calls, retries them where that is safe, and converts answers to values or errors. */
export class Transport {
  readonly #options: ClientOptions
  readonly #root: string
  readonly #runtime: Runtime

  constructor(options: ClientOptions, runtime: Runtime = REAL) {
    const { protocol, username, password } = new URL(options.baseUrl)
    if (protocol !== 'http:' && protocol !== 'https:') throw new TypeError('baseUrl must be an http(s) URL')
    // Some platforms refuse such a URL with an error that quotes it. Others send its credentials
    // instead of the key.
    if (username + password !== '') throw new TypeError('baseUrl must hold no user and no password')
    const apiKey = (options.apiKey ?? '').trim()
    // Checked here, because the errors of `fetch` for an invalid header would quote the key.
    if (!/^[!-~]+$/.test(apiKey)) throw new TypeError('apiKey must be visible ASCII characters')
    this.#options = { ...options, apiKey }
    this.#root = options.baseUrl.trim().replace(/\/+$/, '') + API_PATH
    this.#runtime = runtime
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
    // All files of the service are images or PDF. Other types come from a proxy.
    if (!/^(?:image\/|application\/pdf)/i.test(type)) throw unexpectedError(answer)
    return new Blob([answer.bytes], { type })
  }

  async #send(call: Call): Promise<Answer> {
    const { now, random, wait } = this.#runtime
    const key = idempotencyKey()
    const allowed = call.options?.maxRetries ?? this.#options.maxRetries ?? RETRIES
    for (let retries = 0; ; retries += 1) {
      const answer = await this.#attempt(call, key)
      if (answer.status >= 200 && answer.status < 300) return answer
      const retryAfter = readRetryAfter(answer.headers.get('retry-after'), now())
      const failed = { method: call.method, status: answer.status, retryAfter, retries }
      const ms = retries < allowed ? waitBeforeRetry(failed, random) : undefined
      if (ms === undefined) throw apiError(answer, retryAfter)
      await wait(ms, call.options?.signal)
    }
  }

  async #attempt(call: Call, key: string): Promise<Answer> {
    const { signal } = call.options ?? {}
    signal?.throwIfAborted()
    const request = this.#request(call, key)
    const timeoutMs = call.options?.timeoutMs ?? this.#options.timeoutMs ?? TIMEOUT_MS
    // `AbortSignal.any` requires Node 20.3.
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

  #request({ method, body }: Call, key: string): RequestInit {
    return {
      method,
      headers: {
        Authorization: `Bearer ${this.#options.apiKey}`,
        Accept: '*/*',
        'X-Client': 'sdk',
        ...(method === 'POST' && { 'Idempotency-Key': key }),
        ...(body && { 'Content-Type': 'application/json' }),
      },
      // The key must not be sent to another server.
      redirect: 'error',
      ...(body && { body: JSON.stringify(body, refuseNoNumber) }),
    }
  }
}

/**
 * A name for one call, the same in all of its attempts. It is no secret, and browsers have
 * `crypto.randomUUID` only in secure contexts.
 */
function idempotencyKey(): string {
  const parts = Array.from({ length: 3 }, () => Math.random().toString(36).slice(2).padEnd(10, '0'))
  return `sdk-${parts.join('')}`
}

/**
 * Escapes one segment of a path. Throws a `TypeError` for empty and dot segments, which clients and
 * servers resolve to another route.
 */
export function segment(value: string | number): string {
  const text = String(value)
  const isNone = text === '' || text === '.' || text === '..' || /\p{Cs}/u.test(text)
  if (isNone) throw new TypeError(`"${text}" is no part of a path`)
  return encodeURIComponent(text)
}

/** Throws for a number that JSON would write as null, because null clears a field. */
function refuseNoNumber(field: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${field} is ${value}`)
  return value
}

function queryOf(query: object = {}): string {
  const parameters = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const text = new URLSearchParams(parameters.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? '' : `?${text}`
}

/** Parses a body, which must be an object or a list. Throws `unexpected` also when `meaning` throws. */
function read<Value>(answer: Answer, meaning: (body: object) => Value): Value {
  try {
    const body: unknown = JSON.parse(new TextDecoder().decode(answer.bytes))
    if (typeof body !== 'object' || body === null) throw new TypeError('Neither an object nor a list')
    return meaning(body)
  } catch {
    throw unexpectedError(answer)
  }
}

function unexpectedError({ status, headers }: Answer): LinksApiError {
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

/** Parses the body of an error. Empty if it is not JSON, as from a proxy. */
function errorBody(bytes: ArrayBuffer): { error?: unknown } {
  try {
    const body: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof body === 'object' && body !== null ? body : {}
  } catch {
    return {}
  }
}

const REAL: Runtime = {
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
