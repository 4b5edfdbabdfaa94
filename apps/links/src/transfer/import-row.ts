import type { Failure } from '@latchkey/http/failure'
import { parseOrFail } from '@latchkey/http/validation'
import { z } from 'zod'
import { isIdentity } from '../access/identity.ts'
import { literalTexts } from '../api/failures.ts'
import type { BehaviourDocument } from '../links/behaviour/schema.ts'
import { MAX_PROGRAM, compile } from '../links/behaviour/compile.ts'
import { Label, MAX_LABEL_LENGTH } from '../links/schema.ts'
import { DestinationUrl, MAX_URL_LENGTH } from '../urls/destination-url.ts'
import { type Domain, MAX_SLUGS, foldSlug, findSlugProblem, slugKey } from '../urls/slug.ts'
import { boundedText, withoutFormat } from '../api/text.ts'
import {
  type ImportLegacyPath,
  type LegacyMode,
  legacyPathsOf,
  markLegacyCodes,
  withoutLegacyCodes,
  withoutSlashes,
} from './legacy-paths.ts'
import { isZeroDate, parseMoment } from './moment.ts'
import { DEFAULT_DOMAIN_ONLY, type ImportDomains, findRowDomain } from './row-domain.ts'
import {
  type CodedReason,
  LINK_DISABLED,
  PASSWORD_UNKNOWN,
  type Reason,
  RowRefusal,
  fieldCut,
  fieldDropped,
  refuseRow,
} from './reason.ts'

/** A slug as it is in a file. */
export interface SlugFields {
  slug: string
  isAuto?: boolean
  /** Whether the link answers it exactly as it is written, as a legacy path. */
  isLegacy?: boolean
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
  /** Whether a row whose domain the instance does not have goes to the domain of the import. */
  isDomainOptional?: boolean
  /** A short URL or host of another program. */
  shortUrl?: string | undefined
  /** Whether the file is one of a program that distinguishes codes by case. */
  distinguishesCase?: boolean
  /** As in a Link object. */
  legacyPaths?: unknown
  /** The primary slug; else the first custom one, else the automatic one. */
  primary?: string | undefined
  /** Clicks that the file gives only as a total: NaN if not valid, undefined without such a column. */
  clicks?: number | undefined
  /** In clear, or true if only that there is one is known. */
  password?: string | true
  tags?: readonly string[]
  /** Where the link leads besides its URL, for whom and when. */
  behaviour?: BehaviourDocument
  /** Visitors of a limited link that were let through before. */
  clicksUsed?: number
  /** Whether the link could be open to more visitors than before. */
  mustDisable?: boolean
  /** Differences between the link and the file. */
  notes?: readonly Reason[]
}

export interface ImportSlug {
  /** A slug key. */
  slug: string
  /** As the file spells it, if in another case. */
  spelling?: string
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
  legacyPaths: readonly ImportLegacyPath[]
  /** The key of the slug that shows whether the link already exists; null if the row has none. */
  key: string | null
  /** Null means the automatic slug. */
  primary: string | null
  tags: readonly string[]
  /** Null if the file has no behaviour. */
  behaviour: BehaviourDocument | null
  /** Visitors of a limited link that were let through before. */
  clicksUsed?: number
  /** In clear, or true if only that there is one is known. */
  password?: string | true
  /** Known once the password of a row that will be stored was hashed. */
  passwordHash?: string
  /** Differences between the link and the file. */
  notes: readonly Reason[]
}

export interface RowDefaults {
  owner: string
  /** If false, rows that name another owner still belong to `owner`. */
  ownedByFile?: boolean
  /** Without domains, all rows belong to the default domain. */
  domains?: ImportDomains
  /** Without it, no code becomes a legacy path. */
  legacy?: LegacyMode
  /** The name of the format, which legacy paths keep. */
  format?: string
  /** Unix seconds. */
  now: number
}

/** Limit of the tags of a row: its link becomes a member of one bundle for each. */
export const MAX_TAGS = 1_000
/** A tag becomes the name of a bundle. */
const MAX_TAG_LENGTH = 120

