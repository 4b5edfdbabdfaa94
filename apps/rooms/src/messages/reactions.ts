import { type Context, operation } from '../api/context.ts'
import type { RoomReactionRow, Tx } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import type { RoomEvent } from '../api/cluster-events.ts'
import { ENTRY_REFUSALS, VISIT_REFUSALS } from '../rooms/admission.ts'
import { findSeqPage } from '../api/paging.ts'
import { toPerson } from '../rooms/schema.ts'
import { requirePlace } from '../rooms/visits.ts'
import {
  type MessageAccess,
  type MessageKey,
  appendMessageEvent,
  findReadableMessage,
  lockMessage,
  requireNotDeleted,
} from './change.ts'
import { qualifyEmoji } from './emoji.ts'
import {
  type ReactionCount,
  countReactions,
  deleteReaction,
  findOwnReactions,
  insertReaction,
  selectReactions,
  parseReactions,
} from './reaction-store.ts'
import { MessageParams, ReactionParams, ReactionQuery, Reactions, ReactionsAnswer } from './schema.ts'
import { findUserDisplaysOf } from './store.ts'
import { withOwnReactions } from './view.ts'

const tag = 'Messages'
const path = '/rooms/{id}/messages/{messageId}/reactions/{emoji}'

const listReactions = operation({
  id: 'listReactions',
  methods: ['GET'],
  path: '/rooms/{id}/messages/{messageId}/reactions',
  scope: 'session',
  tag,
  summary: 'List the people who reacted to a message',
  params: MessageParams,
  query: ReactionQuery,
  result: Reactions,
  failures: [...ENTRY_REFUSALS, 'deleted'],
  async handler(context, { params, query }) {
    const { message, access } = await findReadableMessage(context, params)
    requireNotDeleted(message)
    const { read } = context.database
    const subject = {
      messageId: message.id,
      emoji: query.emoji === undefined ? undefined : parseEmoji(query.emoji),
    }
    const { rows, nextCursor } = await findSeqPage(query, (afterSeq, limit) =>
      selectReactions(read, { ...subject, afterSeq, limit }),
    )
    const userIds = rows.flatMap(({ user_id }) => user_id ?? [])
    const displays = await findUserDisplaysOf(read, access.roomId, userIds)
    const personsOf = (own: readonly RoomReactionRow[]) =>
      own.flatMap(({ user_id }) => {
        const display = displays.get(user_id ?? '')
        return user_id !== null && display ? [toPerson({ user_id, ...display }, access.defaultRole)] : []
      })
    const byEmoji = Map.groupBy(rows, ({ emoji }) => emoji)
    const reactions = [...byEmoji].map(([emoji, own]) => ({ emoji, users: personsOf(own) }))
    return { reactions, nextCursor }
  },
})

const addReaction = operation({
  id: 'addReaction',
  methods: ['PUT'],
  path,
  scope: 'session',
  tag,
  summary: 'React to a message with an emoji',
  params: ReactionParams,
  result: ReactionsAnswer,
  failures: [...VISIT_REFUSALS, 'archived', 'room_full', 'deleted', 'too_many_reactions'],
  handler: (context, { params }) => setReaction(context, params, true),
})

const removeReaction = operation({
  id: 'removeReaction',
  methods: ['DELETE'],
  path,
  scope: 'session',
  tag,
  summary: 'Take back your reaction to a message',
  params: ReactionParams,
  result: ReactionsAnswer,
  failures: [...VISIT_REFUSALS, 'archived', 'deleted'],
  handler: (context, { params }) => setReaction(context, params, false),
})

interface Outcome {
  reactions: ReactionCount[]
  /** Emoji with which the caller has reacted now. */
  own: ReadonlySet<string>
  /** Undefined if nothing has changed. */
  event?: RoomEvent
}

/** Adds or removes a reaction of the caller. Returns all reactions to the message. */
async function setReaction(context: Context, params: MessageKey & { emoji: string }, isAdded: boolean) {
  const { user } = context.actor
  const emoji = parseEmoji(params.emoji)
  context.rates.take('reactions_per_10s', user.id)
  const { reactions, own, event } = await context.writeInRoom(params.id, async (tx): Promise<Outcome> => {
    const target = await lockMessage(tx, context, params)
    if (isAdded) await requirePlace(tx, target.access, context)
    const { id, reactions: stored } = target.message
    const before = (await findOwnReactions(tx, user.id, [id])).get(id) ?? new Set()
    const outcome = { reactions: parseReactions(stored), own: before }
    if (before.has(emoji) === isAdded) return outcome
    if (isAdded) requireRoom(context, outcome.reactions, emoji)
    return storeReaction(tx, context, target, { emoji, isAdded, before })
  })
  if (event) context.publish({ kind: 'event', roomId: params.id, event })
  return { reactions: withOwnReactions(reactions, own) }
}

function parseEmoji(text: string): string {
  const emoji = qualifyEmoji(text)
  if (emoji !== undefined) return emoji
  const fields = [{ path: 'emoji', code: 'custom' }]
  throw failure('invalid_request', { text: 'emoji: must be one emoji of Unicode', fields })
}

/** Throws if the message has as many kinds of reactions as permitted, and this is another one. */
function requireRoom({ policy }: Context, reactions: readonly ReactionCount[], emoji: string): void {
  const isKnown = reactions.some((reaction) => reaction.emoji === emoji)
  if (!isKnown && reactions.length >= policy.limits.reaction_kinds) throw failure('too_many_reactions')
}

async function storeReaction(
  tx: Tx,
  context: Context,
  target: MessageAccess,
  { emoji, isAdded, before }: { emoji: string; isAdded: boolean; before: ReadonlySet<string> },
): Promise<Outcome> {
  const { now: nowMs } = context
  const userId = context.actor.user.id
  const messageId = target.message.id
  const data = { by: userId, emoji, added: isAdded }
  const event = await appendMessageEvent(tx, target, { event: 'message.reactions', data, nowMs })
  const own = new Set(before)
  if (isAdded) {
    own.add(emoji)
    const reaction = { id: crypto.randomUUID(), message_id: messageId, seq: event.seq, user_id: userId }
    await insertReaction(tx, { ...reaction, emoji, created_at: nowMs })
  } else {
    own.delete(emoji)
    await deleteReaction(tx, { messageId, userId, emoji })
  }
  const reactions = await countReactions(tx, messageId)
  // The log stores no counts: readers see the current ones.
  return { reactions, own, event: { ...event, data: { ...event.data, reactions } } }
}

export const reactionOperations = [listReactions, addReaction, removeReaction]
