import type { Db, RoomMessageRow } from '../db/tables.ts'
import { type RoomFile, toRoomFile } from '../files/schema.ts'
import { findFilesOf } from '../files/store.ts'
import { retainedAfterMs, readableAfterSeq } from '../rooms/history.ts'
import type { UserDisplay } from '../rooms/nickname.ts'
import type { UserRoomAccess } from '../rooms/access-store.ts'
import { avatarColorOf } from '../users/avatar-color.ts'
import { toMoment, toMomentOrNull } from '../api/wire.ts'
import { excerptOf } from './excerpt.ts'
import { type Mentions, findMentions } from './mention-store.ts'
import { mentionedIdsIn, withNames } from './mention-tokens.ts'
import { type ReactionCount, findOwnReactions, parseReactions } from './reaction-store.ts'
import type { EventMessage, Message } from './schema.ts'
import { type ReadableRange, authorIdsOf, findMessagesById, findUserDisplaysOf } from './store.ts'
import { avatarUrlOf } from '../users/picture-url.ts'

/** Reader of messages. */
export interface Reader extends ReadableRange {
  /** Null for readers of events, which do not show what is their own. */
  userId: string | null
}

/** Reader with this access. */
export function readerOf(access: UserRoomAccess, nowMs: number): Reader {
  const { roomId, userId, room } = access
  return { roomId, userId, afterSeq: readableAfterSeq(access), retainedAfterMs: retainedAfterMs(room, nowMs) }
}

/** Whether the reader may read a message of their room (R17.8). */
export function isReadable({ seq, created_at }: RoomMessageRow, reader: ReadableRange): boolean {
  return seq > reader.afterSeq && created_at > reader.retainedAfterMs
}

/** What messages show to all readers besides their own rows, read together for all of them. */
interface SharedRelations {
  displays: ReadonlyMap<string, UserDisplay>
  /** Messages that others reply to and that the reader may read, by id. */
  originals: ReadonlyMap<string, RoomMessageRow>
  /** People whom these messages mention. */
  mentions: Mentions
  /** Files of these messages, by message. */
  files: ReadonlyMap<string, readonly RoomFile[]>
}

/** What messages show to one reader. */
export interface MessageRelations extends SharedRelations {
  /** Emoji with which the reader has reacted, by message. */
  ownReactions: ReadonlyMap<string, ReadonlySet<string>>
}

/** Reads what messages relate to. Plain messages take one statement, for the displays of users. */
export async function loadRelations(
  db: Db,
  reader: Reader,
  rows: readonly RoomMessageRow[],
  otherUserIds: readonly string[] = [],
): Promise<MessageRelations> {
  const { roomId, userId } = reader
  const replies = rows.flatMap(({ reply_to }) => reply_to ?? [])
  const reacted = rows.filter(({ reactions }) => reactions !== null).map(({ id }) => id)
  const originals = (await findMessagesById(db, roomId, replies)).filter((row) => isReadable(row, reader))
  const ownReactions = userId === null ? new Map() : await findOwnReactions(db, userId, reacted)
  const displayed = [...rows, ...originals]
  const mentions = await loadMentions(db, displayed)
  const mentionedIds = [...mentions.values()].flatMap((ids) => [...ids])
  const userIds = [...authorIdsOf(displayed), ...mentionedIds, ...otherUserIds]
  return {
    displays: await findUserDisplaysOf(db, roomId, userIds),
    originals: new Map(originals.map((row) => [row.id, row])),
    mentions,
    files: await loadFiles(db, displayed),
    ownReactions,
  }
}

async function loadFiles(db: Db, rows: readonly RoomMessageRow[]): Promise<Map<string, readonly RoomFile[]>> {
  const messageIds = rows.filter(({ file_count }) => file_count !== null).map(({ id }) => id)
  const files = await findFilesOf(db, messageIds)
  return new Map([...files].map(([messageId, own]) => [messageId, own.map(toRoomFile)]))
}

