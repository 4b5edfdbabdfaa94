import { containsText, inList } from '@latchkey/database/database'
import { sql } from 'kysely'
import type { Flag } from '../db/flag.ts'
import type { StoredUserRow } from '../db/user-rows.ts'
import type { Db, ReadDatabase, Tx } from '../db/tables.ts'
import { NODE_SILENT_MS } from '../rooms/nodes.ts'
import { isAccount } from '../users/store.ts'

/** Columns of the status of a person. */
export interface StatusRow extends Pick<StoredUserRow, 'status_text' | 'status_emoji' | 'status_until'> {
  away: Flag
}

/** Columns of a `ListedPerson`. */
export interface ListedPersonRow
  extends StatusRow, Pick<StoredUserRow, 'id' | 'nickname' | 'avatar_color' | 'picture_id'> {
  title: string | null
  time_zone: string | null
  search_name: string
  /** Whether the person has a connection or is in a room. */
  is_online: boolean
}

/** Enabled member accounts. */
function queryPeople(db: Db, nowMs: number) {
  return db
    .selectFrom('users')
    .select([
      'id',
      'nickname',
      'avatar_color',
      'picture_id',
      'title',
      'time_zone',
      'search_name',
      'status_text',
      'status_emoji',
      'status_until',
      'away',
    ])
    .select((eb) =>
      eb
        .case()
        .when(
          eb.or([
            eb.exists(
              eb
                .selectFrom('online_users')
                .innerJoin('nodes', 'nodes.node_id', 'online_users.node_id')
                .select('online_users.user_id')
                .whereRef('online_users.user_id', '=', 'users.id')
                .where('nodes.heartbeat', '>', nowMs - NODE_SILENT_MS),
            ),
            eb.exists(
              eb
                .selectFrom('presence_leases')
                .select('presence_leases.user_id')
                .whereRef('presence_leases.user_id', '=', 'users.id')
                .where('presence_leases.expires_at', '>', nowMs),
            ),
          ]),
        )
        .then(1)
        .else(0)
        .end()
        .as('online'),
    )
    .where('is_guest', '=', 0)
    .where('disabled', '=', 0)
    .where(isAccount())
}

function toRow<Row extends { online: number }>({ online, ...row }: Row) {
  return { ...row, is_online: online === 1 }
}

/** Position in the list of people: the folded name and the id. */
export type NamePosition = readonly [name: string, id: string]

/** A page of people by name, with `part` in their names. `part` must be folded; empty matches all. */
export async function selectPeoplePage(
  { read, dialect }: ReadDatabase,
  {
    part,
    after,
    limit,
    nowMs,
  }: { part: string; after: NamePosition | undefined; limit: number; nowMs: number },
): Promise<ListedPersonRow[]> {
  const rows = await queryPeople(read, nowMs)
    .$if(part !== '', (query) => query.where(containsText(dialect, 'search_name', part)))
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(search_name, id) > (${after?.[0]}, ${after?.[1]})`),
    )
    .orderBy('search_name')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(toRow)
}

/** The people of the list among these users. */
export async function findPeople(
  { read, dialect }: ReadDatabase,
  userIds: readonly string[],
  nowMs: number,
): Promise<ListedPersonRow[]> {
  if (userIds.length === 0) return []
  const rows = await queryPeople(read, nowMs)
    .where(inList(dialect, 'id', userIds))
    .execute()
  return rows.map(toRow)
}

/** Rooms of which both are members, the last active first. */
export async function selectSharedRooms(
  db: Db,
  [one, other]: readonly [string, string],
  limit: number,
): Promise<{ id: string; name: string }[]> {
  const roomsOf = (userId: string) =>
    db
      .selectFrom('room_members')
      .select('room_id')
      .where('user_id', '=', userId)
      .union(db.selectFrom('rooms').select('id as room_id').where('owner_id', '=', userId))
  return db
    .selectFrom('rooms')
    .select(['id', 'name'])
    .where('kind', '=', 'room')
    .where('id', 'in', roomsOf(one))
    .where('id', 'in', roomsOf(other))
    .orderBy('active_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** What a person shows of themselves, as it is stored. */
export interface ProfileRow
  extends
    StatusRow,
    Pick<StoredUserRow, 'title' | 'time_zone' | 'picture_id' | 'picture_sha256' | 'picture_bytes'> {}

export async function findProfile(db: Db, userId: string): Promise<ProfileRow> {
  return db
    .selectFrom('users')
    .select([
      'title',
      'time_zone',
      'picture_id',
      'picture_sha256',
      'picture_bytes',
      'status_text',
      'status_emoji',
      'status_until',
      'away',
    ])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
}

/** Returns whether the account still exists. */
export async function updateProfileOf(
  tx: Tx,
  userId: string,
  changes: Partial<ProfileRow>,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('users')
    .set(changes)
    .where('id', '=', userId)
    .where(isAccount())
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function findPicture(
  db: Db,
  pictureId: string,
): Promise<{ sha256: string; bytes: number } | undefined> {
  const row = await db
    .selectFrom('users')
    .select(['picture_sha256', 'picture_bytes'])
    .where('picture_id', '=', pictureId)
    .where(isAccount())
    .executeTakeFirst()
  return row?.picture_sha256 && row.picture_bytes
    ? { sha256: row.picture_sha256, bytes: row.picture_bytes }
    : undefined
}

const BATCH_ROWS = 500

/** Deletes statuses that have ended, and returns whose they were. */
export async function deleteEndedStatuses(tx: Tx, nowMs: number): Promise<string[]> {
  const ended = tx.selectFrom('users').select('id').where('status_until', '<=', nowMs).limit(BATCH_ROWS)
  const rows = await tx
    .updateTable('users')
    .set({ status_text: null, status_emoji: null, status_until: null, away: 0 })
    .where('id', 'in', ended)
    .where('status_until', '<=', nowMs)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}
