import type { EventMessage, Message } from '../../messages/schema.ts'
import type { RemovalReason, RoomEvent } from '../../cluster-events.ts'
import type { Person, Room } from '../../rooms/schema.ts'

export type { EventMessage, Message, Person, RemovalReason, Room, RoomEvent }

/** Same value as in realtime/protocol.ts. */
export const SUBPROTOCOL = 'latchkey.v1'

export interface SubscribedFrame {
  type: 'subscribed'
  id: string
  roomId: string
  seq: number
  role: NonNullable<Room['role']>
  canPublish: boolean
  count: number
  present: Person[]
}

export interface PresenceFrame {
  type: 'presence'
  roomId: string
  joined: Person[]
  left: string[]
  count: number
}

export interface RemovedFrame {
  type: 'room.removed'
  roomId: string
  reason: RemovalReason
  until: string | null
}

interface WelcomeLimits {
  messageLength: number
  messageEditHours: number
  fileBytes: number
  filesPerMessage: number
}

export interface NoticeFrame {
  type: 'notice'
  notice: 'read' | 'invitation' | 'invitation_revoked' | 'transfer' | 'transfer_ended'
  data: Readonly<Record<string, unknown>>
}

/** Frames of the server (R18.8), with the fields that this client uses. */
export type ServerFrame =
  | { type: 'welcome'; userId: string; limits: WelcomeLimits }
  | SubscribedFrame
  | ({ type: 'event'; roomId: string } & RoomEvent)
  | PresenceFrame
  | { type: 'typing'; roomId: string; userId: string; active: boolean }
  | RemovedFrame
  | { type: 'lobby' }
  | NoticeFrame
  | { type: 'error'; id: string | null; code: string }
  | { type: 'pong' | 'unsubscribed' | 'subscribed_lobby' | 'unsubscribed_lobby' }
