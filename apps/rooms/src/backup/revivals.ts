import type { ComparedTables, Revival } from '@latchkey/database/backup/comparison'
import { sql } from 'kysely'
import { ERASED_PREFIX } from '../users/store.ts'

/** What `revivals` reads of the replaced and of the restored database. */
export const compared: ComparedTables = {
  users: ['id', 'nickname', 'is_guest', 'disabled'],
  platform_state: ['key'],
  role_grants: ['user_id', 'role', 'scope_id', 'source'],
  rooms: ['id', 'kind', 'name', 'visibility'],
  room_members: ['room_id', 'user_id', 'role'],
  room_bans: ['room_id', 'user_id', 'kind', 'expires_at'],
  room_invitations: ['id', 'room_id', 'declined_at'],
  room_messages: ['id', 'room_id', 'seq', 'deleted_at'],
  files: ['id', 'room_id', 'name'],
}

/** An account that is neither deleted nor being erased. */
const replacedAccount = sql`replaced_users as account where account.id = restored.id and not exists (
  select 1 from replaced_platform_state where key = ${sql.lit(ERASED_PREFIX)} || account.id)`

/** The name of a room, of which a direct conversation has none. */
const roomName = (
  id: string,
) => sql`(select case when kind = 'direct' then 'a direct conversation' else name end
  from restored_rooms where restored_rooms.id = ${sql.ref(id)})`

const nickname = (id: string) =>
  sql`(select nickname from restored_users where restored_users.id = ${sql.ref(id)})`

/** What was ended since the copy was made, and works again. */
export const revivals: readonly Revival[] = [
  {
    what: 'accounts and guests that were erased',
    query: sql`select nickname || ' (' || id || ')' as name from restored_users as restored
      where not exists (select 1 from ${replacedAccount}) order by id`,
  },
  {
    what: 'accounts that were disabled',
    query: sql`select restored.nickname || ' (' || restored.id || ')' as name
      from restored_users as restored join replaced_users as replaced on replaced.id = restored.id
      where restored.disabled = 0 and replaced.disabled = 1 and exists (select 1 from ${replacedAccount})
      order by restored.id`,
  },
  {
    what: 'roles of the platform that were revoked',
    query: sql`select ${nickname('restored.user_id')} || ': ' || role as name from restored_role_grants as restored
      where not exists (select 1 from replaced_role_grants as replaced
        where replaced.user_id = restored.user_id and replaced.role = restored.role
          and replaced.scope_id = restored.scope_id and replaced.source = restored.source)
      order by user_id, role`,
  },
  {
    what: 'bans and kicks that are missing',
    query: sql`select coalesce(${nickname('replaced.user_id')}, replaced.user_id) || ' in '
        || ${roomName('replaced.room_id')} as name
      from replaced_room_bans as replaced
      where exists (select 1 from restored_rooms where id = replaced.room_id)
        and not exists (select 1 from restored_room_bans as restored
          where restored.room_id = replaced.room_id and restored.user_id = replaced.user_id)
      order by replaced.room_id, replaced.user_id`,
  },
  {
    what: 'memberships that were ended or had another role',
    query: sql`select ${nickname('restored.user_id')} || ' in ' || ${roomName('restored.room_id')} as name
      from restored_room_members as restored where not exists (select 1 from replaced_room_members as replaced
        where replaced.room_id = restored.room_id and replaced.user_id = restored.user_id
          and replaced.role = restored.role)
      order by restored.room_id, restored.user_id`,
  },
  {
    what: 'rooms that were deleted',
    query: sql`select ${roomName('restored.id')} || ' (' || restored.id || ')' as name from restored_rooms as restored
      where not exists (select 1 from replaced_rooms where id = restored.id) order by restored.id`,
  },
  {
    what: 'rooms that were shown to fewer people',
    query: sql`select restored.name || ' (' || restored.id || ')' as name
      from restored_rooms as restored join replaced_rooms as replaced on replaced.id = restored.id
      where restored.visibility <> replaced.visibility
        and (replaced.visibility = 'private' or restored.visibility = 'public') order by restored.id`,
  },
  {
    what: 'invitations that were ended',
    query: sql`select restored.id || ' to ' || ${roomName('restored.room_id')} as name
      from restored_room_invitations as restored where not exists (
        select 1 from replaced_room_invitations as replaced
        where replaced.id = restored.id and (replaced.declined_at is null or restored.declined_at is not null))
      order by restored.id`,
  },
  {
    what: 'messages that were deleted',
    query: sql`select cast(restored.seq as text) || ' in ' || ${roomName('restored.room_id')} as name
      from restored_room_messages as restored where restored.deleted_at is null and not exists (
        select 1 from replaced_room_messages as replaced
        where replaced.id = restored.id and replaced.deleted_at is null)
      order by restored.room_id, restored.seq`,
  },
  {
    what: 'files that were deleted',
    query: sql`select restored.name || ' in ' || ${roomName('restored.room_id')} as name
      from restored_files as restored
      where not exists (select 1 from replaced_files where id = restored.id) order by restored.id`,
  },
]
