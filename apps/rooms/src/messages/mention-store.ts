import type { DialectName } from '@latchkey/database/url'
import { sql } from 'kysely'
import { rowsFrom } from '../db/json-rows.ts'
import type { Db, RoomMentionRow, Tx } from '../db/tables.ts'

/** In one statement: a mention of a group may reach thousands of people. */
export async function insertMentions(
  tx: Tx,
  dialect: DialectName,
  { message_id, room_id, seq, userIds }: Omit<RoomMentionRow, 'user_id'> & { userIds: readonly string[] },
): Promise<void> {
  await sql`insert into room_mentions (message_id, room_id, seq, user_id)
    select ${message_id}, ${room_id}, cast(${seq} as bigint), value ->> 0
    from ${rowsFrom(
      dialect,
      userIds.map((userId) => [userId]),
    )} where true`.execute(tx)
}

export async function deleteMentions(tx: Tx, messageId: string): Promise<void> {
  await tx.deleteFrom('room_mentions').where('message_id', '=', messageId).execute()
}

/** Ids of the people whom messages mention, by message. */
export type Mentions = ReadonlyMap<string, ReadonlySet<string>>

/** Which of these people each of these messages mentions. */
export async function findMentions(
  db: Db,
  messageIds: readonly string[],
  userIds: readonly string[],
): Promise<Mentions> {
  if (messageIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('room_mentions')
    .select(['message_id', 'user_id'])
    .where('message_id', 'in', messageIds)
    .where('user_id', 'in', userIds)
    .execute()
  const byMessage = Map.groupBy(rows, ({ message_id }) => message_id)
  return new Map([...byMessage].map(([id, own]) => [id, new Set(own.map(({ user_id }) => user_id))]))
}
