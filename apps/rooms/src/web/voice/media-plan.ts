import type { CallPeer, CallState } from '../live/frames.ts'
import { OFF } from './call-snapshot.ts'
import { GRANT_OF, type Source } from '../../voice/sources.ts'
import type { Tracks } from './sources.ts'

/** What this page sends and receives in a call, whatever carries it. */
export class MediaPlan {
  readonly #tracks: () => Tracks
  /** Connections whose screens are watched. */
  readonly watched = new Set<string>()
  /** The own state that the server has accepted. */
  state: CallState = OFF
  /** True while the connection to the server is silent: no media are sent, since a right may have ended. */
  isPaused = false
  isAudioOnly = false

  constructor(tracks: () => Tracks) {
    this.#tracks = tracks
  }

  /** Tracks that the own state says are sent. */
  tracks(): Tracks {
    const { microphone, camera, screen, screenSound } = this.#tracks()
    return {
      microphone: this.state.audio ? microphone : null,
      camera: this.state.camera ? camera : null,
      screen: this.state.screen ? screen : null,
      screenSound: this.state.screen ? screenSound : null,
    }
  }

  /** Whether this may be received from a peer, and is wanted from it. */
  receives({ grants, connectionId }: CallPeer, source: Source): boolean {
    if (!grants[GRANT_OF[source]]) return false
    if (source === 'microphone') return true
    return source === 'camera' ? !this.isAudioOnly : this.watched.has(connectionId)
  }

  /** Whether this is shown or played of a peer: nothing that its state does not say. */
  shows(peer: CallPeer, source: Source): boolean {
    return peer[GRANT_OF[source]] && this.receives(peer, source)
  }
}
