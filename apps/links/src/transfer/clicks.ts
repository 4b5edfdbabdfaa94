import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { Database } from '@latchkey/database/database'
import { z } from 'zod'
import { Failure } from '@latchkey/http/failure'
import { parseOrFail } from '@latchkey/http/validation'
import { type ClassifiedClick, type Privacy, classifyClick, leanClick } from '../clicks/click.ts'
import { countryFromHeader } from '../clicks/country.ts'
import { type Cursor, type Recorder } from '../counting/recorder.ts'
import { openRecorder } from '../counting/open-recorder.ts'
import type { Tables } from '../db/tables.ts'
import { literalTexts } from '../api/failures.ts'
import { type LegacyTarget, findLegacyTargets } from '../links/legacy/store.ts'
import type { Queries } from '../links/slugs/store.ts'
import { findLegacyPathProblem, legacyKey, parseLegacyKey } from '../urls/legacy-path.ts'
import { MAX_SLUG_LENGTH, foldSlug, isSlug, slugKey } from '../urls/slug.ts'
import { type ClickFields, readClickFields } from './click-fields.ts'
import type { ParsedLine } from './lines.ts'
import { parseMoment } from './moment.ts'
import { DEFAULT_DOMAIN_ONLY, type ImportDomains, findRowDomain } from './row-domain.ts'
import { countImports, findLinkIds, recordImportedFile } from './store.ts'

export interface ClickImportOptions {
  database: Database<Tables>
  databaseUrl: string
  /** The file is read twice: to hash it, and to import it. */
  path: string
  /** Counts a file once more that was imported before. */
  again: boolean
  /** The slug of clicks that name none. */
  slug?: string
  /** Unix seconds. */
  now: number
  /** Without domains, all slugs belong to the default domain. */
  domains?: ImportDomains
  /** `host:port` of the short URLs, whose pages are self-referrers; null if unknown. */
  ownHost: string | null
  privacy: Privacy
  onProblem: (line: number, reason: string) => void
}

export interface ClickImportReport {
  imported: number
  bad: number
  /** Imported clicks without a referrer, user agent or country that was not valid. */
  incomplete: number
  /** The last line of the interrupted import that this one resumes; 0 for a new import. */
  resumedAfter: number
}

/** The file was completely imported before, or its import is running. */
export class ClickImportRefused extends Error {
  override readonly name = 'ClickImportRefused'
}

/** Lines per transaction. */
const LINES_PER_BATCH = 2_000
/** Length of the text of a batch, which may be far longer than the stored part. */
const MAX_BATCH_LENGTH = 8 * 1024 ** 2

/**
 * Imports clicks, each exactly once. The file serves as a journal: its cursor, the line, moves in
 * the transaction that stores the clicks. After a crash, the same call resumes the last import.
 * Throws `ClickImportRefused`.
 */
export async function importClicks(options: ClickImportOptions): Promise<ClickImportReport> {
  const { database, path, again, now } = options
  const sha256 = await hashFile(path)
  const previousImports = await countImports(database.read, sha256)
  if (previousImports > 0 && !again)
    throw new ClickImportRefused(
      'This file was imported before; with --again, its clicks count a second time',
    )
  const pass = previousImports + 1
  const journalId = `import:${sha256}${pass === 1 ? '' : `:${pass}`}`
  const recorder = openRecorder(options.databaseUrl)
  try {
    const resumedAfter = await recorder.position(journalId)
    const run = new ClickImport(options, recorder, { journalId, seq: resumedAfter })
    for await (const entry of readClickFields(createReadStream(path))) await run.add(entry)
    await run.flush()
    // A file without a valid click, perhaps because its slugs are missing, may be imported again.
    if (run.imported + resumedAfter > 0)
      await database.write((tx) => recordImportedFile(tx, { sha256, pass, now }))
    const { imported, bad, incomplete } = run
    return { imported, bad, incomplete, resumedAfter }
  } finally {
    await recorder.close()
  }
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of createReadStream(path) as AsyncIterable<Uint8Array>) hash.update(bytes)
  return hash.digest('hex')
}

const Line = z.object({
  slug: z.union([z.string(), z.int().transform(String)], { error: () => 'is required' }),
  domain: z.string().nullish(),
  clicked_at: z.union([z.string(), z.number()], { error: () => 'must be Unix seconds' }),
})

interface ClickLine {
  /** A slug key; that of a legacy path, which no slug has, if it cannot be a slug. */
  slug: string
  legacyKey: string
  clickedAt: number
  referrer: string | null
  userAgent: string | null
  country: string | null
  /** Whether an optional field was not valid. */
  isIncomplete: boolean
}

type ParsedClick = { line: number } & ({ value: ClickLine } | { problem: { text: string } })

/** One pass over a file. */
class ClickImport {
  imported = 0
  bad = 0
  incomplete = 0
  readonly #options: ClickImportOptions
  readonly #recorder: Recorder
  #cursor: Cursor
  #batch: ParsedClick[] = []
  #batchLength = 0

  constructor(options: ClickImportOptions, recorder: Recorder, cursor: Cursor) {
    this.#options = options
    this.#recorder = recorder
    this.#cursor = cursor
  }

