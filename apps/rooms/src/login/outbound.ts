// The only module that sends requests to the provider (R4.5, R4.6, C43, C44, C119, C120).
import { elapsedMs } from '@latchkey/http/elapsed'
import { resolveHost } from '@latchkey/http/outbound-address'
import { rejectOnAbort } from '@latchkey/http/reject-on-abort'
import { Semaphore } from '@latchkey/http/semaphore'
import { mayConnect } from './address-policy.ts'
import { AnswerTooLarge, exchange } from './exchange.ts'
import { LoginFailure } from './provider.ts'

export type Endpoint = 'discovery' | 'jwks' | 'token' | 'userinfo'

export interface Call {
  readonly endpoint: Endpoint
  /** A URL that was checked before (R4.4). */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as the body of a POST request. Without it, the call is a GET. */
  readonly form?: URLSearchParams
}

export interface Answer {
  readonly status: number
  /** The body if it is a JSON object. */
  readonly object: Readonly<Record<string, unknown>> | undefined
}

/** One call, which is never repeated. Throws `LoginFailure` without a complete response. */
export type Outbound = (call: Call) => Promise<Answer>

export interface ProviderMetrics {
  observeProvider(endpoint: string, outcome: string, seconds: number): void
  countKeySetFetch(): void
}

export interface OutboundOptions {
  /** Host names as in URLs: those of the operator's settings and of AUTH_TRUSTED_HOSTS. */
  readonly privateHosts: ReadonlySet<string>
  readonly now: () => number
  readonly metrics: Pick<ProviderMetrics, 'observeProvider'>
  readonly connectMs?: number
  readonly callMs?: number
  readonly resolve?: (hostname: string) => Promise<string[]>
}

/** Timeouts of a connection and of a whole call, in milliseconds (R4.5). */
export const TIMEOUTS = {
  connectMs: 3_000,
  // Slightly less than the timeout of a whole login: if a login waits for a single call, its
  // failure names the endpoint.
  callMs: 9_900,
} as const
const MAX_BYTES = 256 * 1024
const MAX_KEY_SET_BYTES = 512 * 1024
const MAX_CONCURRENT_CALLS = 8
const MAX_CONSECUTIVE_FAILURES = 5
const SUSPENSION_MS = 10_000
// Statuses that indicate an unavailable host. A 500 can be caused by a single request: if it
// counted, five forged codes would block all logins.
const ABSENT = new Set([502, 503, 504])

export function createOutbound(options: OutboundOptions): Outbound {
  const hosts = new Map<string, Host>()
  return async (call) => {
    const url = new URL(call.url)
    const host = hosts.get(url.host) ?? createHost()
    hosts.set(url.host, host)
    const startedAt = performance.now()
    const observe = (outcome: string) =>
      options.metrics.observeProvider(call.endpoint, outcome, (performance.now() - startedAt) / 1000)
    try {
      const answer = await withTimeout(options.callMs ?? TIMEOUTS.callMs, (signal) =>
        host.semaphore.run(() => callHost({ call, url, host, signal, options }), signal),
      )
      observe(answer.status === 200 ? 'ok' : 'refused')
      return answer
    } catch (error) {
      observe('failed')
      throw error instanceof LoginFailure ? error : failureOf(call.endpoint, error)
    }
  }
}

/** State of a host that is called. */
interface Host {
  readonly semaphore: Semaphore
  /** Consecutive failures. */
  failures: number
  failedAtMs: number
}

function createHost(): Host {
  return { semaphore: new Semaphore(MAX_CONCURRENT_CALLS), failures: 0, failedAtMs: -Infinity }
}

interface HostCall {
  readonly call: Call
  readonly url: URL
  readonly host: Host
  readonly signal: AbortSignal
  readonly options: OutboundOptions
}

async function callHost(hostCall: HostCall): Promise<Answer> {
  const { call, host, options } = hostCall
  try {
    if (
      elapsedMs(host.failedAtMs, options.now()) < SUSPENSION_MS &&
      host.failures >= MAX_CONSECUTIVE_FAILURES
    )
      throw new LoginFailure('provider_unavailable', `${call.endpoint} not called after repeated failures`)
    const answer = await sendOnce(hostCall)
    note(host, !ABSENT.has(answer.status), options.now())
    return answer
  } catch (error) {
    // A `LoginFailure` is a decision of this service, not a failure of the host.
    if (!(error instanceof LoginFailure || error instanceof AnswerTooLarge)) note(host, false, options.now())
    throw error
  }
}

function note(host: Host, isWell: boolean, nowMs: number): void {
  host.failures = isWell ? 0 : host.failures + 1
  if (!isWell) host.failedAtMs = nowMs
}

async function sendOnce({ call, url, signal, options }: HostCall): Promise<Answer> {
  const connecting = new AbortController()
  const timer = setTimeout(
    () => connecting.abort(new Error('no connection in time')),
    options.connectMs ?? TIMEOUTS.connectMs,
  )
  const either = AbortSignal.any([signal, connecting.signal])
  try {
    const addresses = await rejectOnAbort(either, resolveHost(url.hostname, options.resolve))
    checkAddresses(call, url, addresses, options.privateHosts)
    const exchanging = exchange({
      url,
      addresses,
      headers: call.headers ?? {},
      form: call.form?.toString(),
      maxBytes: call.endpoint === 'jwks' ? MAX_KEY_SET_BYTES : MAX_BYTES,
      signal: either,
      onConnected: () => clearTimeout(timer),
    })
    const { status, body } = await rejectOnAbort(either, exchanging)
    return { status, object: parseObject(body) }
  } finally {
    clearTimeout(timer)
  }
}

/** Checks the addresses to which the call connects. DNS is not queried a second time (C120). */
function checkAddresses(
  { endpoint }: Call,
  url: URL,
  addresses: string[],
  privateHosts: ReadonlySet<string>,
): void {
  const reach = privateHosts.has(url.hostname) ? 'private' : 'public'
  // One forbidden address is enough to refuse: the HTTP client chooses among them.
  if (addresses.length > 0 && addresses.every((address) => mayConnect(address, reach))) return
  throw new LoginFailure('provider_misconfigured', `address of the ${endpoint} host not permitted`, {
    host: url.hostname,
    reach,
  })
}

function parseObject(body: Buffer): Answer['object'] {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Answer['object'])
      : undefined
  } catch {
    return undefined
  }
}

function failureOf(endpoint: Endpoint, error: unknown): LoginFailure {
  if (error instanceof AnswerTooLarge)
    return new LoginFailure('provider_error', `${endpoint} answer too large`)
  const { message, code } = error as Error & { code?: unknown }
  return new LoginFailure('provider_unavailable', `${endpoint} does not answer`, { cause: code ?? message })
}

async function withTimeout<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = new AbortController()
  const timer = setTimeout(() => deadline.abort(new Error('no whole answer in time')), ms)
  try {
    return await work(deadline.signal)
  } finally {
    clearTimeout(timer)
  }
}
