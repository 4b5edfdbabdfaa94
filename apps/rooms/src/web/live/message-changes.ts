import { excerptOf } from '../../messages/excerpt.ts'
import { withNames } from '../../messages/mention-tokens.ts'
import type { EventMessage, Message, RoomEvent } from './frames.ts'

/** Message of an event as this user sees it. `previous` is the message before, if it is loaded. */
export function toMessage(message: EventMessage, previous?: Message): Message {
  return { ...message, reactions: withOwnReactions(message.reactions, previous?.reactions) }
}

/** Reactions of an event, which do not say which are the user's own. */
function withOwnReactions(
  reactions: EventMessage['reactions'],
  previous: Message['reactions'] = [],
): Message['reactions'] {
  const own = new Set(previous.flatMap(({ emoji, mine }) => (mine ? [emoji] : [])))
  return reactions.map((reaction) => ({ ...reaction, mine: own.has(reaction.emoji) }))
}

interface ReactionChange {
  reactions: EventMessage['reactions']
  by: string
  emoji: string
  added: boolean
}

/** Message that an event is about. Undefined if it is about none, or about one that is hidden from the user. */
export function subjectOf({ data }: RoomEvent): string | undefined {
  const { messageId, message } = data as { messageId?: string; message?: EventMessage }
  return messageId ?? message?.id
}

/** The message after an event about it. `userId` is the user's own. */
export function applyEvent(message: Message, { event, data, at }: RoomEvent, userId: string): Message {
  switch (event) {
    case 'message.edited':
      return toMessage(data['message'] as EventMessage, message)
    case 'message.deleted':
      return tombstoneOf(message, at)
    case 'message.reactions': {
      const change = data as unknown as ReactionChange
      const reactions = withOwnReactions(change.reactions, message.reactions)
      const isOwn = ({ emoji }: { emoji: string }) => change.by === userId && emoji === change.emoji
      return {
        ...message,
        reactions: reactions.map((reaction) =>
          isOwn(reaction) ? { ...reaction, mine: change.added } : reaction,
        ),
      }
    }
    case 'message.pinned':
      return { ...message, pinned: true }
    case 'message.unpinned':
      return { ...message, pinned: false }
    default:
      return message
  }
}

/** What remains of a deleted message, as in the API. */
function tombstoneOf(message: Message, deletedAt: string): Message {
  const none = {
    content: null,
    replyTo: null,
    mentions: [],
    groupMention: null,
    files: [],
    reactions: [],
    pinned: false,
  }
  return { ...message, ...none, editedAt: null, deletedAt }
}

/** A reply after an event about the message that it quotes. */
export function requote(reply: Message, { event, data }: RoomEvent): Message {
  const { replyTo } = reply
  if (!replyTo) return reply
  if (event === 'message.deleted') return { ...reply, replyTo: { ...replyTo, excerpt: null } }
  if (event !== 'message.edited') return reply
  const { content, nickname, mentions, files } = data['message'] as EventMessage
  const names = new Map(mentions.map((mention) => [mention.userId, mention.nickname]))
  const text = excerptOf(withNames(content ?? '', (userId) => names.get(userId)))
  const excerpt = content === null ? null : text || (files[0]?.name ?? '')
  return { ...reply, replyTo: { ...replyTo, nickname, excerpt } }
}
