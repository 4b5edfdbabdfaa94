import type { Db, RoomMentionRow, Tx } from '../db/tables.ts'

/** Rows in one statement, within the number of parameters that both engines accept. */
const BATCH_ROWS = 500

export async function insertMentions(
  tx: Tx,
  { userIds, ...message }: Omit<RoomMentionRow, 'user_id'> & { userIds: readonly string[] },
): Promise<void> {
  for (let start = 0; start < userIds.length; start += BATCH_ROWS) {
    const batch = userIds.slice(start, start + BATCH_ROWS)
    await tx
      .insertInto('room_mentions')
      .values(batch.map((user_id) => ({ ...message, user_id })))
      .execute()
  }
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
