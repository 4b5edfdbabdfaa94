import type { Result } from '../call.ts'
import type { CallPeer, Signal } from '../live/frames.ts'
import type { MediaPlan } from './media-plan.ts'
import type { Playback } from './playback.ts'

export type JoinedCall = Result<'joinCall'>

/** Media received from a peer, and the state of the connection. */
export interface PeerMedia {
  state: 'connecting' | 'connected' | 'failed'
  camera: MediaStream | null
  screen: MediaStream | null
}

export interface EngineOptions {
  /** Id of the own connection. */
  ownId: string
  joined: JoinedCall
  plan: MediaPlan
  playback: Playback
  /** Whether the user may speak now. */
  mayTalk: () => boolean
  send: (to: string, signal: Signal, onRefusal: (refusal: string) => void) => void
  onChange: () => void
  /**
   * Media cannot flow any more, and a new engine is needed. `isRemoved`: by the server, which also
   * says why on the own socket.
   */
  onLost: (isRemoved: boolean) => void
}

/** Carries the media of a call by its plan, from joining to `close`. */
export interface CallEngine {
  /** False while media cannot flow although there is someone to receive it from. */
  readonly isConnected: boolean
  /** A peer in the call. `isEarlier`: it joined before this connection. */
  add: (peer: CallPeer, isEarlier: boolean) => void
  /** A peer does something else. */
  update: (peer: CallPeer) => void
  remove: (connectionId: string) => void
  receive: (from: string, signal: Signal) => void
  /** The call was joined again with the same connection. */
  renew: (joined: JoinedCall) => void
  /** The plan or its tracks have changed. */
  apply: () => void
  media: (connectionId: string) => PeerMedia | undefined
  isSpeaking: (connectionId: string) => boolean
  close: () => void
}

export type Engine = (options: EngineOptions) => CallEngine
