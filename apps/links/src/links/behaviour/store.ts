import { type Kysely, sql } from 'kysely'
import { type Database, inList } from '@latchkey/database/database'
import { lockRows } from '@latchkey/database/locks'
import type { Tables, Tx } from '../../db/tables.ts'
import { linkEvent } from '../../events/link-event.ts'
import { insertEvents } from '../../events/store.ts'
import { requireTrackedLink } from '../../changes/change-tracker.ts'
import { readLinkStates } from '../../changes/states.ts'
import type { LinkRow } from '../store.ts'
import { type BehaviourPart, parseProgram, partsOfProgram } from './program.ts'
import type { Behaviour, BehaviourDocument } from './schema.ts'

/** The stored behaviour of a link. */
export interface StoredBehaviour {
  document: BehaviourDocument
  hasPassword: boolean
  /** Undefined without a limit. */
  clicksLeft: number | undefined
}

/** The behaviour of a link; an empty document for a link without one. */
export async function findBehaviour(db: Kysely<Tables>, linkId: number): Promise<StoredBehaviour> {
  const row = await db
    .selectFrom('link')
    .leftJoin('link_behaviour', 'link_behaviour.link_id', 'link.id')
    .leftJoin('link_limit', 'link_limit.link_id', 'link.id')
    .leftJoin('link_password', 'link_password.link_id', 'link.id')
    .select(['document', 'max_clicks', 'used', 'hash'])
    .where('link.id', '=', linkId)
    .executeTakeFirst()
  const { document = null, max_clicks = null, used = null, hash = null } = row ?? {}
  return {
    document: document === null ? {} : (JSON.parse(document) as BehaviourDocument),
    hasPassword: hash !== null,
    clicksLeft: clicksLeft({ max_clicks, used }),
  }
}

function clicksLeft({ max_clicks: max, used }: { max_clicks: number | null; used: number | null }) {
  return max === null || used === null ? undefined : max - used
}

/** A behaviour as reads return it. */
export function toBehaviour({ document, hasPassword, clicksLeft: left }: StoredBehaviour): Behaviour {
  return {
    ...document,
    ...(hasPassword && { password: true as const }),
    ...(left !== undefined && { clicks_left: left }),
  }
}

/** The behaviours of the links that have one, as reads return them. */
export async function listBehaviours(
  { read, dialect }: Pick<Database<Tables>, 'read' | 'dialect'>,
  linkIds: readonly number[],
): Promise<Map<number, Behaviour>> {
  const rows = await read
    .selectFrom('link_behaviour')
    .leftJoin('link_limit', 'link_limit.link_id', 'link_behaviour.link_id')
    .leftJoin('link_password', 'link_password.link_id', 'link_behaviour.link_id')
    .select(['link_behaviour.link_id as id', 'document', 'max_clicks', 'used', 'hash'])
    .where(inList(dialect, 'link_behaviour.link_id', linkIds))
    .execute()
  return new Map(
    rows.map(({ id, document, ...row }) => [
      id,
      toBehaviour({
        document: JSON.parse(document) as BehaviourDocument,
        hasPassword: row.hash !== null,
        clicksLeft: clicksLeft(row),
      }),
    ]),
  )
}

/** The parts of the behaviours of the links that have one. */
export async function listBehaviourParts(
  { read, dialect }: Pick<Database<Tables>, 'read' | 'dialect'>,
  linkIds: readonly number[],
): Promise<Map<number, BehaviourPart[]>> {
  const rows = await read
    .selectFrom('link')
    .select(['id', 'behaviour'])
    .where(inList(dialect, 'id', linkIds))
    .where('behaviour', 'is not', null)
    .execute()
  return new Map(rows.map(({ id, behaviour }) => [id, partsOfProgram(parseProgram(behaviour ?? '{}'))]))
}

interface BehaviourChange {
  document: BehaviourDocument
  /** The compiled behaviour; null removes it. */
  program: string | null
  /** A new hash, null for no password, undefined for the present one. */
  passwordHash: string | null | undefined
  /** Unix seconds. */
  now: number
}

/** Replaces the behaviour of a locked link and raises the link's version. */
export async function saveBehaviour(
  tx: Tx,
  { id, version }: LinkRow,
  { document, program, passwordHash, now }: BehaviourChange,
): Promise<void> {
  requireTrackedLink(tx, id)
  await tx
    .updateTable('link')
    .set({ behaviour: program, version: version + 1, updated_at: now })
    .where('id', '=', id)
    .execute()
  const text = JSON.stringify(document)
  if (program === null) await tx.deleteFrom('link_behaviour').where('link_id', '=', id).execute()
  else
    await tx
      .insertInto('link_behaviour')
      .values({ link_id: id, document: text })
      .onConflict((conflict) => conflict.column('link_id').doUpdateSet({ document: text }))
      .execute()
  await saveLimit(tx, id, document.max_clicks)
  if (passwordHash === null) await tx.deleteFrom('link_password').where('link_id', '=', id).execute()
  else if (passwordHash !== undefined)
    await tx
      .insertInto('link_password')
      .values({ link_id: id, hash: passwordHash })
      .onConflict((conflict) => conflict.column('link_id').doUpdateSet({ hash: passwordHash }))
      .execute()
}

