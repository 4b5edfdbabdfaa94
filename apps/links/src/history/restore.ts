import type { DialectName } from '@latchkey/database/url'
import type { Context } from '../api/context.ts'
import type { Tx } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import { replaceBehaviour } from '../links/behaviour/operations.ts'
import { requireFinalDestination } from '../links/behaviour/redirect-loops.ts'
import type { BehaviourDocument } from '../links/behaviour/schema.ts'
import {
  type SlugRow,
  findSlug,
  hasTooManySlugs,
  insertSlug,
  removeSlug,
  setPrimarySlug,
  setSlugDisabled,
} from '../links/slugs/store.ts'
import {
  type LegacyPathRow,
  insertLegacyPaths,
  listLegacyPathsOf,
  removeLegacyPath,
} from '../links/legacy/store.ts'
import { type LinkRow, findLinkRow, updateLinkRow } from '../links/store.ts'
import { readLinkStates } from '../changes/states.ts'
import { type Values, findDifference, parseValues, revert } from '../changes/values.ts'

/** The values of a link that a restoration sets. Its owner and its public addresses stay. */
export interface LinkValues extends Values {
  url: string
  label?: string
  expires_at?: number
  disabled_at?: number
  primary_slug: string
  behaviour?: BehaviourDocument
  /** Set if there is a password; history never has the password itself. */
  password?: 'set'
  slugs: readonly SlugValues[]
  legacy_paths?: readonly LegacyPathValues[]
}

type SlugValues = Pick<SlugRow, 'slug' | 'is_custom' | 'created_at'> & {
  disabled_at?: number
  added_by?: string
}

export type LegacyPathValues = Pick<LegacyPathRow, 'path' | 'source' | 'created_at'>

/**
 * The values of a link right after a change of it. They follow from the present ones and from what
 * all later changes replaced. Throws 404 if the link has no such change.
 */
export async function readValuesAfter(
  tx: Tx,
  dialect: DialectName,
  { linkId, changeId }: { linkId: number; changeId: number },
): Promise<LinkValues> {
  const rows = await tx
    .selectFrom('history')
    .select(['id', 'before_values', 'after_values'])
    .where('link_id', '=', linkId)
    .where('bundle_id', 'is', null)
    .where('id', '>=', changeId)
    .orderBy('id', 'desc')
    .execute()
  if (rows.at(-1)?.id !== changeId) throw failure('change_not_found')
  const present = (await readLinkStates(tx, dialect, [linkId])).get(linkId)
  const values = rows
    .slice(0, -1)
    .map((row) => ({ before: parseValues(row.before_values), after: parseValues(row.after_values) }))
    .reduce(revert, findDifference(undefined, present?.values)?.after ?? null)
  if (values === null) throw failure('change_not_found')
  return values as LinkValues
}

/** Gives a locked link these values. Throws if it may not have them; roll back then. */
export async function restoreValues(
  tx: Tx,
  context: Context,
  row: LinkRow,
  values: LinkValues,
): Promise<void> {
  const { database, now } = context
  const present = (await readLinkStates(tx, database.dialect, [row.id])).get(row.id)?.values ?? {}
  if (values.password !== undefined && present['password'] === undefined) throw failure('password_not_kept')
  await restoreSlugs(tx, context, row, values)
  await restoreLegacyPaths(tx, context, row, values)
  const passwordHash = values.password === undefined ? null : undefined
  await replaceBehaviour(tx, row, { document: values.behaviour ?? {}, passwordHash, now })
  await updateLinkRow(
    tx,
    row,
    {
      url: values.url,
      label: values.label ?? null,
      expires_at: values.expires_at ?? null,
      disabled_at: values.disabled_at ?? null,
    },
    now,
  )
  const changed = await findLinkRow(tx, row.id)
  if (changed) await requireFinalDestination(tx, context, changed)
}

/**
 * Adds the slugs that the link had, and removes those that it did not have. One of these that has
 * clicks is disabled instead.
 */
async function restoreSlugs(tx: Tx, context: Context, row: LinkRow, values: LinkValues): Promise<void> {
  await addEarlierSlugs(tx, context, row, values)
  const earlier = new Map(values.slugs.map((slug) => [slug.slug, slug]))
  const stored = await tx.selectFrom('counted_slug').selectAll().where('link_id', '=', row.id).execute()
  const [remaining, later] = [
    stored.filter(({ slug }) => earlier.has(slug)),
    stored.filter(({ slug }) => !earlier.has(slug)),
  ]
  // A primary slug is never disabled: first all that are enabled, then the primary one.
  for (const { slug, disabled_at: since } of remaining)
    if (since !== null && earlier.get(slug)?.disabled_at === undefined) await setSlugDisabled(tx, slug, null)
  await setPrimarySlug(tx, row.id, values.primary_slug)
  for (const { slug } of remaining) {
    const disabledAt = earlier.get(slug)?.disabled_at
    if (disabledAt !== undefined) await setSlugDisabled(tx, slug, disabledAt)
  }
  for (const slug of later) await removeOrDisable(tx, context, slug)
}

async function addEarlierSlugs(
  tx: Tx,
  { slugSpace }: Context,
  row: LinkRow,
  { slugs }: LinkValues,
): Promise<void> {
  for (const { disabled_at: _, added_by = null, ...fields } of slugs) {
    const isNew = await insertSlug(tx, { ...fields, link_id: row.id, disabled_at: null, added_by })
    if (isNew) slugSpace.recordSlug(fields.slug)
    else if ((await findSlug(tx, fields.slug))?.link_id !== row.id) throw failure('slug_taken')
  }
  if (await hasTooManySlugs(tx, row.id)) throw failure('too_many_slugs')
}

/** Adds the legacy paths that the link had, and removes those that it did not have. */
async function restoreLegacyPaths(
  tx: Tx,
  { database: { dialect } }: Context,
  row: LinkRow,
  { legacy_paths: earlier = [] }: LinkValues,
): Promise<void> {
  const present = await listLegacyPathsOf({ db: tx, dialect }, [row.id])
  const domain = row.domain ?? ''
  const [wanted, stored] = [earlier, present].map((paths) => new Set(paths.map(({ path }) => path)))
  for (const legacyPath of present) if (!wanted?.has(legacyPath.path)) await removeLegacyPath(tx, legacyPath)
  const missing = earlier.filter(({ path }) => !stored?.has(path))
  const rows = missing.map((legacyPath) => ({ ...legacyPath, domain, link_id: row.id }))
  if (!(await insertLegacyPaths(tx, rows))) throw failure('slug_taken')
}

async function removeOrDisable(tx: Tx, context: Context, row: SlugRow): Promise<void> {
  const { slug, clicks, disabled_at: since } = row
  if (clicks > 0 || context.hasPendingClicks({ slug })) await setSlugDisabled(tx, slug, since ?? context.now)
  else await removeSlug(tx, context.database, row)
}
