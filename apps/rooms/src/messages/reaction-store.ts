import { sql } from 'kysely'
import type { Db, RoomReactionRow, Tx } from '../db/tables.ts'

/** Emoji of a message with the number of people who reacted with it. */
export interface ReactionCount {
  emoji: string
  count: number
}

/** Counts in a row of `room_messages`. */
export function parseReactions(stored: string | null): ReactionCount[] {
  return stored === null ? [] : (JSON.parse(stored) as ReactionCount[])
}

/** Emoji with which this user has reacted to these messages, by message. */
export async function findOwnReactions(
  db: Db,
  userId: string,
  messageIds: readonly string[],
): Promise<Map<string, Set<string>>> {
  const own = new Map<string, Set<string>>()
  if (messageIds.length === 0) return own
  const rows = await db
    .selectFrom('room_reactions')
    .select(['message_id', 'emoji'])
    .where('message_id', 'in', messageIds)
    .where('user_id', '=', userId)
    .execute()
  for (const { message_id, emoji } of rows) own.set(message_id, (own.get(message_id) ?? new Set()).add(emoji))
  return own
}

interface ReactionPage {
  messageId: string
  /** Undefined for all. */
  emoji: string | undefined
  afterSeq: number
  limit: number
}

/** Reactions to a message after this number, in the order in which they were added. */
export async function selectReactions(
  db: Db,
  { messageId, emoji, afterSeq, limit }: ReactionPage,
): Promise<RoomReactionRow[]> {
  return db
    .selectFrom('room_reactions')
    .selectAll()
    .where('message_id', '=', messageId)
    .where('seq', '>', afterSeq)
    .$if(emoji !== undefined, (query) => query.where('emoji', '=', emoji ?? ''))
    .orderBy('seq')
    .limit(limit)
    .execute()
}

export async function insertReaction(tx: Tx, reaction: RoomReactionRow): Promise<void> {
  await tx.insertInto('room_reactions').values(reaction).execute()
}

export async function deleteReaction(
  tx: Tx,
  reaction: { messageId: string; userId: string; emoji: string },
): Promise<void> {
  await tx
    .deleteFrom('room_reactions')
    .where('message_id', '=', reaction.messageId)
    .where('user_id', '=', reaction.userId)
    .where('emoji', '=', reaction.emoji)
    .execute()
}

/** Stores the counts of all reactions to a message in its row, and returns them. */
export async function countReactions(tx: Tx, messageId: string): Promise<ReactionCount[]> {
  const counts = await tx
    .selectFrom('room_reactions')
    .select(['emoji', (eb) => eb.fn.countAll<number>().as('count')])
    .where('message_id', '=', messageId)
    .groupBy('emoji')
    .orderBy(sql`min(seq)`)
    .execute()
  const reactions = counts.length === 0 ? null : JSON.stringify(counts)
  await tx.updateTable('room_messages').set({ reactions }).where('id', '=', messageId).execute()
  return counts
}
