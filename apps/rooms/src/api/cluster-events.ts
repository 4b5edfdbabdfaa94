import type { RoomEventType } from '../db/tables.ts'
import type { LimitName } from './limits.ts'
import type { Person, Unread } from '../rooms/schema.ts'

/**
 * Stored event of a room as clients see it (R18.8), without the parts that depend on the recipient.
 */
export interface RoomEvent {
  readonly seq: number
  /** ISO 8601, UTC. */
  readonly at: string
  readonly event: RoomEventType
  readonly data: Readonly<Record<string, unknown>>
  /**
   * Older messages in `data`, which some recipients may not read (R17.8). Undefined if all may.
   * Never sent.
   */
  readonly shows?: ShownMessages
}

/** Sequence numbers of the messages that an event shows. */
export interface ShownMessages {
  /** The message that it is about, unless the event created it. */
  readonly subject: number | null
  /** The message to which that one replies. */
  readonly original: number | null
}

export type RemovalReason = 'kicked' | 'banned' | 'left' | 'deleted' | 'access_lost'

/** Connections that left a call on their own, or were removed from it by a moderator. */
export interface CallRemoval {
  readonly connectionIds: readonly string[]
  readonly reason: 'left' | 'removed'
}

/** Users who could see a room in the lobby before it changed. */
export type PreviousAudience = 'everyone' | readonly string[]

/** A call in a direct conversation that alerts the user. */
export interface CallAlert {
  readonly roomId: string
  readonly callId: string
  /** Who began it. */
  readonly from: Person
  /** ISO 8601, UTC. */
  readonly until: string
}

export type CallAlertEnd = 'answered' | 'missed' | 'declined' | 'ended'

/** A call that no longer alerts a user: the recipient, or a person who has declined the call of the recipient. */
export interface EndedCallAlert extends Readonly<Record<string, string>> {
  readonly roomId: string
  readonly callId: string
  readonly userId: string
  readonly reason: CallAlertEnd
}

/** Notice to one user, with the data that the client shows. */
export type Notice =
  | { readonly notice: 'read'; readonly data: { readonly roomId: string } & Readonly<Unread> }
  | {
      readonly notice: 'preferences'
      readonly data: { readonly roomId: string; readonly starred: boolean }
    }
  /** The content is null if the draft was deleted. */
  | {
      readonly notice: 'draft'
      readonly data: { readonly roomId: string; readonly content: string | null }
    }
  | { readonly notice: 'invitation'; readonly data: { readonly invitation: { readonly id: string } } }
  | { readonly notice: 'invitation_revoked'; readonly data: { readonly id: string; readonly roomId: string } }
  | { readonly notice: 'call'; readonly data: CallAlert }
  | { readonly notice: 'call_ended'; readonly data: EndedCallAlert }
  | { readonly notice: 'blocked' | 'unblocked'; readonly data: { readonly userId: string } }
  | { readonly notice: 'transfer'; readonly data: { readonly transfer: { readonly roomId: string } } }
  | {
      readonly notice: 'transfer_ended'
      readonly data: { readonly roomId: string; readonly fromUserId: string; readonly toUserId: string }
    }

/**
 * Events between nodes, published after the commit. They are hints: each may be lost, repeated or
 * late. Its effect must also come about without it, from the database (R19.1).
 */
export type ClusterEvent =
  /** The event log of the room has a new event; published at the node that stored it. */
  | { readonly kind: 'event'; readonly roomId: string; readonly event: RoomEvent }
  /** A new event, for other nodes: only its sequence number. They read it from the database. */
  | { readonly kind: 'last_seq'; readonly roomId: string; readonly seq: number }
  /** These users lost the room; null: all users, because the room is deleted. */
  | {
      readonly kind: 'removed'
      readonly roomId: string
      readonly userIds: readonly string[] | null
      readonly reason: RemovalReason
      readonly untilMs: number | null
    }
  /** Access or rights in the room may have changed: check all participants. */
  | { readonly kind: 'access'; readonly roomId: string }
  /** Users joined or left the call of the room, or do something else in it. */
  | {
      readonly kind: 'voice'
      readonly roomId: string
      readonly removal?: CallRemoval
      /** A recorder was found in the call, and removed. */
      readonly hadRecorder?: true
    }
  /** Access or rights of the user may have changed in all rooms: check them. */
  | { readonly kind: 'person'; readonly userId: string }
  /** What these users show of themselves may have changed, or whom they show it. */
  | { readonly kind: 'people'; readonly userIds: readonly string[] }
  | { readonly kind: 'presence'; readonly roomId: string }
  | { readonly kind: 'typing'; readonly roomId: string; readonly userId: string; readonly active: boolean }
  /**
   * The entry of the room in the lobby has changed; `previousAudience` if fewer users may see it
   * than before.
   */
  | { readonly kind: 'lobby'; readonly roomId: string; readonly previousAudience?: PreviousAudience }
  | { readonly kind: 'sessions'; readonly sessionIds: readonly string[] }
  /** Another node has counted a request of a limit that all nodes share (R19.2). */
  | { readonly kind: 'rate_limit'; readonly limit: LimitName; readonly key: string }
  /** A notice; published at the node where it originates. */
  | ({ readonly kind: 'notice'; readonly userId: string } & Notice)
  /**
   * A notice for other nodes: the user, the kind and the ids. They read names from the database.
   */
  | {
      readonly kind: 'notice_ref'
      readonly userId: string
      readonly notice: Notice['notice']
      readonly ids: Readonly<Record<string, string>>
    }

/**
 * Publishes to this node and all others after the commit. Never throws and is not awaited: the
 * success of an operation does not depend on it (R28.24).
 */
export type Publish = (event: ClusterEvent) => void

/** Events as other nodes receive them: the bus carries no text of a message and no name (R19.1). */
export type RemoteEvent = Exclude<ClusterEvent, { kind: 'event' | 'notice' }>

export function toRemoteEvent(event: ClusterEvent): RemoteEvent {
  if (event.kind === 'event') return { kind: 'last_seq', roomId: event.roomId, seq: event.event.seq }
  if (event.kind !== 'notice') return event
  return { kind: 'notice_ref', userId: event.userId, notice: event.notice, ids: idsOf(event) }
}

function idsOf({ notice, data }: Notice): Readonly<Record<string, string>> {
  if (notice === 'read' || notice === 'call' || notice === 'preferences' || notice === 'draft')
    return { roomId: data.roomId }
  if (notice === 'invitation') return { id: data.invitation.id }
  return notice === 'transfer' ? { roomId: data.transfer.roomId } : data
}
