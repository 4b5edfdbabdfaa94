import type { PushSubscriptionRow } from '../../db/notification-rows.ts'
import type { ReadDatabase } from '../../db/tables.ts'
import { excerptOf } from '../../messages/excerpt.ts'
import { withNames } from '../../messages/mention-tokens.ts'
import type { Message } from '../../messages/schema.ts'
import { listMessagesBefore } from '../../messages/store.ts'
import { readerOf, viewMessages } from '../../messages/view.ts'
import { findDirectPeople, namedFor } from '../../rooms/direct-people.ts'
import type { CallAlert } from '../../api/cluster-events.ts'
import { findCallAlert } from '../../voice/alerts/store.ts'
import type { Push } from './push.ts'
import { findBlockedIds } from '../../users/blocks.ts'
import { type NewMessages, type Recipient, findRecipient } from './recipients.ts'
import { findLiveSubscription } from './store.ts'

/** Data of a notification, as the service worker reads it (web/push-worker.js). */
interface Payload {
  roomId: string
  isMention: boolean
  /** Until when the call alerts that the notification is about. */
  callUntil?: number
  room?: string
  author?: string
  text?: string
}

/** Among so many of the newest messages is the one that a push quotes. */
const NEWEST = 20

export interface Notification {
  subscription: PushSubscriptionRow
  payload: string
  /** Time for which a push service keeps it, unless that is a day. */
  lifetimeSeconds?: number
}

/** What a push says, besides that there is something new: nothing, the room, or its author and text too. */
type PushContent = 'none' | 'names' | 'text'

interface Options {
  content: PushContent
  nowMs: number
}

/**
 * The notification of a push as it is to be sent now. Undefined if the subscription or its session has
 * ended, or its user is not to be notified any more.
 */
export async function composeNotification(
  database: ReadDatabase,
  { subscriptionId, userId, roomId, fromSeq, callId }: Push,
  { content, nowMs }: Options,
): Promise<Notification | undefined> {
  const subscription = await findLiveSubscription(database.read, subscriptionId, nowMs)
  if (subscription?.user_id !== userId) return undefined
  if (callId !== undefined) {
    const alert = await findCallAlert(database.read, { userId, roomId, nowMs })
    return alert?.callId === callId ? callNotification(subscription, alert, { content, nowMs }) : undefined
  }
  const messages = { roomId, fromSeq, nowMs }
  const recipient = await findRecipient(database, userId, messages)
  return recipient && { subscription, payload: await payloadFor(database, recipient, messages, content) }
}

function callNotification(
  subscription: PushSubscriptionRow,
  { roomId, from, until }: CallAlert,
  { content, nowMs }: Options,
): Notification {
  const callUntil = Date.parse(until)
  const payload: Payload = {
    roomId,
    isMention: false,
    callUntil,
    ...(content !== 'none' && { room: from.nickname }),
  }
  return {
    subscription,
    payload: JSON.stringify(payload),
    lifetimeSeconds: Math.max(1, Math.ceil((callUntil - nowMs) / 1000)),
  }
}

async function payloadFor(
  database: ReadDatabase,
  { access, isMentioned }: Recipient,
  { roomId, fromSeq, nowMs }: NewMessages,
  content: PushContent,
): Promise<string> {
  const message =
    content === 'text' ? await findNewest(database, { access, isMentioned }, fromSeq, nowMs) : undefined
  const { room, userId } = access
  const everyone = await findDirectPeople(database, content === 'none' ? [] : [room])
  const payload: Payload = {
    roomId,
    isMention: isMentioned,
    ...(content !== 'none' && { room: namedFor(userId, room, everyone).name }),
    ...(message && { author: message.nickname, text: textOf(message) }),
  }
  return JSON.stringify(payload)
}

/**
 * The newest message by another that the recipient may read and, if any mentions them, that does.
 * People whom the recipient blocks do not count.
 */
async function findNewest(
  database: ReadDatabase,
  { access, isMentioned }: Pick<Recipient, 'access' | 'isMentioned'>,
  fromSeq: number,
  nowMs: number,
): Promise<Message | undefined> {
  const reader = readerOf(access, nowMs)
  const range = { ...reader, afterSeq: Math.max(reader.afterSeq, fromSeq - 1) }
  const rows = await listMessagesBefore(database.read, range, { before: undefined, limit: NEWEST })
  const messages = await viewMessages(database.read, reader, rows)
  const blocked = (await findBlockedIds(database, [access.userId])).get(access.userId)
  const isMention = ({ mentions, groupMention }: Message) =>
    groupMention !== null || mentions.some(({ userId }) => userId === access.userId)
  const others = messages.filter(
    ({ userId, content }) => userId !== access.userId && content !== null && !blocked?.has(userId ?? ''),
  )
  return (isMentioned && others.find(isMention)) || others[0]
}

function textOf({ content, mentions, files }: Message): string {
  const names = new Map(mentions.map(({ userId, nickname }) => [userId, nickname]))
  return excerptOf(withNames(content ?? '', (userId) => names.get(userId))) || (files[0]?.name ?? '')
}