/** People whom the texts of these messages name, as far as they could read them. */
async function loadMentions(db: Db, rows: readonly RoomMessageRow[]): Promise<Mentions> {
  const named = rows.map(({ id, content }) => ({ id, userIds: mentionedIdsIn(content ?? '') }))
  const naming = named.filter(({ userIds }) => userIds.length > 0)
  const userIds = new Set(naming.flatMap((message) => message.userIds))
  return findMentions(
    db,
    naming.map(({ id }) => id),
    [...userIds],
  )
}

/** Messages of one room as this reader sees them, in the same order. */
export async function viewMessages(
  db: Db,
  reader: Reader,
  rows: readonly RoomMessageRow[],
): Promise<Message[]> {
  const relations = await loadRelations(db, reader, rows)
  return rows.map((row) => toMessage(row, relations))
}

export async function viewMessage(db: Db, reader: Reader, row: RoomMessageRow): Promise<Message> {
  return toMessage(row, await loadRelations(db, reader, [row]))
}

export function toMessage(row: RoomMessageRow, relations: MessageRelations): Message {
  const message = toEventMessage(row, relations)
  return { ...message, reactions: withOwnReactions(message.reactions, relations.ownReactions.get(row.id)) }
}

/** Reactions for a reader who has reacted with the emoji in `own`. */
export function withOwnReactions(
  reactions: readonly ReactionCount[],
  own: ReadonlySet<string> | undefined,
): Message['reactions'] {
  return reactions.map((reaction) => ({ ...reaction, mine: own?.has(reaction.emoji) ?? false }))
}

export function toEventMessage(row: RoomMessageRow, relations: SharedRelations): EventMessage {
  const { displays, originals } = relations
  const author = displayOf(row, displays)
  return {
    id: row.id,
    roomId: row.room_id,
    seq: row.seq,
    // Both may still be stored for an erased account.
    userId: author ? row.user_id : null,
    nickname: nicknameOf(row, displays),
    avatarColor: author?.avatar_color ?? avatarColorOf(row.author_name),
    avatarUrl: avatarUrlOf(author?.picture_id),
    guest: row.author_guest === 1,
    authorRole: author?.role ?? null,
    content: row.content,
    replyTo: toReplyPreview(originals.get(row.reply_to ?? ''), relations),
    mentions: [...mentionedBy(row, relations)].map(([userId, nickname]) => ({ userId, nickname })),
    groupMention: row.group_mention,
    files: [...(relations.files.get(row.id) ?? [])],
    reactions: parseReactions(row.reactions),
    pinned: row.pinned_seq !== null,
    clientId: author ? row.client_id : null,
    createdAt: toMoment(row.created_at),
    editedAt: toMomentOrNull(row.edited_at),
    deletedAt: toMomentOrNull(row.deleted_at),
  }
}

function toReplyPreview(
  original: RoomMessageRow | undefined,
  relations: SharedRelations,
): Message['replyTo'] {
  if (!original) return null
  const { id, content } = original
  const names = mentionedBy(original, relations)
  const text = excerptOf(withNames(content ?? '', (userId) => names.get(userId)))
  const excerpt = content === null ? null : text || (relations.files.get(id)?.[0]?.name ?? '')
  return { id, nickname: nicknameOf(original, relations.displays), excerpt }
}

/** Names of the people whom a message mentions, by id, in the order of its text. */
function mentionedBy(
  { id, content }: RoomMessageRow,
  { mentions, displays }: SharedRelations,
): Map<string, string> {
  const names = new Map<string, string>()
  const own = mentions.get(id)
  if (!own) return names
  for (const userId of mentionedIdsIn(content ?? '')) {
    const display = own.has(userId) && displays.get(userId)
    if (display) names.set(userId, display.nickname)
  }
  return names
}

function displayOf(row: RoomMessageRow, displays: MessageRelations['displays']): UserDisplay | undefined {
  return displays.get(row.user_id ?? '')
}

function nicknameOf(row: RoomMessageRow, displays: MessageRelations['displays']): string {
  return displayOf(row, displays)?.nickname ?? row.author_name
}