const isBlank = (value: unknown) =>
  value === null || value === undefined || (typeof value === 'string' && value.trim() === '')

const Moment = z.preprocess(
  (value) => (isBlank(value) || isZeroDate(value) ? undefined : value),
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

/** The fields without which a link would be another one, or open at another time. */
const Row = z.object({ url: DestinationUrl, expires_at: Moment, disabled_at: Moment })

/**
 * Throws `Failure` with the first problem of the address, the slugs, the state or the expiry. What
 * is wrong with anything else is cut or left out, with a note.
 */
export function toImportRow(all: RowFields, defaults: RowDefaults): ImportRow {
  requireMaxSlugs(all.slugs)
  const fields = markLegacyCodes(all, defaults)
  const row = parseOrFail(Row, fields, literalTexts)
  const notes = [...(fields.notes ?? [])]
  const createdAt = optionalMoment('created_at', fields.created_at, notes) ?? defaults.now
  const domain = findRowDomain(fields, defaults.domains ?? DEFAULT_DOMAIN_ONLY, notes)
  if (Number.isNaN(fields.clicks)) notes.push(fieldDropped('clicks'))
  return {
    url: row.url,
    domain,
    label: labelOf(fields.label, notes),
    createdAt,
    expiresAt: row.expires_at ?? null,
    disabledAt: row.disabled_at ?? (fields.mustDisable ? defaults.now : null),
    createdBy: ownerOf(fields.created_by, defaults, notes),
    ...withDomain(domain, arrangeSlugs(withoutLegacyCodes(fields), createdAt, notes)),
    legacyPaths: legacyPathsOf(fields, { ...defaults, domain, createdAt, notes }),
    tags: tagsOf(fields.tags, notes),
    ...behaviourOf(fields, notes),
    notes,
  }
}

function optionalMoment(field: string, value: unknown, notes: Reason[]): number | undefined {
  const { success, data } = Moment.safeParse(value)
  if (!success || isZeroDate(value)) notes.push(fieldDropped(field))
  return data
}

function labelOf(value: unknown, notes: Reason[]): string | null {
  const whole = Label.nullish().safeParse(value)
  if (whole.success) return whole.data ?? null
  const cut = Label.safeParse(
    typeof value === 'string' ? cutText(withoutFormat(value), MAX_LABEL_LENGTH) : value,
  )
  notes.push(cut.success ? fieldCut('label', MAX_LABEL_LENGTH) : fieldDropped('label'))
  return cut.data ?? null
}

/** The first code points of a text. */
function cutText(text: string, length: number): string {
  return Array.from(text.trim().slice(0, 2 * length))
    .slice(0, length)
    .join('')
}

const Tag = boundedText(MAX_TAG_LENGTH)

function tagsOf(tags: readonly string[] = [], notes: Reason[]): string[] {
  if (tags.length > MAX_TAGS)
    notes.push({ ...fieldCut('tags', MAX_TAGS), text: `tags: only the first ${MAX_TAGS} were kept` })
  const read = tags.slice(0, MAX_TAGS).map((tag) => Tag.safeParse(cutText(tag, MAX_TAG_LENGTH)).data)
  if (tags.some((tag) => tag.length > MAX_TAG_LENGTH && cutText(tag, MAX_TAG_LENGTH) !== tag.trim()))
    notes.push(fieldCut('tags', MAX_TAG_LENGTH))
  if (read.includes(undefined)) notes.push(fieldDropped('tags'))
  return read.filter((tag) => tag !== undefined)
}

function ownerOf(value: unknown, { owner, ownedByFile = true }: RowDefaults, notes: Reason[]): string {
  if (isBlank(value)) return owner
  if (!isIdentity(value)) {
    notes.push(fieldDropped('created_by'))
    return owner
  }
  if (ownedByFile || value === owner) return value
  const text = `the file says it belongs to ${value}, it belongs to ${owner}`
  notes.push({ code: 'owner_changed', owner: value, text })
  return owner
}

function behaviourOf(
  { behaviour, clicksUsed, mustDisable, password }: RowFields,
  notes: Reason[],
): Pick<ImportRow, 'behaviour' | 'clicksUsed' | 'password'> {
  if (mustDisable) notes.push(LINK_DISABLED)
  if (password === true) notes.push(PASSWORD_UNKNOWN)
  const protectedFields = password !== undefined && { password }
  if (!behaviour || Object.keys(behaviour).length === 0) return { behaviour: null, ...protectedFields }
  if (Buffer.byteLength(compile(behaviour, password !== undefined) ?? '') > MAX_PROGRAM) {
    notes.push(fieldDropped('behaviour'))
    return { behaviour: null, ...protectedFields }
  }
  return { behaviour, ...(clicksUsed !== undefined && { clicksUsed }), ...protectedFields }
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

function arrangeSlugs(
  { slugs, primary: name }: RowFields,
  createdAt: number,
  notes: Reason[],
): ArrangedSlugs {
  const primary = name && foldSlug(withoutSlashes(name))
  let auto: ImportSlug | null = null
  const custom = new Map<string, ImportSlug>()
  for (const fields of slugs) {
    const slug = checkSlug(fields, createdAt, notes)
    // An automatic slug is never disabled. A disabled one is imported as a custom slug, which stays
    // disabled.
    if (fields.isAuto && auto === null && slug.disabledAt === null) auto = slug
    else if (!custom.has(slug.slug)) custom.set(slug.slug, slug)
  }
  if (auto) custom.delete(auto.slug)
  const key = primary || (custom.keys().next().value ?? auto?.slug ?? null)
  const keySlug = custom.get(key ?? '')
  return {
    auto,
    custom: [...custom.values()],
    key,
    // Disabling the primary slug makes the automatic one primary (L7).
    primary: keySlug?.disabledAt === null ? keySlug.slug : null,
  }
}

const SlugState = z.object({ disabled_at: Moment })

function checkSlug(fields: SlugFields, createdAt: number, notes: Reason[]): ImportSlug {
  const slug = withoutSlashes(fields.slug)
  const problem = findSlugProblem(slug)
  if (problem)
    throw refuseRow({ code: 'slug_invalid', slug, text: `slug ${JSON.stringify(slug)}: ${problem.message}` })
  const { disabled_at: disabledAt } = parseOrFail(SlugState, { disabled_at: fields.disabledAt }, literalTexts)
  return {
    slug: foldSlug(slug),
    ...(slug !== foldSlug(slug) && { spelling: slug }),
    createdAt: optionalMoment('slugs.created_at', fields.createdAt, notes) ?? createdAt,
    disabledAt: disabledAt ?? null,
  }
}

/**
 * Checks the number before the slugs themselves: a schema reports the problem of every single one.
 */
export function requireMaxSlugs(slugs: readonly unknown[]): void {
  if (slugs.length > MAX_SLUGS)
    throw refuseRow({ code: 'too_many_slugs', max: MAX_SLUGS, text: `has more than ${MAX_SLUGS} slugs` })
}

const TIMES: ReadonlySet<string> = new Set(['expires_at', 'disabled_at'])

/** Returns the reason why a row was refused, by its fields or by their schema. */
export function reasonOfFailure(failure: Failure): Reason {
  return failure instanceof RowRefusal ? failure.reason : { ...codeOfInvalid(failure), text: failure.message }
}

function codeOfInvalid({ detail = '', fields: [invalid] }: Failure): CodedReason {
  const { path: field, code } = invalid ?? { path: '', code: '' }
  const problem = detail.slice(field.length + 1)
  if (field === 'url' && (code === 'required' || code === 'invalid_type')) return { code: 'url_required' }
  if (field === 'url' && problem === 'invalid') return { code: 'url_invalid' }
  if (field === 'url' && problem === 'too_long') return { code: 'field_too_long', field, max: MAX_URL_LENGTH }
  if (problem === 'malformed') return { code: 'field_malformed', field }
  return { code: TIMES.has(field) ? 'time_invalid' : 'field_invalid', field }
}
