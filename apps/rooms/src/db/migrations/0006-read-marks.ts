import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/**
 * New messages of members begin at their marks alone, which are older than their joining only if they
 * move them back.
 */
export const readMarks: Migration = async (tx) => {
  await sql`update room_user_states set last_read_seq = (
      select joined_seq from room_members
      where room_members.room_id = room_user_states.room_id and room_members.user_id = room_user_states.user_id
    )
    where exists (
      select 1 from room_members
      where room_members.room_id = room_user_states.room_id and room_members.user_id = room_user_states.user_id
        and room_members.joined_seq > room_user_states.last_read_seq
    )`.execute(tx)
}
