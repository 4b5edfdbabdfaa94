import { Failure } from '@latchkey/http/failure'
import { parseOrFail } from '@latchkey/http/validation'
import { z } from 'zod'
import { isIdentity } from '../access/identity.ts'
import { literalTexts } from '../failures.ts'
import { Label } from '../links/schema.ts'
import { DestinationUrl } from '../links/destination-url.ts'
import { MAX_SLUGS, foldSlug, findSlugProblem } from '../links/slugs/slug.ts'
import { boundedText } from '../text.ts'
import { parseMoment } from './moment.ts'

/** A slug as it is in a file. */
export interface SlugFields {
  slug: string
  isAuto?: boolean
  createdAt?: unknown
  disabledAt?: unknown
}

/** The unchecked fields of one link in a line of any format. Blank means absent. */
export interface RowFields {
  url: unknown
  label?: unknown
  created_at?: unknown
  expires_at?: unknown
  disabled_at?: unknown
  created_by?: unknown
  slugs: readonly SlugFields[]
  /** The primary slug; else the first custom one, else the automatic one. */
  primary?: string | undefined
  /** Clicks that the file gives only as a total; undefined without such a column. */
  clicks?: number | undefined
  tags?: readonly string[]
  /** Differences between the link and the file. */
  note?: string
}

export interface ImportSlug {
  slug: string
  createdAt: number
  disabledAt: number | null
}

/** One link to store: checked, folded, and complete except for its automatic slug. */
export interface ImportRow {
  url: string
  label: string | null
  createdAt: number
  expiresAt: number | null
  disabledAt: number | null
  createdBy: string
  /** The automatic slug to keep, if it is free. */
  auto: ImportSlug | null
  custom: readonly ImportSlug[]
  /** The slug that shows whether the link already exists; null if the row has none. */
  key: string | null
  /** Null means the automatic slug. */
  primary: string | null
  tags: readonly string[]
  /** Differences between the link and the file. */
  note?: string
}

export interface RowDefaults {
  owner: string
  /** If false, rows that name another owner still belong to `owner`. */
  ownedByFile?: boolean
  /** Unix seconds. */
  now: number
}

/** Per row: the link becomes a member of one bundle per tag. */
export const MAX_TAGS = 1_000

const isBlank = (value: unknown) => value === null || (typeof value === 'string' && value.trim() === '')

const Moment = z.preprocess(
  (value) => (isBlank(value) ? undefined : value),
  z
    .union([z.string(), z.number()], { error: () => 'must be a time' })
    .transform((value, context) => {
      const moment = parseMoment(value)
      if (moment !== undefined) return moment
      context.addIssue({ code: 'custom', message: 'must be Unix seconds or a time like 2026-01-31 12:00:00' })
      return z.NEVER
    })
    .optional(),
)

const Row = z.object({
  url: DestinationUrl,
  label: Label.nullish(),
  created_at: Moment,
  expires_at: Moment,
  disabled_at: Moment,
  created_by: z.preprocess(
    (value) => (isBlank(value) ? undefined : value),
    z.custom<string>(isIdentity, 'must be an identity: a name without control characters').optional(),
  ),
  // A tag becomes the name of a bundle.
  tags: z.array(boundedText(120)).optional(),
})

/** Throws `Failure` with the first problem. */
export function toImportRow(fields: RowFields, defaults: RowDefaults): ImportRow {
  requireMaxSlugs(fields.slugs)
  if ((fields.tags?.length ?? 0) > MAX_TAGS) throw refuseRow(`has more than ${MAX_TAGS} tags`)
  const row = parseOrFail(Row, fields, literalTexts)
  const createdAt = row.created_at ?? defaults.now
  return {
    url: row.url,
    label: row.label ?? null,
    createdAt,
    expiresAt: row.expires_at ?? null,
    disabledAt: row.disabled_at ?? null,
    ...ownerFields(row.created_by ?? defaults.owner, fields.note, defaults),
    ...arrangeSlugs(fields, createdAt),
    tags: row.tags ?? [],
  }
}

function ownerFields(
  fileOwner: string,
  note: string | undefined,
  { owner, ownedByFile = true }: RowDefaults,
): Pick<ImportRow, 'createdBy' | 'note'> {
  const hasFileOwner = ownedByFile || fileOwner === owner
  const notes = [
    note,
    hasFileOwner ? undefined : `the file says it belongs to ${fileOwner}, it belongs to ${owner}`,
  ]
  const noteText = notes.filter((each) => each !== undefined).join('; ')
  return { createdBy: hasFileOwner ? fileOwner : owner, ...(noteText !== '' && { note: noteText }) }
}

type ArrangedSlugs = Pick<ImportRow, 'auto' | 'custom' | 'key' | 'primary'>

function arrangeSlugs({ slugs, primary }: RowFields, createdAt: number): ArrangedSlugs {
  let auto: ImportSlug | null = null
  const custom = new Map<string, ImportSlug>()
  for (const fields of slugs) {
    const slug = checkSlug(fields, createdAt)
    // An automatic slug is never disabled. A disabled one is imported as a custom slug, which stays
    // disabled.
    if (fields.isAuto && auto === null && slug.disabledAt === null) auto = slug
    else if (!custom.has(slug.slug)) custom.set(slug.slug, slug)
  }
  if (auto) custom.delete(auto.slug)
  const key = (primary && foldSlug(primary)) || (custom.keys().next().value ?? auto?.slug ?? null)
  const keySlug = key === null ? undefined : custom.get(key)
  return {
    auto,
    custom: [...custom.values()],
    key,
    // Disabling the primary slug makes the automatic one primary (L7).
    primary: keySlug && keySlug.disabledAt === null ? keySlug.slug : null,
  }
}

const SlugTimes = z.object({ created_at: Moment, disabled_at: Moment })

function checkSlug(
  { slug, createdAt: createdAtCell, disabledAt }: SlugFields,
  createdAt: number,
): ImportSlug {
  const problem = findSlugProblem(slug)
  if (problem) throw refuseRow(`slug ${JSON.stringify(slug)}: ${problem.message}`)
  const times = parseOrFail(SlugTimes, { created_at: createdAtCell, disabled_at: disabledAt }, literalTexts)
  return {
    slug: foldSlug(slug),
    createdAt: times.created_at ?? createdAt,
    disabledAt: times.disabled_at ?? null,
  }
}

/**
 * Checks the number before the slugs themselves: a schema reports the problem of every single one.
 */
export function requireMaxSlugs(slugs: readonly unknown[]): void {
  if (slugs.length > MAX_SLUGS) throw refuseRow(`has more than ${MAX_SLUGS} slugs`)
}

/** Creates the failure of a row that cannot be stored. */
export function refuseRow(text: string): Failure {
  return new Failure('invalid_request', { status: 400, text })
}
