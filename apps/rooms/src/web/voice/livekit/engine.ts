import {
  ConnectionState,
  DisconnectReason,
  type RemoteParticipant,
  RemoteVideoTrack,
  Room,
  RoomEvent,
  setLogLevel,
} from 'livekit-client'
import type { CallPeer } from '../../live/frames.ts'
import type { CallEngine, EngineOptions, PeerMedia } from '../engine.ts'
import type { Source } from '../../../voice/sources.ts'
import { Pictures } from './pictures.ts'
import { Publisher } from './publisher.ts'
import { LIVEKIT_SOURCES, SOURCES } from './sources.ts'

setLogLevel('error')

const SIGNAL_TIMEOUT_MS = 5_000
const MEDIA_TIMEOUT_MS = 10_000

const REMOVALS: ReadonlySet<DisconnectReason | undefined> = new Set([
  DisconnectReason.PARTICIPANT_REMOVED,
  DisconnectReason.ROOM_DELETED,
])

/** Sends and receives media through a LiveKit server. */
export class LiveKitEngine implements CallEngine {
  readonly #options: EngineOptions
  readonly #peers = new Map<string, CallPeer>()
  readonly #pictures = new Pictures()
  readonly #publisher: Publisher
  readonly #room = new Room({
    adaptiveStream: true,
    dynacast: true,
    // The devices stay open while the call is joined again.
    stopLocalTrackOnUnpublish: false,
    // Rooms refuses a token that was used: the call is joined again for a new one.
    reconnectPolicy: { nextRetryDelayInMs: () => null },
  })
  #isOver = false

  constructor(options: EngineOptions) {
    this.#options = options
    this.#publisher = new Publisher(this.#room.localParticipant, options.plan)
    const onChange = (participant: RemoteParticipant) => this.#onChange(participant)
    this.#room
      .on(RoomEvent.ParticipantConnected, onChange)
      .on(RoomEvent.ParticipantDisconnected, onChange)
      .on(RoomEvent.TrackPublished, (_publication, participant) => onChange(participant))
      .on(RoomEvent.TrackSubscribed, (_track, _publication, participant) => onChange(participant))
      .on(RoomEvent.TrackUnsubscribed, (track, _publication, participant) => {
        if (track instanceof RemoteVideoTrack) this.#pictures.remove(track)
        onChange(participant)
      })
      .on(RoomEvent.ParticipantPermissionsChanged, () => this.#publish())
      .on(RoomEvent.Disconnected, (reason) => this.#lose(REMOVALS.has(reason)))
    void this.#connect()
  }

  get isConnected(): boolean {
    return this.#room.state === ConnectionState.Connected
  }

  add(peer: CallPeer): void {
    this.update(peer)
  }

  update(peer: CallPeer): void {
    this.#peers.set(peer.connectionId, peer)
    this.#applyTo(peer)
    this.#options.onChange()
  }

  remove(connectionId: string): void {
    this.#peers.delete(connectionId)
    this.#options.playback.stop(connectionId)
    this.#options.onChange()
  }

  /** Signals belong to a mesh. */
  receive(): void {}

  /** A connection that exists needs no new token. */
  renew(): void {}

  apply(): void {
    this.#publish()
    for (const peer of this.#peers.values()) this.#applyTo(peer)
  }

  media(connectionId: string): PeerMedia | undefined {
    const peer = this.#peers.get(connectionId)
    if (!peer) return undefined
    return {
      state: this.isConnected && this.#participantOf(peer) ? 'connected' : 'connecting',
      camera: this.#picture(peer, 'camera'),
      screen: this.#picture(peer, 'screen'),
    }
  }

  isSpeaking(connectionId: string): boolean {
    const peer = this.#peers.get(connectionId)
    return peer?.audio === true && this.#participantOf(peer)?.isSpeaking === true
  }

  close(): void {
    this.#isOver = true
    this.#pictures.close()
    for (const id of this.#peers.keys()) this.#options.playback.stop(id)
    this.#peers.clear()
    void this.#room.disconnect(false).catch(() => {})
  }

  async #connect(): Promise<void> {
    const { url, token } = this.#options.joined
    try {
      if (url === undefined || token === undefined) throw new TypeError('The server named no LiveKit server')
      await this.#room.connect(url, token, {
        autoSubscribe: false,
        websocketTimeout: SIGNAL_TIMEOUT_MS,
        peerConnectionTimeout: MEDIA_TIMEOUT_MS,
      })
      if (this.#isOver) return
      this.apply()
      this.#options.onChange()
    } catch {
      this.#lose(false)
    }
  }

  #lose(isRemoved: boolean): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#options.onLost(isRemoved)
  }

  #publish(): void {
    if (this.isConnected) this.#publisher.sync()
  }

  #onChange({ identity }: RemoteParticipant): void {
    const peer = [...this.#peers.values()].find((candidate) => identityOf(candidate) === identity)
    if (!peer) return
    this.#applyTo(peer)
    this.#options.onChange()
  }

  #participantOf(peer: CallPeer): RemoteParticipant | undefined {
    return this.#room.remoteParticipants.get(identityOf(peer))
  }

  /** Subscribes to what is wanted of a peer, and plays its sound. */
  #applyTo(peer: CallPeer): void {
    const { playback, plan } = this.#options
    const participant = this.#participantOf(peer)
    for (const source of SOURCES) {
      const publication = participant?.getTrackPublication(LIVEKIT_SOURCES[source])
      const isWanted = source === 'microphone' ? peer.grants.audio : plan.shows(peer, source)
      if (publication && publication.isDesired !== isWanted) publication.setSubscribed(isWanted)
    }
    const track = (source: Source) =>
      participant?.getTrackPublication(LIVEKIT_SOURCES[source])?.track?.mediaStreamTrack ?? null
    playback.play(peer, { microphone: track('microphone'), screenSound: track('screenSound') }, plan)
  }

  #picture(peer: CallPeer, source: 'camera' | 'screen'): MediaStream | null {
    const { track } = this.#participantOf(peer)?.getTrackPublication(LIVEKIT_SOURCES[source]) ?? {}
    const isShown = this.#options.plan.shows(peer, source) && track instanceof RemoteVideoTrack
    return isShown ? this.#pictures.streamOf(track) : null
  }
}

/** Name of a connection on the LiveKit server. */
function identityOf({ userId, connectionId }: CallPeer): string {
  return `${userId}:${connectionId}`
}
