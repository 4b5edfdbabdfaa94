import { Failure } from '@latchkey/http/failure'
import type { Updateable } from 'kysely'
import { addMembers, lockBundleRow } from '../bundles/store.ts'
import type { Context } from '../api/context.ts'
import type { Tables, Tx } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import { requireKnownOwner, setOwner } from '../ownership/store.ts'
import { listLinkPositions, resolveSearch } from '../links/list.ts'
import { withStoredDomain } from '../links/list-operations.ts'
import { hasClicks } from '../links/operations.ts'
import type { Link } from '../links/schema.ts'
import { type LinkRow, deleteLinkRow, lockLinksForWrite, updateLinkRow } from '../links/store.ts'
import { readChangedLinks } from '../links/read-model.ts'
import { refusalResult } from './create.ts'
import { yieldToRedirects } from './pace.ts'
import { type BulkChange, type BulkChanges, type BulkResult, MAX_MATCHES, tooManyMatches } from './schema.ts'

/** Changes one locked link. Throws its refusal before it writes anything. */
type Change = (row: LinkRow) => Promise<void>

/**
 * Changes many links in one transaction. A link that cannot be changed does not stop the others,
 * and one that has the state already keeps its version.
 */
export async function changeMany(context: Context, { ids, filter, set }: BulkChanges): Promise<BulkResult[]> {
  const chosen = ids ?? (await findMatches(context, filter ?? { status: 'all' }))
  await context.flushClicks()
  return context.database.write(async (tx) => {
    const change = await createChange(tx, context, set)
    const rows = await lockLinksForWrite(tx, context.database, chosen)
    const refusals = new Map<number, Failure>()
    for (const [at, row] of [...rows.values()].entries()) {
      await yieldToRedirects(context.database, at)
      await change(row).catch((error: unknown) => {
        if (!(error instanceof Failure)) throw error
        refusals.set(row.id, error)
      })
    }
    const links = await readChangedLinks(tx, [...rows.keys()], context)
    const linkOf = new Map(links.map((link) => [link.id, link]))
    return chosen.map((id, index) => {
      const refusal = rows.has(id) ? refusals.get(id) : failure('link_not_found')
      return refusal ? refusalResult(index, refusal) : success(index, linkOf.get(id))
    })
  })
}

/** The link is absent once it is deleted. */
function success(index: number, link: Link | undefined): BulkResult {
  return { index, status: 200, ...(link && { link }) }
}

/** The ids of the links that match, newest first. */
async function findMatches(context: Context, filter: NonNullable<BulkChanges['filter']>): Promise<number[]> {
  const { database, now } = context
  const query = await resolveSearch(database.offThread, withStoredDomain(context, filter), now)
  const positions = await listLinkPositions(database.offThread, { ...query, limit: MAX_MATCHES + 1 }, now)
  if (positions.length > MAX_MATCHES) throw tooManyMatches()
  context.costs.count(positions.length)
  return positions.map(({ id }) => id)
}

async function createChange(tx: Tx, context: Context, set: BulkChange): Promise<Change> {
  const { database, identity } = context
  const notOwner = notOwnerOf(set)
  const requireOwner = (row: LinkRow) => {
    if (row.created_by !== identity) throw failure(notOwner)
  }
  if (set.delete)
    return async (row) => {
      requireOwner(row)
      if (await hasClicks(tx, context, row.id)) throw failure('link_has_clicks')
      await deleteLinkRow(tx, database, row.id)
    }
  const { bundle: bundleId, delete: _, confirm, owner, ...fields } = set
  if (owner !== undefined) await requireKnownOwner(tx, { owner, confirm })
  const bundle = bundleId === undefined ? undefined : await lockBundleRow(tx, database, bundleId)
  if (bundleId !== undefined && !bundle) throw failure('bundle_not_found')
  const isOwnersWrite = owner !== undefined || Object.keys(fields).length > 0
  return async (row) => {
    // Anyone adds any link to any bundle.
    if (isOwnersWrite) requireOwner(row)
    const changes = changesOf(row, fields, context.now)
    if (owner !== undefined) await setOwner(tx, row, { owner, now: context.now })
    const transferred = { ...row, created_by: owner ?? row.created_by }
    if (Object.keys(changes).length > 0) await updateLinkRow(tx, transferred, changes, context.now)
    if (bundle) await addMembers(tx, [{ bundle_id: bundle.id, link_id: row.id }])
  }
}

/** The refusal that a change of one field has, and that of an update for several. */
function notOwnerOf({ bundle: _, confirm: __, disabled, owner, ...set }: BulkChange) {
  const fields = Object.entries({ ...set, disabled, owner }).filter(([, value]) => value !== undefined)
  const [[field] = [], ...others] = fields
  if (others.length > 0) return 'not_owner_update'
  if (field === 'disabled') return disabled ? 'not_owner_disable' : 'not_owner_enable'
  if (field === 'delete') return 'not_owner_delete'
  return field === 'owner' ? 'not_owner_transfer' : 'not_owner_update'
}

/** The columns that differ from those of the link. */
function changesOf(
  row: LinkRow,
  { label, expires_at: expiresAt, disabled }: Pick<BulkChange, 'label' | 'expires_at' | 'disabled'>,
  now: number,
): Updateable<Tables['link']> {
  return {
    ...(label !== undefined && label !== row.label && { label }),
    ...(expiresAt !== undefined && expiresAt !== row.expires_at && { expires_at: expiresAt }),
    ...(disabled !== undefined &&
      disabled !== (row.disabled_at !== null) && { disabled_at: disabled ? now : null }),
  }
}
