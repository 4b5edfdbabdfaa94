import { GRANT_OF, type Source } from '../../voice/sources.ts'
import type { CallPeer, Signal } from '../live/frames.ts'
import type { CallEngine, EngineOptions, JoinedCall, PeerMedia } from './engine.ts'
import { PeerLink } from './peer-link.ts'
import type { Tracks } from './sources.ts'

const NO_TRACKS: Tracks = { microphone: null, camera: null, screen: null, screenSound: null }
const SPEAKING_LEVEL = 0.02

/** Connections of this page to all others in the call. */
export class Mesh implements CallEngine {
  readonly #options: EngineOptions
  readonly #links = new Map<string, PeerLink>()
  readonly #streams = new Map<string, { camera: MediaStream; screen: MediaStream }>()
  #configuration: RTCConfiguration

  constructor(options: EngineOptions) {
    this.#options = options
    this.#configuration = configurationOf(options.joined)
  }

  get isConnected(): boolean {
    const links = [...this.#links.values()]
    return links.length === 0 || links.some(({ state }) => state === 'connected')
  }

  /** Connects to a peer. The one that joined later makes the offer. */
  add(peer: CallPeer, isEarlier: boolean): void {
    const { connectionId } = peer
    if (this.#links.has(connectionId)) return
    const { ownId, plan, send, onChange } = this.#options
    const configuration = this.#configuration
    const link = new PeerLink({
      ownId,
      peer,
      isOfferer: isEarlier,
      configuration,
      tracks: () => (plan.isPaused ? NO_TRACKS : plan.tracks()),
      sends: (source) => this.#sends(source),
      receives: (from, source) => plan.receives(from, source),
      send: (signal, onRefusal) => send(connectionId, signal, onRefusal),
      onChange: () => {
        this.#play(link)
        onChange()
      },
    })
    this.#links.set(connectionId, link)
    onChange()
  }

  remove(connectionId: string): void {
    this.#links.get(connectionId)?.close()
    this.#links.delete(connectionId)
    this.#options.playback.stop(connectionId)
    this.#streams.delete(connectionId)
    this.#options.onChange()
  }

  /** Uses newer servers and credentials from now on. */
  renew(joined: JoinedCall): void {
    this.#configuration = configurationOf(joined)
    for (const link of this.#links.values()) link.configure(this.#configuration)
  }

  update(peer: CallPeer): void {
    const link = this.#links.get(peer.connectionId)
    if (!link) return
    link.peer = peer
    link.apply()
    this.#play(link)
    this.#options.onChange()
  }

  receive(from: string, signal: Signal): void {
    this.#links.get(from)?.receive(signal)
  }

  apply(): void {
    for (const link of this.#links.values()) {
      link.apply()
      this.#play(link)
    }
  }

  media(connectionId: string): PeerMedia | undefined {
    const link = this.#links.get(connectionId)
    if (!link) return undefined
    const { peer, state } = link
    const { plan } = this.#options
    const streams = this.#streams.get(connectionId)
    return {
      state,
      camera: plan.shows(peer, 'camera') ? (streams?.camera ?? null) : null,
      screen: plan.shows(peer, 'screen') ? (streams?.screen ?? null) : null,
    }
  }

  isSpeaking(connectionId: string): boolean {
    const link = this.#links.get(connectionId)
    return link !== undefined && link.peer.audio && link.level() > SPEAKING_LEVEL
  }

  close(): void {
    for (const id of this.#links.keys()) this.remove(id)
  }

  /** The line of the microphone stays open for its sound. */
  #sends(source: Source): boolean {
    const { mayTalk, plan } = this.#options
    if (source === 'microphone') return mayTalk()
    return source === 'camera' ? plan.state.camera : plan.state.screen
  }

  /** Plays the sound and collects the pictures that the grants of the peer allow. */
  #play(link: PeerLink): void {
    const { peer } = link
    const { connectionId } = peer
    const { plan, playback } = this.#options
    if (this.#links.get(connectionId) !== link) return
    const streams = this.#streams.get(connectionId) ?? {
      camera: new MediaStream(),
      screen: new MediaStream(),
    }
    this.#streams.set(connectionId, streams)
    const trackOf = (source: Source) => (peer.grants[GRANT_OF[source]] ? link.track(source) : null)
    for (const source of ['camera', 'screen'] as const) {
      const track = trackOf(source)
      if (track && !streams[source].getTracks().includes(track)) streams[source].addTrack(track)
    }
    const tracks = { microphone: trackOf('microphone'), screenSound: trackOf('screenSound') }
    playback.play(peer, tracks, plan)
  }
}

function configurationOf({ iceServers, relayOnly }: JoinedCall): RTCConfiguration {
  return { iceServers, iceTransportPolicy: relayOnly ? 'relay' : 'all' }
}
