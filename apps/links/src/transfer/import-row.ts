import type { Failure } from '@latchkey/http/failure'
import { parseOrFail } from '@latchkey/http/validation'
import { z } from 'zod'
import { isIdentity } from '../access/identity.ts'
import { literalTexts } from '../failures.ts'
import type { BehaviourDocument } from '../links/behaviour/schema.ts'
import { Label, MAX_LABEL_LENGTH } from '../links/schema.ts'
import { DestinationUrl, MAX_URL_LENGTH } from '../links/destination-url.ts'
import { type Domain, MAX_SLUGS, foldSlug, findSlugProblem, slugKey } from '../links/slugs/slug.ts'
import { boundedText } from '../text.ts'
import { parseMoment } from './moment.ts'
import { DEFAULT_DOMAIN_ONLY, type ImportDomains, findRowDomain } from './row-domain.ts'
import { type CodedReason, type Reason, RowRefusal, refuseRow } from './reason.ts'

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
  /** The host of the domain, in a file of this program. */
  domain?: unknown
  /** A short URL or host of another program. */
  shortUrl?: string | undefined
  /** The primary slug; else the first custom one, else the automatic one. */
  primary?: string | undefined
  /** Clicks that the file gives only as a total; undefined without such a column. */
  clicks?: number | undefined
  tags?: readonly string[]
  /** Where the link leads besides its URL, for whom and when. */
  behaviour?: BehaviourDocument
  /** Visitors of a limited link that were let through before. */
  clicksUsed?: number
  /** Differences between the link and the file. */
  notes?: readonly Reason[]
}

export interface ImportSlug {
  /** A slug key. */
  slug: string
  createdAt: number
  disabledAt: number | null
}

/** One link to store: checked, folded, and complete except for its automatic slug. */
export interface ImportRow {
  url: string
  domain: Domain
  label: string | null
  createdAt: number
  expiresAt: number | null
  disabledAt: number | null
  createdBy: string
  /** The automatic slug to keep, if it is free. */
  auto: ImportSlug | null
  custom: readonly ImportSlug[]
  /** The key of the slug that shows whether the link already exists; null if the row has none. */
  key: string | null
  /** Null means the automatic slug. */
  primary: string | null
  tags: readonly string[]
  /** Null if the file says nothing of it. */
  behaviour: BehaviourDocument | null
  /** Visitors of a limited link that were let through before. */
  clicksUsed?: number
  /** Differences between the link and the file. */
  notes: readonly Reason[]
}

export interface RowDefaults {
  owner: string
  /** If false, rows that name another owner still belong to `owner`. */
  ownedByFile?: boolean
  /** Without them, all rows belong to the default domain. */
  domains?: ImportDomains
  /** Unix seconds. */
  now: number
}

/** Per row: the link becomes a member of one bundle per tag. */
export const MAX_TAGS = 1_000
/** A tag becomes the name of a bundle. */
const MAX_TAG_LENGTH = 120

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
  tags: z.array(boundedText(MAX_TAG_LENGTH)).optional(),
})

/** Throws `Failure` with the first problem. */
export function toImportRow(fields: RowFields, defaults: RowDefaults): ImportRow {
  requireMaxSlugs(fields.slugs)
  if ((fields.tags?.length ?? 0) > MAX_TAGS)
    throw refuseRow({ code: 'too_many_tags', max: MAX_TAGS, text: `has more than ${MAX_TAGS} tags` })
  const row = parseOrFail(Row, fields, literalTexts)
  const createdAt = row.created_at ?? defaults.now
  const domain = findRowDomain(fields, defaults.domains ?? DEFAULT_DOMAIN_ONLY)
  return {
    url: row.url,
    domain,
    label: row.label ?? null,
    createdAt,
    expiresAt: row.expires_at ?? null,
    disabledAt: row.disabled_at ?? null,
    ...ownerFields(row.created_by ?? defaults.owner, fields.notes, defaults),
    ...withDomain(domain, arrangeSlugs(fields, createdAt)),
    tags: row.tags ?? [],
    behaviour: fields.behaviour && Object.keys(fields.behaviour).length > 0 ? fields.behaviour : null,
    ...(fields.clicksUsed !== undefined && { clicksUsed: fields.clicksUsed }),
  }
}

function ownerFields(
  fileOwner: string,
  notes: readonly Reason[] = [],
  { owner, ownedByFile = true }: RowDefaults,
): Pick<ImportRow, 'createdBy' | 'notes'> {
  if (ownedByFile || fileOwner === owner) return { createdBy: fileOwner, notes }
  const text = `the file says it belongs to ${fileOwner}, it belongs to ${owner}`
  return { createdBy: owner, notes: [...notes, { code: 'owner_changed', owner: fileOwner, text }] }
}

type ArrangedSlugs = Pick<ImportRow, 'auto' | 'custom' | 'key' | 'primary'>

function withDomain(domain: Domain, { auto, custom, key, primary }: ArrangedSlugs): ArrangedSlugs {
  const keyOf = (slug: string | null) => slug && slugKey(domain, slug)
  const withKey = (slug: ImportSlug) => ({ ...slug, slug: slugKey(domain, slug.slug) })
  return {
    auto: auto && withKey(auto),
    custom: custom.map(withKey),
    key: keyOf(key),
    primary: keyOf(primary),
  }
}

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
  if (problem)
    throw refuseRow({ code: 'slug_invalid', slug, text: `slug ${JSON.stringify(slug)}: ${problem.message}` })
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
  if (slugs.length > MAX_SLUGS)
    throw refuseRow({ code: 'too_many_slugs', max: MAX_SLUGS, text: `has more than ${MAX_SLUGS} slugs` })
}

const MAX_LENGTHS: Readonly<Record<string, number>> = {
  url: MAX_URL_LENGTH,
  label: MAX_LABEL_LENGTH,
  tags: MAX_TAG_LENGTH,
}
const TIMES: ReadonlySet<string> = new Set(['created_at', 'expires_at', 'disabled_at'])

/** Returns the reason why a row was refused, by its fields or by their schema. */
export function reasonOfFailure(failure: Failure): Reason {
  return failure instanceof RowRefusal ? failure.reason : { ...codeOfInvalid(failure), text: failure.message }
}

function codeOfInvalid({ detail = '', fields: [invalid] }: Failure): CodedReason {
  const { path: field, code } = invalid ?? { path: '', code: '' }
  const problem = detail.slice(field.length + 1)
  if (field === 'url' && (code === 'required' || code === 'invalid_type')) return { code: 'url_required' }
  if (field === 'url' && problem === 'invalid') return { code: 'url_invalid' }
  const max = MAX_LENGTHS[field.split('.')[0] ?? '']
  if (problem === 'too_long' && max !== undefined) return { code: 'field_too_long', field, max }
  if (problem === 'malformed' || field === 'created_by') return { code: 'field_malformed', field }
  return { code: TIMES.has(field) ? 'time_invalid' : 'field_invalid', field }
}
