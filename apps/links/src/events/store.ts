import { type Database, lockKey } from '@latchkey/database/database'
import { type Insertable, type Kysely, type Selectable, sql } from 'kysely'
import type { Tables, Tx } from '../db/tables.ts'
import { toAddress } from '../live/click-store.ts'
import type { Event, EventClick, EventData, EventPage } from './schema.ts'
import type { EventType } from './types.ts'

export interface NewEvent {
  type: EventType
  /** Unix seconds. */
  at: number
  data: EventData
}

/** Any number that no other lock has. */
export const EVENT_LOCK = 4_771_320_025
/** Rows per statement. Engines accept some ten thousand parameters. */
const ROWS_PER_INSERT = 1_000
/** Limit of the clicks of an answer, unless a single event has more. */
const CLICKS_PER_PAGE = 2_000

/**
 * Stores events as a part of this transaction. Call it last: the events of others wait until the
 * transaction ends, so that they are committed in the order of their numbers.
 */
export async function insertEvents(
  tx: Tx,
  dialect: Database<Tables>['dialect'],
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length === 0) return
  await lockKey(dialect, tx, EVENT_LOCK)
  const rows = events.map(({ type, at, data }): Insertable<Tables['event']> => ({
    type,
    at,
    data: JSON.stringify(data),
    first_click: null,
    last_click: null,
  }))
  for (let first = 0; first < rows.length; first += ROWS_PER_INSERT)
    await tx
      .insertInto('event')
      .values(rows.slice(first, first + ROWS_PER_INSERT))
      .execute()
}

/** The numbers of the oldest and the newest event; 0 without events. */
export async function findEventRange(db: Kysely<Tables>): Promise<{ oldest: number; newest: number }> {
  const { rows } = await sql<{ oldest: number | null; newest: number | null }>`
    select (select min(seq) from event) as oldest, (select max(seq) from event) as newest`.execute(db)
  const { oldest, newest } = rows[0] ?? {}
  return { oldest: oldest ?? 0, newest: newest ?? 0 }
}

const IMPORTED: EventType = 'link.imported'

interface EventFilter {
  after: number
  /** Undefined for all types but `link.imported`. */
  types?: readonly EventType[] | undefined
  limit: number
}

/**
 * Events after a number, in order, up to `newest`. Readers who choose `link.imported` get it in the
 * place of all that imports change, and all others do not get it.
 */
export async function readEvents(
  { read }: Pick<Database<Tables>, 'read'>,
  { after, types, limit }: EventFilter,
  newest: number,
): Promise<EventPage> {
  if (newest <= after) return { events: [], last_seq: after }
  if (types?.length === 0) return { events: [], last_seq: newest }
  const rows = await selectEvents(read, { after, types, limit }, newest)
  const events: Event[] = []
  let clickCount = 0
  for (const row of rows) {
    clickCount += clickCountOf(row)
    if (events.length > 0 && clickCount > CLICKS_PER_PAGE) break
    events.push(await toEvent(read, row))
  }
  const isComplete = events.length === rows.length && rows.length < limit
  return { events, last_seq: isComplete ? newest : (events.at(-1)?.seq ?? newest) }
}

type EventRow = Selectable<Tables['event']>

/** The event with this number; undefined once it is not stored any more. */
export async function findEvent(read: Kysely<Tables>, seq: number): Promise<Event | undefined> {
  const row = await read.selectFrom('event').selectAll().where('seq', '=', seq).executeTakeFirst()
  return row && toEvent(read, row)
}
type StoredClick = Omit<EventClick, 'domain' | 'legacy_path'> & { legacy_path: string | null }

async function selectEvents(
  read: Kysely<Tables>,
  { after, types, limit }: EventFilter,
  newest: number,
): Promise<EventRow[]> {
  const next = sql`seq > ${after} and seq <= ${newest} order by seq limit ${limit}`
  // In JSON, no text holds a quote that is not escaped.
  const notByImport = types?.includes(IMPORTED) ? sql`and data not like '%"via":"import"%'` : sql``
  // Each type follows its index: few events may be spread among millions.
  const ofTypes = types?.map((type) => {
    const matches = sql`type = ${type} ${type === IMPORTED ? sql`` : notByImport} and ${next}`
    return sql`select * from (select * from event where ${matches}) as one`
  })
  const source = ofTypes
    ? sql`(${sql.join(ofTypes, sql` union all `)}) as event`
    : sql`(select * from event where type <> ${IMPORTED} and ${next}) as event`
  return (await sql<EventRow>`select * from ${source} where ${next}`.execute(read)).rows
}

function clickCountOf({ first_click: first, last_click: last }: EventRow): number {
  return first === null || last === null ? 0 : last - first + 1
}

async function toEvent(read: Kysely<Tables>, { first_click, last_click, ...row }: EventRow): Promise<Event> {
  const data = JSON.parse(row.data) as EventData
  if (first_click === null || last_click === null) return { ...row, data }
  const { rows } = await sql<StoredClick>`
    select id, link_id, slug, clicked_at, country, device_type, os, browser, legacy_path from click
    where id between ${first_click} and ${last_click} order by id`.execute(read)
  const clicks = rows.map(toAddress)
  return { ...row, data: { ...data, clicks } }
}

/** Events are stored for this long, and at most this many of them. */
const MAX_AGE_SECONDS = 7 * 86_400
const MAX_EVENTS = 1_000_000
/** Events per transaction, few enough not to delay other writers. */
const EVENTS_PER_STEP = 2_000

/**
 * Deletes old events, in small transactions. The last of them stays, so that a reader who has it
 * goes on without a gap.
 */
export async function deleteOldEvents(database: Database<Tables>, now: number): Promise<void> {
  const { newest } = await findEventRange(database.read)
  const young = await database.read
    .selectFrom('event')
    .select('seq')
    .where('seq', '>', newest - MAX_EVENTS)
    .where('at', '>=', now - MAX_AGE_SECONDS)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst()
  const end = young?.seq ?? newest + 1
  const last = await database.read
    .selectFrom('event')
    .select('seq')
    .where('seq', '<', end)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (!last) return
  for (;;) {
    const { numDeletedRows } = await database.write((tx) =>
      tx
        .deleteFrom('event')
        .where('seq', 'in', (eb) =>
          eb
            .selectFrom('event')
            .select('seq')
            .where('seq', '<', last.seq)
            .orderBy('seq')
            .limit(EVENTS_PER_STEP),
        )
        .executeTakeFirst(),
    )
    if (numDeletedRows < BigInt(EVENTS_PER_STEP)) return
    // Writing to a file does not yield to the event loop.
    await new Promise((resolve) => setImmediate(resolve))
  }
}
