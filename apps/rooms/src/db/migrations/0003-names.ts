import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/** Names stay with the accounts: takes those away that messages and events were stored with (docs/decisions/0014). */
export const names: Migration = async (tx, dialect) => {
  await sql`update room_messages set author_name = '#' || coalesce(substr(user_id, 1, 4), '')`.execute(tx)
  const unnamed =
    dialect === 'sqlite'
      ? sql`json_remove(data, '$.person.nickname', '$.person.avatarColor')`
      : sql`(data::jsonb #- '{person,nickname}' #- '{person,avatarColor}')::text`
  await sql`update room_events set data = ${unnamed} where type like 'member.%'`.execute(tx)
}