  async add(entry: ParsedLine<ClickFields>): Promise<void> {
    if (entry.line <= this.#cursor.seq) return
    const click: ParsedClick = 'problem' in entry ? entry : { line: entry.line, ...this.#parse(entry.value) }
    this.#batch.push(click)
    if ('value' in click)
      this.#batchLength += (click.value.referrer?.length ?? 0) + (click.value.userAgent?.length ?? 0)
    if (this.#batch.length >= LINES_PER_BATCH || this.#batchLength > MAX_BATCH_LENGTH) await this.flush()
  }

  /** Stores the clicks of the batch together with its last line. */
  async flush(): Promise<void> {
    const batch = this.#batch
    this.#batch = []
    this.#batchLength = 0
    const { database, ownHost: host, privacy } = this.#options
    const classify = privacy === 'lean' ? leanClick : classifyClick
    const slugs = new Set(batch.flatMap((entry) => ('value' in entry ? [entry.value.slug] : [])))
    const queries = { db: database.read, dialect: database.dialect }
    const linkIds = await findLinkIds(queries, [...slugs])
    const targets = await findTargets(queries, batch)
    const clicks: ClassifiedClick[] = []
    const problems: { line: number; reason: string }[] = []
    let incomplete = 0
    for (const entry of batch) {
      const target = 'value' in entry ? targets.get(entry.value.legacyKey) : undefined
      const linkId = 'value' in entry ? (target?.link_id ?? linkIds.get(entry.value.slug)) : undefined
      if ('problem' in entry) problems.push({ line: entry.line, reason: entry.problem.text })
      else if (linkId === undefined)
        problems.push({
          line: entry.line,
          reason: `there is no slug "${entry.value.slug.replace(/^\/+/, '')}"`,
        })
      else {
        clicks.push(
          classify({
            ...entry.value,
            ...addressOf(entry.value, target),
            linkId,
            host,
            query: null,
            visitorFp: null,
          }),
        )
        incomplete += entry.value.isIncomplete ? 1 : 0
      }
    }
    await this.#record(clicks, batch.at(-1)?.line ?? 0)
    this.bad += problems.length
    this.incomplete += incomplete
    for (const { line, reason } of problems) this.#options.onProblem(line, reason)
  }

  async #record(clicks: readonly ClassifiedClick[], to: number): Promise<void> {
    // Without clicks the cursor stays, and after a crash the lines are refused again.
    if (clicks.length === 0) return
    if (!(await this.#recorder.record(clicks, { from: this.#cursor, to })))
      throw new ClickImportRefused('Another process is importing this file')
    this.#cursor = { ...this.#cursor, seq: to }
    this.imported += clicks.length
  }

  #parse(value: ClickFields): { value: ClickLine } | { problem: { text: string } } {
    try {
      return { value: parseClick(value, this.#options) }
    } catch (error) {
      if (error instanceof Failure) return { problem: { text: error.message } }
      throw error
    }
  }
}

/** The links of the legacy paths that the clicks name. */
async function findTargets(
  queries: Queries,
  batch: readonly ParsedClick[],
): Promise<Map<string, LegacyTarget>> {
  const keys = new Set(batch.flatMap((entry) => ('value' in entry ? [entry.value.legacyKey] : [])))
  const targets = await findLegacyTargets(queries, [...keys])
  return new Map(targets.map((target) => [target.key, target]))
}

/** A click by a legacy path counts for the primary slug. */
function addressOf({ slug, legacyKey: key }: ClickLine, target: LegacyTarget | undefined) {
  return target ? { slug: target.primary_slug, legacyPath: parseLegacyKey(key).path } : { slug }
}

function refuseClick(text: string): Failure {
  return new Failure('invalid_request', { status: 400, text })
}

function parseClick(
  { shortUrl, ...fields }: ClickFields,
  {
    now,
    slug: defaultSlug,
    domains = DEFAULT_DOMAIN_ONLY,
  }: Pick<ClickImportOptions, 'now' | 'slug' | 'domains'>,
): ClickLine {
  const line = parseOrFail(Line, { ...fields, slug: fields.slug ?? defaultSlug }, literalTexts)
  const slug = line.slug.trim().replaceAll(/^\/|\/$/g, '')
  if (!isSlug(slug) && findLegacyPathProblem(slug) !== undefined)
    throw refuseClick(`there is no slug ${JSON.stringify(slug.slice(0, MAX_SLUG_LENGTH))}`)
  const clickedAt = parseMoment(line.clicked_at)
  if (clickedAt === undefined)
    throw refuseClick('clicked_at: must be Unix seconds or a time like 2026-01-31 12:00:00')
  if (clickedAt > now) throw refuseClick('clicked_at: is in the future')
  const { referrer, user_agent: userAgent, country } = fields
  const countryCode = countryFromHeader(textOrNull(country))
  const domain = findRowDomain({ domain: line.domain, shortUrl }, domains)
  return {
    slug: isSlug(slug) ? slugKey(domain, foldSlug(slug)) : legacyKey(domain, slug),
    legacyKey: legacyKey(domain, slug),
    clickedAt,
    referrer: textOrNull(referrer),
    userAgent: textOrNull(userAgent),
    country: countryCode,
    isIncomplete:
      !isOptionalText(referrer) || !isOptionalText(userAgent) || (!isBlank(country) && countryCode === null),
  }
}

// Optional fields cost no click.
const isBlank = (value: unknown) => value === undefined || value === null || value === ''
const isOptionalText = (value: unknown) => isBlank(value) || typeof value === 'string'
const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null)