interface NewStoredBehaviour {
  id: number
  document: BehaviourDocument
  clicksUsed: number
  /** Undefined without a password. */
  passwordHash: string | undefined
}

/** Stores the behaviours of new links, whose rows have the programs already. */
export async function insertBehaviours(tx: Tx, behaviours: readonly NewStoredBehaviour[]): Promise<void> {
  if (behaviours.length === 0) return
  await tx
    .insertInto('link_behaviour')
    .values(behaviours.map(({ id, document }) => ({ link_id: id, document: JSON.stringify(document) })))
    .execute()
  const limits = behaviours.flatMap(({ id, document: { max_clicks }, clicksUsed: used }) =>
    max_clicks === undefined ? [] : [{ link_id: id, max_clicks, used, reached: used < max_clicks ? 0 : 1 }],
  )
  if (limits.length > 0) await tx.insertInto('link_limit').values(limits).execute()
  const passwords = behaviours.flatMap(({ id, passwordHash: hash }) =>
    hash === undefined ? [] : [{ link_id: id, hash }],
  )
  if (passwords.length > 0) await tx.insertInto('link_password').values(passwords).execute()
}

/** An unchanged limit keeps its count; a changed one counts from now. */
async function saveLimit(tx: Tx, linkId: number, maxClicks: number | undefined): Promise<void> {
  await tx
    .deleteFrom('link_limit')
    .where('link_id', '=', linkId)
    .$if(maxClicks !== undefined, (query) => query.where('max_clicks', '!=', maxClicks ?? 0))
    .execute()
  if (maxClicks === undefined) return
  await tx
    .insertInto('link_limit')
    .values({ link_id: linkId, max_clicks: maxClicks, used: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Sets how many visitors of a link with a limit were let through. */
export async function setUsedVisits(tx: Tx, linkId: number, used: number): Promise<void> {
  const reached = sql<number>`case when ${used} < max_clicks then reached else 1 end`
  await tx.updateTable('link_limit').set({ used, reached }).where('link_id', '=', linkId).execute()
}

interface Visitors {
  linkId: number
  wanted: number
  /** Unix seconds. */
  now: number
}

/**
 * Counts up to `wanted` visitors of a link with a limit, in one transaction, and returns how many
 * of them get through: all of a link that has no limit any more. The last one adds an event
 * (L30.1).
 */
export async function reserveVisits(
  database: Database<Tables>,
  { linkId, wanted, now }: Visitors,
): Promise<number> {
  const { dialect } = database
  return database.write(async (tx) => {
    const query = tx
      .selectFrom('link_limit')
      .select(['max_clicks', 'used', 'reached'])
      .where('link_id', '=', linkId)
    const limit = await lockRows(dialect, query, 'link_id').executeTakeFirst()
    if (!limit) return wanted
    const reserved = Math.min(wanted, limit.max_clicks - limit.used)
    if (reserved <= 0) return reserved
    const used = limit.used + reserved
    await setUsedVisits(tx, linkId, used)
    if (used === limit.max_clicks && limit.reached === 0) {
      const state = (await readLinkStates(tx, dialect, [linkId])).get(linkId)
      await insertEvents(tx, dialect, [linkEvent('link.limit_reached', { id: linkId, state, at: now })])
    }
    return reserved
  })
}

/** Whether a visitor of a link with a limit would get through. */
export async function hasVisitsLeft(db: Kysely<Tables>, linkId: number): Promise<boolean> {
  const limit = await db
    .selectFrom('link_limit')
    .select(['max_clicks', 'used'])
    .where('link_id', '=', linkId)
    .executeTakeFirst()
  return !limit || limit.used < limit.max_clicks
}

/** Releases the visit of a visitor whose click could not be stored. */
export async function releaseVisit(database: Database<Tables>, linkId: number): Promise<void> {
  await database.write((tx) =>
    tx
      .updateTable('link_limit')
      .set((eb) => ({ used: eb('used', '-', 1) }))
      .where('link_id', '=', linkId)
      .where('used', '>', 0)
      .execute(),
  )
}

/** The password hash of a link; undefined for a link without one. */
export async function findPasswordHash(db: Kysely<Tables>, linkId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('link_password')
    .select('hash')
    .where('link_id', '=', linkId)
    .executeTakeFirst()
  return row?.hash
}
