import { normaliseUrl } from '../urls/destination-url.ts'
import { encodePath } from '../urls/legacy-path.ts'
import { parseSlugKey } from '../urls/slug.ts'
import { type RowSource, readRows } from './formats.ts'
import type { ImportRow } from './import-row.ts'
import type { ImportDomains } from './row-domain.ts'

/** Requests that wait for an answer at the same time, for each service. */
const MAX_IN_FLIGHT = 20
const TIMEOUT_MS = 10_000
/** Requests of one code to a service that is busy or cannot be reached. */
const MAX_TRIES = 4
const RETRY_AFTER_MS = 1_000
const MAX_RETRY_AFTER_MS = 60_000

export interface VerifyOptions extends RowSource {
  /** The old service and this one: the codes are asked below these addresses, and nothing else is. */
  old: URL
  now: URL
  perSecond: number
  domains: ImportDomains
  /** Called with each code in the order of the file. */
  onCode: (code: ComparedCode) => void | Promise<void>
}

/** What a service answers to a code. */
export interface ServiceAnswer {
  status: number
  location: string | null
}

export interface ComparedCode {
  line: number
  /** Undefined for a row that cannot be read. */
  code?: string
  same: boolean
  /** Undefined for a row that cannot be read. */
  answers?: { old: ServiceAnswer; now: ServiceAnswer }
  /** Why the row cannot be read. */
  problem?: string
}

export interface VerifyReport {
  codes: number
  same: number
}

/** A service that does not answer. */
export class ServiceUnreachable extends Error {
  override readonly name = 'ServiceUnreachable'
}

/**
 * Asks the old service and this one for each code of a file, and compares where they lead (L43.2).
 * No redirect is followed, and no click is counted here. Throws `ServiceUnreachable`.
 */
export async function verifyCodes(options: VerifyOptions): Promise<VerifyReport> {
  const report: VerifyReport = { codes: 0, same: 0 }
  const pending: Promise<ComparedCode>[] = []
  const settle = async (compared: ComparedCode | undefined) => {
    if (!compared) return
    report.codes++
    if (compared.same) report.same++
    await options.onCode(compared)
  }
  const pace = paceOf(options.perSecond)
  for await (const { line, code, problem } of readCodes(options)) {
    if (pending.length >= MAX_IN_FLIGHT) await settle(await pending.shift())
    if (code !== undefined) await pace()
    const compared =
      code === undefined
        ? Promise.resolve({ line, same: false, problem: problem ?? '' })
        : compareCode(options, line, code)
    // Reported where it is awaited.
    compared.catch(() => undefined)
    pending.push(compared)
  }
  while (pending.length > 0) await settle(await pending.shift())
  return report
}

interface Code {
  line: number
  code?: string
  problem?: string
}

/** The codes as the file has them, with their case. */
async function* readCodes(options: VerifyOptions): AsyncGenerator<Code> {
  const defaults = { owner: 'verify', now: 0, legacy: 'exact', domains: options.domains } as const
  for await (const entry of readRows(options, defaults))
    if ('problem' in entry) yield { line: entry.line, problem: entry.problem.text }
    else for (const code of codesOf(entry.value)) yield { line: entry.line, code }
}

function codesOf({ auto, custom, legacyPaths }: ImportRow): string[] {
  const slugs = [...(auto ? [auto] : []), ...custom].map(({ slug }) => parseSlugKey(slug).slug)
  return [...slugs, ...legacyPaths.map(({ path }) => path)]
}

/** Returns a function that resolves this often a second at most. */
function paceOf(perSecond: number): () => Promise<void> {
  let nextMs = 0
  return async () => {
    const waitMs = nextMs - performance.now()
    nextMs = Math.max(nextMs, performance.now()) + 1_000 / perSecond
    if (waitMs > 0) await Bun.sleep(waitMs)
  }
}

async function compareCode({ old, now }: VerifyOptions, line: number, code: string): Promise<ComparedCode> {
  const [oldAnswer, newAnswer] = await Promise.all([ask(old, code), ask(now, code)])
  const answers = { old: oldAnswer, now: newAnswer }
  return { line, code, same: isSame(oldAnswer, newAnswer), answers }
}

/**
 * Two redirects are the same if they lead to the same place, and two other answers if both are pages
 * or both say that there is nothing. A refusal says nothing about the code.
 */
function isSame(one: ServiceAnswer, other: ServiceAnswer): boolean {
  if (one.location !== null || other.location !== null) return one.location === other.location
  return (isPage(one) && isPage(other)) || (isMissing(one) && isMissing(other))
}

function isMissing({ status }: ServiceAnswer): boolean {
  return status === 404 || status === 410
}

function isPage({ status }: ServiceAnswer): boolean {
  return status < 400
}

async function ask(base: URL, code: string): Promise<ServiceAnswer> {
  const url = new URL(base)
  url.pathname = `${base.pathname.replace(/\/$/, '')}/${encodePath(code)}`
  const response = await askPatiently(url, 'HEAD')
  // A program may know no HEAD.
  return answerOf(
    response.status === 405 || response.status === 501 ? await askPatiently(url, 'GET') : response,
    url,
  )
}

function answerOf({ status, headers }: Response, url: URL): ServiceAnswer {
  const location = status >= 300 && status < 400 ? URL.parse(headers.get('location') ?? '', url) : null
  return { status, location: location && normaliseUrl(location.href) }
}

async function askPatiently(url: URL, method: 'HEAD' | 'GET'): Promise<Response> {
  for (let tries = 1; ; tries++) {
    try {
      const response = await fetch(url, {
        method,
        redirect: 'manual',
        headers: { 'User-Agent': 'latchkey links verify' },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      await response.body?.cancel()
      if ((response.status !== 429 && response.status !== 503) || tries >= MAX_TRIES) return response
      await Bun.sleep(retryAfterMs(response))
    } catch (error) {
      if (tries >= MAX_TRIES)
        throw new ServiceUnreachable(
          `Cannot reach ${url.origin}: ${error instanceof Error ? error.message : 'unknown'}`,
        )
      await Bun.sleep(RETRY_AFTER_MS)
    }
  }
}

function retryAfterMs({ headers }: Response): number {
  const seconds = Number(headers.get('retry-after'))
  return seconds > 0 ? Math.min(seconds * 1000, MAX_RETRY_AFTER_MS) : RETRY_AFTER_MS
}
