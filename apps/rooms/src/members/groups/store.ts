import type { DialectName } from '@latchkey/database/url'
import { inList } from '@latchkey/database/database'
import { lockRows } from '@latchkey/database/locks'
import { sql } from 'kysely'
import { MEMBER_ROLES, type MemberRole } from '../../api/roles.ts'
import { rowsFrom } from '../../db/json-rows.ts'
import type { Db, RoomGroupRow, RoomMemberRow, RoomRow, Tx } from '../../db/tables.ts'
import { isLiveBan } from '../../rooms/access-store.ts'

/** The groups of a room, by name. */
export async function selectGroups(db: Db, roomId: string): Promise<RoomGroupRow[]> {
  return db.selectFrom('room_groups').selectAll().where('room_id', '=', roomId).orderBy('name').execute()
}

/** Replaces the groups of a locked room. */
export async function putGroups(tx: Tx, roomId: string, groups: readonly RoomGroupRow[]): Promise<void> {
  await tx.deleteFrom('room_groups').where('room_id', '=', roomId).execute()
  if (groups.length > 0) await tx.insertInto('room_groups').values(groups).execute()
}

/** A room in which groups give the person something, or did. */
export interface RoomOfGroups {
  room: Pick<RoomRow, 'id' | 'default_role' | 'visibility' | 'last_seq'>
  isArchived: boolean
  /** The group of the person with the highest role. */
  group: { name: string; role: MemberRole } | null
  membership: Pick<RoomMemberRow, 'role' | 'group_name' | 'own_role'> | null
  /** The role that was set for the person by hand. */
  handRole: MemberRole | null
  /** The person left by choice, or is kept out. */
  staysOut: boolean
}

/** Sorts before names: the lowest text is the highest role. */
const RANKED = sql<string>`case role
  ${sql.join(
    MEMBER_ROLES.map((role, rank) => sql`when ${sql.lit(role)} then ${sql.lit(String(rank))}`),
    sql` `,
  )} end || name`

/** The rooms with the best of these groups, and those in which a group has made the person a member. */
function queryCandidates(
  { dialect, read: db }: { dialect: DialectName; read: Db },
  userId: string,
  groups: readonly string[],
) {
  const concerned = db
    .selectFrom('room_groups')
    .select(['room_id', sql<string | null>`min(${RANKED})`.as('best')])
    .where(inList(dialect, 'name', groups))
    .groupBy('room_id')
    .unionAll(
      db
        .selectFrom('room_members')
        .select(['room_id', sql<string | null>`null`.as('best')])
        .where('user_id', '=', userId)
        .where('group_name', 'is not', null),
    )
    .as('concerned')
  return db
    .selectFrom(concerned)
    .select(['concerned.room_id', sql<string | null>`max(concerned.best)`.as('best')])
    .groupBy('concerned.room_id')
    .as('candidate')
}

