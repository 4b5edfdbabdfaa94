import type { EventMessage, Message } from '../../messages/schema.ts'
import type { CallAlert, RemovalReason, RoomEvent } from '../../api/cluster-events.ts'
import type { PresentPerson, Room } from '../../lobby/schema.ts'
import type { ListedPerson } from '../../people/schema.ts'
import type { Person } from '../../rooms/schema.ts'
import type { CallPeer } from '../../voice/schema.ts'

export type {
  CallAlert,
  CallPeer,
  EventMessage,
  ListedPerson,
  Message,
  Person,
  PresentPerson,
  RemovalReason,
  Room,
  RoomEvent,
}

/** Subprotocol of the socket, as in realtime/protocol.ts. */
export const SUBPROTOCOL = 'latchkey.v1'

export interface SubscribedFrame {
  type: 'subscribed'
  id: string
  roomId: string
  seq: number
  role: NonNullable<Room['role']>
  canPublish: boolean
  count: number
  present: PresentPerson[]
}

export interface PresenceFrame {
  type: 'presence'
  roomId: string
  joined: PresentPerson[]
  left: string[]
  count: number
}

export interface RemovedFrame {
  type: 'room.removed'
  roomId: string
  reason: RemovalReason
  until: string | null
}

/** What a connection does in a call. */
export interface CallState {
  audio: boolean
  camera: boolean
  screen: boolean
  hand: boolean
}

/** Part of the negotiation of a peer connection: a description, or candidates. */
export interface Signal {
  description?: RTCSessionDescriptionInit
  candidates?: RTCIceCandidateInit[]
}

/** Frames about the call of a room, for the connections in it (R33.3). */
export type VoiceFrame =
  | { type: 'voice.joined' | 'voice.changed'; roomId: string; peer: CallPeer }
  | { type: 'voice.left'; roomId: string; connectionId: string }
  | { type: 'voice.hand'; roomId: string; userId: string; connectionId: string; hand: string | null }
  | ({ type: 'voice.signal'; roomId: string; from: string } & Signal)
  | { type: 'voice.recorder'; roomId: string }
  | { type: 'voice.removed'; roomId: string; reason: 'left' | 'removed' | 'rights' | 'off' | 'lost' }

interface WelcomeLimits {
  messageLength: number
  messageEditHours: number
  fileBytes: number
  filesPerMessage: number
}

export interface NoticeFrame {
  type: 'notice'
  notice:
    | 'read'
    | 'preferences'
    | 'draft'
    | 'blocked'
    | 'unblocked'
    | 'invitation'
    | 'invitation_revoked'
    | 'transfer'
    | 'transfer_ended'
    | 'call'
    | 'call_ended'
  data: Readonly<Record<string, unknown>>
}

export interface PeopleFrame {
  type: 'people'
  people: readonly ListedPerson[]
}

/** Frames of the server (R18.8), with the fields that this client uses. */
export type ServerFrame =
  | { type: 'welcome'; connectionId: string; userId: string; now: string; limits: WelcomeLimits }
  | SubscribedFrame
  | ({ type: 'event'; roomId: string } & RoomEvent)
  | PresenceFrame
  | PeopleFrame
  | { type: 'typing'; roomId: string; userId: string; active: boolean }
  | RemovedFrame
  | { type: 'lobby'; upsert?: Room }
  | NoticeFrame
  | VoiceFrame
  | ({ type: 'voice.state'; id: string; roomId: string } & CallState)
  | { type: 'error'; id: string | null; code: string }
  | { type: 'pong' | 'unsubscribed' | 'subscribed_lobby' | 'unsubscribed_lobby' }
