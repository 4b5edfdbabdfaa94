import type { Context } from '../api/context.ts'
import type { Tx } from '../db/tables.ts'
import {
  type UserRoomAccess,
  findAccessOfMembersAndBanned,
  findAccessOfParticipants,
  findAccessOfUsers,
} from '../rooms/access-store.ts'
import { readableAfterSeq } from '../rooms/history.ts'
import { decideEntry, may } from '../rooms/permissions.ts'
import { deleteMentions, insertMentions } from './mention-store.ts'
import { type MentionedGroup, mentionedGroupIn, mentionedIdsIn } from './mention-tokens.ts'
import type { LiveMessage } from './store.ts'

/** Group that a text of this author mentions; null if the author may not mention it. */
export function permittedGroup(content: string, author: UserRoomAccess): MentionedGroup | null {
  return may('mention_group', author) ? mentionedGroupIn(content) : null
}

/**
 * Stores whom a message mentions: people of the room who may read it, by name or as part of a
 * group. Returns whether it mentions anyone or anything; most messages take no statement.
 */
export async function storeMentions(
  tx: Tx,
  { database: { dialect }, now: nowMs }: Context,
  message: LiveMessage,
): Promise<boolean> {
  if (!hasMentions(message)) return false
  const { id: message_id, room_id, seq, user_id, content } = message
  const query = { roomId: room_id, userIds: mentionedIdsIn(content), nowMs }
  const named = await findAccessOfUsers({ read: tx, dialect }, query)
  const group = await findGroup(tx, message, nowMs)
  const accesses = [...named, ...group.filter(({ userId }) => userId !== user_id)]
  const userIds = accesses.filter((access) => mayRead(access, seq)).map(({ userId }) => userId)
  await insertMentions(tx, dialect, { message_id, room_id, seq, userIds: [...new Set(userIds)] })
  return true
}

/** Stores whom a message mentions after an edit. */
export async function replaceMentions(
  tx: Tx,
  context: Context,
  { before, after }: { before: LiveMessage; after: LiveMessage },
): Promise<void> {
  if (hasMentions(before)) await deleteMentions(tx, before.id)
  await storeMentions(tx, context, after)
}

/** Whether a member or visitor of the room may read the message with this sequence number. */
function mayRead(access: UserRoomAccess, seq: number): boolean {
  const isKnown = access.role !== null || access.visit !== null
  return isKnown && decideEntry(access) === 'yes' && readableAfterSeq(access) < seq
}

function hasMentions({ content, group_mention }: LiveMessage): boolean {
  return group_mention !== null || mentionedIdsIn(content).length > 0
}

async function findGroup(
  tx: Tx,
  { room_id, group_mention }: LiveMessage,
  nowMs: number,
): Promise<UserRoomAccess[]> {
  if (group_mention === null) return []
  if (group_mention === 'here') return findAccessOfParticipants(tx, room_id, nowMs)
  const accesses = await findAccessOfMembersAndBanned(tx, room_id, nowMs)
  return accesses.filter(({ role }) => role !== null)
}
