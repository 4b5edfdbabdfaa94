import type { Context } from '../../api/context.ts'
import type { Tx } from '../../db/tables.ts'
import { failure } from '../../api/failures.ts'
import { replaceBehaviour } from '../../links/behaviour/operations.ts'
import { requireFinalDestination } from '../../links/behaviour/redirect-loops.ts'
import { findAutoLength } from '../../links/creation.ts'
import { insertLink } from '../../links/insert.ts'
import { hasClicks } from '../../links/operations.ts'
import { findFreeSlug } from '../../links/slugs/generator.ts'
import { insertLegacyPaths } from '../../links/legacy/store.ts'
import { findExistingSlugs, insertSlug } from '../../links/slugs/store.ts'
import { deleteLinkRow, findLinkRow, lockLinkForWrite } from '../../links/store.ts'
import { setOwner } from '../../ownership/store.ts'
import type { ChangeRow } from '../list.ts'
import { type LinkValues, restoreValues } from '../restore.ts'
import { readLinkStates } from '../../changes/states.ts'
import { type Difference, findDifference, parseValues, revert } from '../../changes/values.ts'
import type { UndoRun } from './run.ts'

/** All values of a link before it was deleted. */
interface DeletedValues extends LinkValues {
  created_by: string
  created_at: number
  created_via?: string
  domain?: string
  bundles?: readonly number[]
}

/** Gives a link the values that it had before these changes, or deletes it if it did not exist. */
export async function undoLink(run: UndoRun, id: number, rows: readonly ChangeRow[]): Promise<void> {
  const { tx, context } = run
  const { dialect } = context.database
  const differences = rows.map(toDifference)
  for (const difference of differences) requireKeptSecrets(difference)
  const row = await lockLinkForWrite(tx, context.database, id)
  const present = (await readLinkStates(tx, dialect, [id])).get(id)
  const target = differences.reduce(
    revert,
    findDifference(undefined, present?.values)?.after ?? null,
  ) as DeletedValues | null
  requireOwner(run, row?.created_by ?? target?.created_by)
  if (!row && target) return recreateLink(run, id, target)
  if (!row) return
  if (target) {
    await restoreValues(tx, context, row, target)
    return setOwner(tx, row, { owner: target.created_by, now: context.now })
  }
  if (await hasClicks(tx, context, id)) throw failure('link_has_clicks')
  await deleteLinkRow(tx, context.database, id)
}

export function toDifference({ before_values: before, after_values: after }: ChangeRow): Difference {
  return { before: parseValues(before), after: parseValues(after) }
}

/** Throws if the values before have a password, or if the change is one of a shared address. */
export function requireKeptSecrets({ before, after }: Difference): void {
  const isOfShare = before !== null && after !== null && 'share' in before
  if (before?.['password'] === 'set' || isOfShare) throw failure('undo_impossible')
}

export function requireOwner({ context, isForAll }: UndoRun, owner: string | undefined): void {
  if (owner !== undefined && owner !== context.identity && !isForAll) throw failure('undo_needs_rights')
}

/** Columns that have no value unless a link has one. */
const EMPTY = { label: null, expires_at: null, disabled_at: null, created_via: null, domain: null }

/** Stores a deleted link under its id, with those of its slugs that are free, and without clicks. */
async function recreateLink(run: UndoRun, id: number, values: DeletedValues): Promise<void> {
  const { tx, context } = run
  const { now } = context
  const { slugs: _, bundles = [], behaviour: document = {}, share: __, legacy_paths, ...columns } = values
  const slugs = await findSlugs(tx, context, values)
  const primary = slugs.find(({ slug }) => slug === values.primary_slug) ?? slugs.find(isEnabled)
  if (!primary) throw failure('slug_taken')
  const version = await findNextVersion(tx, id)
  await insertLink(tx, { ...EMPTY, ...columns, id, primary_slug: primary.slug, version, updated_at: now })
  await insertSlugs(run, id, slugs)
  await insertLegacyPaths(
    tx,
    (legacy_paths ?? []).map((row) => ({ ...row, domain: values.domain ?? '', link_id: id })),
  )
  const row = await findLinkRow(tx, id)
  if (!row) throw new Error('A link was gone before its transaction ended')
  await replaceBehaviour(tx, row, { document, passwordHash: null, now })
  const changed = await findLinkRow(tx, id)
  if (changed) await requireFinalDestination(tx, context, changed)
  run.memberships.push(...bundles.map((bundle_id) => ({ link_id: id, bundle_id })))
}

async function insertSlugs({ tx, context }: UndoRun, id: number, slugs: readonly SlugValues[]) {
  for (const { disabled_at: since = null, added_by = null, ...slug } of slugs) {
    if (!(await insertSlug(tx, { ...slug, link_id: id, disabled_at: since, added_by })))
      throw failure('slug_taken')
    context.slugSpace.recordSlug(slug.slug)
  }
}

type SlugValues = LinkValues['slugs'][number]

function isEnabled({ disabled_at: since }: SlugValues): boolean {
  return since === undefined
}

/** The free slugs of a deleted link, custom ones first, with a new automatic one if another link has that. */
async function findSlugs(tx: Tx, context: Context, { slugs, domain }: DeletedValues): Promise<SlugValues[]> {
  const names = slugs.map(({ slug }) => slug)
  const existing = await findExistingSlugs({ db: tx, dialect: context.database.dialect }, names)
  const free = slugs.filter(({ slug }) => !existing.has(slug)).toSorted((a, b) => b.is_custom - a.is_custom)
  if (free.some(({ is_custom }) => is_custom === 0)) return free
  const slug = await findFreeSlug(tx, domain ?? null, await findAutoLength(tx, context, domain ?? null))
  return [...free, { slug, is_custom: 0, created_at: context.now }]
}

/** A link that comes back has a version that it never had. */
async function findNextVersion(tx: Tx, id: number): Promise<number> {
  const { version } = await tx
    .selectFrom('history')
    .select(({ fn }) => fn.max<number | null>('version').as('version'))
    .where('link_id', '=', id)
    .executeTakeFirstOrThrow()
  return (version ?? 0) + 1
}
