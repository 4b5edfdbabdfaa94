import type { RoomEventType } from './db/tables.ts'
import type { LimitName } from './limits.ts'

/** One lasting event of a room as clients see it (R18.8), without what differs between recipients. */
export interface RoomEvent {
  readonly seq: number
  /** ISO 8601, UTC. */
  readonly at: string
  readonly event: RoomEventType
  readonly data: Readonly<Record<string, unknown>>
}

export type RemovalReason = 'kicked' | 'banned' | 'left' | 'deleted' | 'access_lost'

/** Who could see a room in the lobby before it changed. */
export type PreviousAudience = 'everyone' | readonly string[]

/** What one person is told, with what their client shows of it. */
export type Notice =
  | { readonly notice: 'invitation'; readonly data: { readonly invitation: { readonly id: string } } }
  | { readonly notice: 'invitation_revoked'; readonly data: { readonly id: string; readonly roomId: string } }
  | { readonly notice: 'transfer'; readonly data: { readonly transfer: { readonly roomId: string } } }
  | {
      readonly notice: 'transfer_ended'
      readonly data: { readonly roomId: string; readonly fromUserId: string; readonly toUserId: string }
    }

/**
 * What nodes tell each other once it is committed. All of it is a hint: any piece may be lost, repeated or late, and what a
 * node does with it must also come about without it, from the database (R19.1).
 */
export type ClusterEvent =
  /** The room's log has grown by this event; told at the node that stored it. */
  | { readonly kind: 'event'; readonly roomId: string; readonly event: RoomEvent }
  /** What other nodes are told of that: up to which number. What was said they read from the database. */
  | { readonly kind: 'grown'; readonly roomId: string; readonly seq: number }
  /** These people lost the room; null: everybody, the room is gone. */
  | {
      readonly kind: 'removed'
      readonly roomId: string
      readonly userIds: readonly string[] | null
      readonly reason: RemovalReason
      readonly untilMs: number | null
    }
  /** Somebody may have lost access to the room, or changed what they may do in it: check everybody present. */
  | { readonly kind: 'access'; readonly roomId: string }
  /** The same for one person in all rooms. */
  | { readonly kind: 'person'; readonly userId: string }
  | { readonly kind: 'presence'; readonly roomId: string }
  | { readonly kind: 'typing'; readonly roomId: string; readonly userId: string; readonly active: boolean }
  /** The room's line in the lobby has changed; `formerly` where fewer people may see it than before. */
  | { readonly kind: 'lobby'; readonly roomId: string; readonly formerly?: PreviousAudience }
  | { readonly kind: 'sessions'; readonly sessionIds: readonly string[] }
  /** Another node has counted something of a limit that all nodes share (R19.2). */
  | { readonly kind: 'taken'; readonly limit: LimitName; readonly key: string }
  /** Told at the node where it came about. */
  | ({ readonly kind: 'notice'; readonly userId: string } & Notice)
  /** What other nodes are told of that: whom and what it is about. Names they read from the database. */
  | {
      readonly kind: 'noticed'
      readonly userId: string
      readonly notice: Notice['notice']
      readonly ids: Readonly<Record<string, string>>
    }

/** Tells this node and all others. Never throws and is not waited for: success does not depend on it (R28.24). */
export type Publish = (event: ClusterEvent) => void

/** News as they go to other nodes: nothing of what is said in a room, and no name, passes through what carries them (R19.1). */
export type RemoteEvent = Exclude<ClusterEvent, { kind: 'event' | 'notice' }>

export function toRemoteEvent(event: ClusterEvent): RemoteEvent {
  if (event.kind === 'event') return { kind: 'grown', roomId: event.roomId, seq: event.event.seq }
  if (event.kind !== 'notice') return event
  return { kind: 'noticed', userId: event.userId, notice: event.notice, ids: idsOf(event) }
}

function idsOf({ notice, data }: Notice): Readonly<Record<string, string>> {
  if (notice === 'invitation') return { id: data.invitation.id }
  return notice === 'transfer' ? { roomId: data.transfer.roomId } : data
}
