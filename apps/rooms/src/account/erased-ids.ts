import { sql } from 'kysely'
import type { Tx } from '../db/tables.ts'
import { findState, saveState } from '../platform/store.ts'

/** Prefix of the keys that list ids of erased accounts, which events may still contain. */
const ID_PREFIX = 'erased-id.'
/** Key of the progress of a sweep. */
const SWEEP_KEY = 'erased-ids'

/** Columns with JSON that may contain the ids of any people, and the key that orders their rows. */
const COLUMNS = [
  { table: 'room_events', column: 'data', key: ['room_id', 'seq'] },
  { table: 'audit_events', column: 'metadata', key: ['created_at', 'id'] },
] as const

const MAX_IDS = 1_000
/** Rows that one transaction reads: few enough not to delay other writers. */
const BATCH_ROWS = 2_000

interface Sweep {
  ids: string[]
  /** Index in `COLUMNS`. */
  at: number
  after: readonly [unknown, unknown] | null
}

/** Has the id removed from events by the next sweep. */
export function enqueueErasedId(tx: Tx, userId: string, nowMs: number): Promise<void> {
  return saveState(tx, ID_PREFIX + userId, '', nowMs)
}

/**
 * Replaces the ids of erased accounts in the log of rooms and in the audit log, in batches. One sweep
 * serves all accounts that were erased before it began: no index finds an id in JSON.
 */
export async function sweepErasedIds(tx: Tx, nowMs: number): Promise<'more' | void> {
  const stored = await findState(tx, SWEEP_KEY)
  const sweep = stored === undefined ? await beginSweep(tx) : (JSON.parse(stored) as Sweep)
  if (sweep.ids.length === 0) return
  const source = COLUMNS[sweep.at]
  if (!source) return endSweep(tx, sweep)
  const rows = await readBatch(tx, source, sweep)
  const ids = new Set(sweep.ids)
  for (const { first, second, value } of rows) {
    const replaced = value.replaceAll(UUID, (id) => (ids.has(id) ? anonymousId(id) : id))
    if (replaced !== value)
      await sql`
        update ${sql.table(source.table)} set ${sql.ref(source.column)} = ${replaced}
        where ${sql.ref(source.key[0])} = ${first} and ${sql.ref(source.key[1])} = ${second}`.execute(tx)
  }
  const last = rows.length < BATCH_ROWS ? undefined : rows.at(-1)
  const next = last
    ? { ...sweep, after: [last.first, last.second] }
    : { ...sweep, at: sweep.at + 1, after: null }
  await saveState(tx, SWEEP_KEY, JSON.stringify(next), nowMs)
  return 'more'
}

const UUID = /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g

/** An id that keeps only the four digits of the name of a deleted user (`deletedUserName`). */
function anonymousId(userId: string): string {
  return `${userId.slice(0, 4)}0000-0000-0000-0000-000000000000`
}

async function beginSweep(tx: Tx): Promise<Sweep> {
  const rows = await tx
    .selectFrom('platform_state')
    .select('key')
    .where('key', 'like', `${ID_PREFIX}%`)
    .orderBy('key')
    .limit(MAX_IDS)
    .execute()
  return { ids: rows.map(({ key }) => key.slice(ID_PREFIX.length)), at: 0, after: null }
}

async function endSweep(tx: Tx, { ids }: Sweep): Promise<void> {
  const keys = [SWEEP_KEY, ...ids.map((id) => ID_PREFIX + id)]
  await tx.deleteFrom('platform_state').where('key', 'in', keys).execute()
}

interface Row {
  first: unknown
  second: unknown
  value: string
}

async function readBatch(
  tx: Tx,
  { table, column, key: [first, second] }: (typeof COLUMNS)[number],
  { after }: Sweep,
): Promise<Row[]> {
  const isLater = after
    ? sql`where (${sql.ref(first)}, ${sql.ref(second)}) > (${after[0]}, ${after[1]})`
    : sql``
  const { rows } = await sql<Row>`
    select ${sql.ref(first)} as first, ${sql.ref(second)} as second, ${sql.ref(column)} as value
    from ${sql.table(table)} ${isLater}
    order by ${sql.ref(first)}, ${sql.ref(second)} limit ${BATCH_ROWS}`.execute(tx)
  return rows
}
