import type { CallPeer, CallState } from '../live/frames.ts'
import type { MediaFailureCode } from './own-media.ts'

/** Why the call, or a part of it, does not work. Each has a text with the remedy. */
export type CallFailure =
  | MediaFailureCode
  | 'full'
  | 'camerasFull'
  | 'off'
  | 'forbidden'
  | 'unavailable'
  | 'removed'
  | 'noMedia'
  | 'recorder'
  | 'failed'

export interface CallSnapshot {
  phase: 'joining' | 'in' | 'reconnecting' | 'failed'
  startedAt: string | null
  grants: CallPeer['grants']
  own: CallState
  /** A moderator has muted the user. */
  isMuted: boolean
  /** When the own hand was raised. */
  handAt: string | null
  /** All others, in the order in which they joined. */
  peers: readonly CallPeer[]
  /** Ids of connections whose users speak now; `own` for this one. */
  speaking: ReadonlySet<string>
  isAudioOnly: boolean
  failure: CallFailure | null
}

export const OFF: CallState = { audio: false, camera: false, screen: false, hand: false }

export const INITIAL: CallSnapshot = {
  phase: 'joining',
  startedAt: null,
  grants: { audio: false, camera: false, screen: false },
  own: OFF,
  isMuted: false,
  handAt: null,
  peers: [],
  speaking: new Set(),
  isAudioOnly: false,
  failure: null,
}