/** All rooms with one of these groups or with a membership of the person by a group, unless they own it. */
export async function selectRoomsOfGroups(
  { dialect, read: db }: { dialect: DialectName; read: Db },
  { userId, groups, nowMs }: { userId: string; groups: readonly string[]; nowMs: number },
): Promise<RoomOfGroups[]> {
  const rows = await db
    .selectFrom(queryCandidates({ dialect, read: db }, userId, groups))
    .innerJoin('rooms', 'rooms.id', 'candidate.room_id')
    .leftJoin('room_members', (join) =>
      join.onRef('room_members.room_id', '=', 'rooms.id').on('room_members.user_id', '=', userId),
    )
    .leftJoin('room_user_states', (join) =>
      join.onRef('room_user_states.room_id', '=', 'rooms.id').on('room_user_states.user_id', '=', userId),
    )
    .leftJoin('room_manual_roles', (join) =>
      join.onRef('room_manual_roles.room_id', '=', 'rooms.id').on('room_manual_roles.user_id', '=', userId),
    )
    .leftJoin('room_bans', (join) =>
      join
        .onRef('room_bans.room_id', '=', 'rooms.id')
        .on('room_bans.user_id', '=', userId)
        .on(isLiveBan(nowMs)),
    )
    .select([
      'candidate.best',
      'rooms.id',
      'rooms.default_role',
      'rooms.visibility',
      'rooms.last_seq',
      'rooms.archived_at',
      'room_members.role',
      'room_members.group_name',
      'room_members.own_role',
      'room_user_states.left_at',
      'room_manual_roles.role as hand_role',
      'room_bans.kind as ban_kind',
    ])
    .where('rooms.owner_id', 'is distinct from', userId)
    .orderBy('rooms.id')
    .execute()
  return rows.map(({ best, id, default_role, visibility, last_seq, archived_at, ...own }) => ({
    room: { id, default_role, visibility, last_seq },
    isArchived: archived_at !== null,
    group: toGroup(best),
    membership: own.role && { role: own.role, group_name: own.group_name, own_role: own.own_role },
    handRole: own.hand_role,
    staysOut: own.left_at !== null || own.ban_kind !== null,
  }))
}

function toGroup(ranked: string | null): RoomOfGroups['group'] {
  const role = MEMBER_ROLES[Number(ranked?.[0])]
  return ranked === null || role === undefined ? null : { name: ranked.slice(1), role }
}

/** Locks these rooms like `lockRoom`, in one statement and in ascending order. */
export async function lockRooms(dialect: DialectName, tx: Tx, roomIds: readonly string[]): Promise<void> {
  if (roomIds.length === 0) return
  await lockRows(
    dialect,
    tx
      .selectFrom('rooms')
      .select('id')
      .where(inList(dialect, 'id', roomIds)),
    'id',
  ).execute()
}

/** Stores memberships of a person in locked rooms, whether or not there was one. */
export async function putGroupMembers(
  dialect: DialectName,
  tx: Tx,
  members: readonly RoomMemberRow[],
): Promise<void> {
  const rows = members.map((row) => [
    row.room_id,
    row.user_id,
    row.role,
    row.joined_at,
    row.joined_seq,
    row.group_name,
    row.own_role,
  ])
  await sql`
    insert into room_members (room_id, user_id, role, joined_at, joined_seq, group_name, own_role)
    select value ->> 0, value ->> 1, value ->> 2, cast(value ->> 3 as bigint), cast(value ->> 4 as bigint),
      value ->> 5, value ->> 6
    from ${rowsFrom(dialect, rows)}
    where true
    on conflict (room_id, user_id) do update
      set role = excluded.role, group_name = excluded.group_name, own_role = excluded.own_role`.execute(tx)
}

/** Begins what is new to a person who joins these rooms, where an earlier mark would say otherwise. */
export async function beginStates(
  dialect: DialectName,
  tx: Tx,
  { userId, roomIds }: { userId: string; roomIds: readonly string[] },
): Promise<void> {
  const joinedSeq = sql<number>`(select joined_seq from room_members
    where room_members.room_id = room_user_states.room_id and room_members.user_id = room_user_states.user_id)`
  await tx
    .updateTable('room_user_states')
    .set({ last_read_seq: joinedSeq })
    .where('user_id', '=', userId)
    .where(inList(dialect, 'room_id', roomIds))
    .where('last_read_seq', '<', joinedSeq)
    .execute()
}

/** Ends memberships of a person in locked rooms, with what they have begun to write there. */
export async function deleteGroupMembers(
  dialect: DialectName,
  tx: Tx,
  { userId, roomIds }: { userId: string; roomIds: readonly string[] },
): Promise<void> {
  for (const table of ['room_members', 'room_drafts'] as const)
    await tx
      .deleteFrom(table)
      .where('user_id', '=', userId)
      .where(inList(dialect, 'room_id', roomIds))
      .execute()
}
