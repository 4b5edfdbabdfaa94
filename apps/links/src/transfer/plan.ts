import type { ImportRow, ImportSlug } from './import-row.ts'

/** What of a batch's slugs and links is there already; grows as rows are planned. */
export interface Known {
  /** Where each known slug leads. */
  readonly urlOf: Map<string, string>
  /** `linkKey` of every known link. */
  readonly links: Set<string>
}

export type Verdict =
  | { result: 'imported'; auto: ImportSlug | null; reason?: string }
  | { result: 'skipped' | 'conflict'; reason: string }

/** No URL and no identity contains a line end. */
export function linkKey({ url, createdBy }: Pick<ImportRow, 'url' | 'createdBy'>): string {
  return `${createdBy}\n${url}`
}

/**
 * What happens to the row (L21): a slug that leads to its URL already makes it present, one that leads elsewhere a
 * conflict. A row without slugs is present when its owner has a link to its URL, in whatever state, so that importing a
 * file again adds nothing. A row that is imported counts as known from here on.
 */
export function judge(row: ImportRow, { urlOf, links }: Known): Verdict {
  if (row.key === null && links.has(linkKey(row)))
    return { result: 'skipped', reason: `${row.createdBy} has a link to this URL` }
  if (row.key !== null && urlOf.get(row.key) === row.url)
    return { result: 'skipped', reason: `slug "${row.key}" leads to this URL already` }
  const wanted = [...(row.key === null ? [] : [row.key]), ...row.custom.map(({ slug }) => slug)]
  const taken = wanted.find((slug) => urlOf.has(slug))
  if (taken !== undefined)
    return { result: 'conflict', reason: `slug "${taken}" is taken, it leads to ${urlOf.get(taken)}` }
  const auto = row.auto && !urlOf.has(row.auto.slug) ? row.auto : null
  for (const { slug } of [...row.custom, ...(auto ? [auto] : [])]) urlOf.set(slug, row.url)
  links.add(linkKey(row))
  if (row.auto === null || auto !== null) return { result: 'imported', auto }
  const reason = `automatic slug "${row.auto.slug}" is taken, the link has a fresh one`
  return { result: 'imported', auto, reason }
}
