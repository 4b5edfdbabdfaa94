import { isLegacyKey } from '../urls/legacy-path.ts'
import { MAX_SLUG_LENGTH, parseSlugKey, slugKey } from '../urls/slug.ts'
import type { ImportRow, ImportSlug } from './import-row.ts'
import { slugOfLegacyPath } from './legacy-paths.ts'
import type { Reason } from './reason.ts'

/** The slugs and links of a batch that already exist; grows as rows are planned. */
export interface ExistingLinks {
  /** The destination of each existing slug. */
  readonly urlOf: Map<string, string>
  /** The owner of the link of each existing slug. */
  readonly ownerOf: Map<string, string>
  /** `linkKey` of every existing link. */
  readonly links: Set<string>
  /** Spellings of slugs in earlier rows, where they are not in lower case. */
  readonly spellings: Spellings
}

/** Limits the memory of an import; slugs of later rows are reported in lower case. */
const MAX_SPELLINGS = 200_000

export class Spellings {
  readonly #spellingOf = new Map<string, string>()

  remember({ custom }: ImportRow): void {
    for (const { slug, spelling } of custom)
      if (spelling !== undefined && this.#spellingOf.size < MAX_SPELLINGS)
        this.#spellingOf.set(slug, spelling)
  }

  /** The slug of a key as the file spells it. */
  of(key: string): string {
    return this.#spellingOf.get(key) ?? parseSlugKey(key).slug
  }
}

/** Policy for a row with a slug that already has another destination. */
export const conflictPolicies = ['report', 'skip', 'rename', 'overwrite'] as const
export type ConflictPolicy = (typeof conflictPolicies)[number]

/** Policy for a row whose slug is free, but whose owner already has a link to its URL. */
export const sameUrlPolicies = ['keep', 'skip'] as const
export type SameUrlPolicy = (typeof sameUrlPolicies)[number]

export interface Policy {
  onConflict: ConflictPolicy
  sameUrl: SameUrlPolicy
}

export const STRICT_POLICY: Policy = { onConflict: 'report', sameUrl: 'keep' }

export type RowPlan = (
  | { result: 'imported'; auto: ImportSlug | null; reason?: Reason }
  /** The row overwrites the link of its slug. */
  | { result: 'imported'; overwrites: string; reason: Reason }
  | { result: 'skipped' | 'conflict'; reason: Reason }
) & {
  /** Visitors of a short URL who would land at the destination of another one. */
  caseReason?: Reason
}

/** URLs and identities contain no line ends. */
export function linkKey({ url, domain, createdBy }: Pick<ImportRow, 'url' | 'domain' | 'createdBy'>): string {
  return `${createdBy}\n${domain ?? ''}\n${url}`
}

/**
 * Plans the result of a row (L21). The row already exists if its slug has the same destination;
 * another destination is a conflict. A row without slugs exists if its owner has a link to its URL
 * in any state: importing a file again then adds nothing. From here on, an imported row counts as
 * existing.
 */
export function planRow(row: ImportRow, existing: ExistingLinks, policy: Policy = STRICT_POLICY): RowPlan {
  const { urlOf, links } = existing
  const name = nameOf(row)
  if (name !== null && urlOf.get(name) === row.url) {
    existing.spellings.remember(row)
    return skip({
      code: 'slug_exists',
      slug: displayName(name),
      text: `slug "${displayName(name)}" already redirects to this URL`,
    })
  }
  if ((name === null || policy.sameUrl === 'skip') && links.has(linkKey(row)))
    return skip({
      code: 'url_exists',
      owner: row.createdBy,
      text: `${row.createdBy} already has a link to this URL`,
    })
  const takenSlug = findTaken(row, existing)
  if (takenSlug !== undefined) return planTakenRow(row, takenSlug, existing, policy)
  const auto = row.auto && !urlOf.has(row.auto.slug) ? row.auto : null
  for (const { slug } of [...row.custom, ...(auto ? [auto] : [])]) remember(slug, row, existing)
  for (const { key } of row.legacyPaths) remember(key, row, existing)
  links.add(linkKey(row))
  return row.auto === null || auto !== null ? { result: 'imported', auto } : withNewAuto(row.auto)
}

/** The first key of the row that is taken. */
function findTaken(row: ImportRow, existing: ExistingLinks): string | undefined {
  const keys = [
    ...(row.key === null ? [] : [row.key]),
    ...row.custom.map(({ slug }) => slug),
    ...row.legacyPaths.map(({ key }) => key),
  ]
  return keys.find((key) => existing.urlOf.has(key)) ?? findSlugOfOther(row, existing)
}

/** The key that shows whether the link of a row already exists. */
function nameOf({ key, legacyPaths: [first] }: ImportRow): string | null {
  return key ?? first?.key ?? null
}

/** A key as people read it. */
function displayName(key: string): string {
  return isLegacyKey(key) ? key.replace(/^\/+/, '') : key
}

/** A slug answers in any case: a legacy path may not take the visitors of another person's slug. */
function findSlugOfOther(
  { domain, legacyPaths, createdBy }: ImportRow,
  { ownerOf }: ExistingLinks,
): string | undefined {
  return legacyPaths
    .map(({ path }) => slugOfLegacyPath(domain, path))
    .find((slug) => slug !== undefined && ownerOf.has(slug) && ownerOf.get(slug) !== createdBy)
}

function withNewAuto({ slug }: ImportSlug): RowPlan {
  const text = `automatic slug "${slug}" is taken, the link gets a new one`
  return { result: 'imported', auto: null, reason: { code: 'auto_slug_changed', slug, text } }
}

function skip(reason: Reason): RowPlan {
  return { result: 'skipped', reason }
}

function conflict(reason: Reason): RowPlan {
  return { result: 'conflict', reason }
}

function remember(slug: string, row: ImportRow, { urlOf, ownerOf, spellings }: ExistingLinks): void {
  urlOf.set(slug, row.url)
  ownerOf.set(slug, row.createdBy)
  spellings.remember(row)
}

/**
 * The other program has two short URLs that differ only in case. Here both are one, so the visitors
 * of one of them land at the destination of the other.
 */
export function findCaseReason(
  row: ImportRow,
  key: string,
  { urlOf, ownerOf, spellings }: ExistingLinks,
  { onConflict }: Policy,
): Reason | undefined {
  const spelling = row.custom.find(({ slug }) => slug === key)?.spelling ?? parseSlugKey(key).slug
  const other = spellings.of(key)
  if (spelling === other) return undefined
  const isOverwritten =
    onConflict === 'overwrite' && ownerOf.get(key) === row.createdBy && row.custom.length === 1
  const [slug, other_slug] = isOverwritten ? [other, spelling] : [spelling, other]
  const url = isOverwritten ? row.url : (urlOf.get(key) ?? '')
  const text = `"${slug}" differs from "${other_slug}" only in case: its visitors land at ${url}`
  return { code: 'slug_case', slug, other_slug, url, text }
}

function planTakenRow(row: ImportRow, takenSlug: string, existing: ExistingLinks, policy: Policy): RowPlan {
  const caseReason = isLegacyKey(takenSlug) ? undefined : findCaseReason(row, takenSlug, existing, policy)
  return { ...planConflict(row, takenSlug, existing, policy), ...(caseReason && { caseReason }) }
}

function planConflict(
  row: ImportRow,
  takenSlug: string,
  existing: ExistingLinks,
  { onConflict }: Policy,
): RowPlan {
  const url = existing.urlOf.get(takenSlug) ?? ''
  const existingSlug = { slug: displayName(takenSlug), url }
  const text = `slug "${displayName(takenSlug)}" already redirects to ${url}`
  if (onConflict === 'skip') return skip({ code: 'slug_taken', ...existingSlug, text })
  if (onConflict !== 'overwrite') return conflict({ code: 'slug_taken', ...existingSlug, text })
  const owner = existing.ownerOf.get(takenSlug)
  if (owner !== row.createdBy)
    return conflict({
      code: 'slug_not_owned',
      ...existingSlug,
      text: `${text}, and its link is not owned by ${row.createdBy}`,
    })
  if (row.custom.length > 1)
    return conflict({
      code: 'slug_not_alone',
      ...existingSlug,
      text: `${text}, and a row with several slugs cannot replace a link`,
    })
  remember(takenSlug, row, existing)
  existing.links.add(linkKey(row))
  return {
    result: 'imported',
    overwrites: takenSlug,
    reason: {
      code: 'slug_overwritten',
      ...existingSlug,
      text: `slug "${displayName(takenSlug)}" redirected to ${url} before`,
    },
  }
}

/** Maximum number of alternatives to a taken slug. */
const MAX_ALTERNATIVES = 20

/** Returns the keys of alternatives to a slug: `promo-2`, `promo-3` and so on. */
export function alternativeSlugs(key: string): string[] {
  const { slug, domain = null } = parseSlugKey(key)
  return Array.from({ length: MAX_ALTERNATIVES }, (_, at) => {
    const suffix = `-${at + 2}`
    return slugKey(domain, slug.slice(0, MAX_SLUG_LENGTH - suffix.length) + suffix)
  })
}

/**
 * Renames the slugs of the row that have another destination. Each becomes the first alternative
 * that is free or has the row's URL: a row that an earlier run renamed then finds itself. Slugs
 * that the row already has are not used.
 */
export function renameTaken(row: ImportRow, existing: ExistingLinks, policy: Policy): ImportRow {
  const { urlOf } = existing
  const newNames = new Map<string, string>()
  const own = new Set([...row.custom, ...(row.auto ? [row.auto] : [])].map(({ slug }) => slug))
  const slugs = [...row.custom, ...(row.auto?.slug === row.key && row.auto ? [row.auto] : [])]
  for (const { slug } of slugs) {
    if (!urlOf.has(slug) || urlOf.get(slug) === row.url) continue
    const name = alternativeSlugs(slug).find(
      (other) => !own.has(other) && (!urlOf.has(other) || urlOf.get(other) === row.url),
    )
    if (name === undefined) continue
    newNames.set(slug, name)
    own.add(name)
  }
  if (newNames.size === 0) return row
  const renameSlug = ({ spelling, ...slug }: ImportSlug): ImportSlug => {
    const name = newNames.get(slug.slug)
    return name === undefined
      ? { ...slug, ...(spelling !== undefined && { spelling }) }
      : { ...slug, slug: name }
  }
  const notes = [...newNames].flatMap(([slug, name]): Reason[] => {
    const text = `slug "${slug}" is taken, the link gets "${name}"`
    const caseReason = findCaseReason(row, slug, existing, policy)
    return [{ code: 'slug_renamed', slug, new_slug: name, text }, ...(caseReason ? [caseReason] : [])]
  })
  return {
    ...row,
    custom: row.custom.map(renameSlug),
    auto: row.auto && renameSlug(row.auto),
    key: row.key && (newNames.get(row.key) ?? row.key),
    primary: row.primary && (newNames.get(row.primary) ?? row.primary),
    notes: [...row.notes, ...notes],
  }
}
