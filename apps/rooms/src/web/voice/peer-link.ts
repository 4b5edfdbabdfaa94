import { KINDS, SOURCES, type Source } from '../../voice/sources.ts'
import type { CallPeer, Signal } from '../live/frames.ts'
import type { Tracks } from './sources.ts'

/**
 * Codecs that browsers have in common, in order of preference. All that they offer would make
 * descriptions longer than a frame may be.
 */
const CODECS = {
  audio: ['audio/opus'],
  video: ['video/VP8', 'video/H264', 'video/rtx'],
}

/** Maximum bits per second: in a mesh, everyone sends to everyone. */
const BITRATES: Partial<Record<Source, number>> = { microphone: 40_000, camera: 500_000, screen: 2_500_000 }

/** Candidates of this long are sent together. */
const CANDIDATES_MS = 40
/** Pause before a failed connection is tried again. */
const RESTART_MS = 1_500

export interface LinkOptions {
  /** Id of the own connection. */
  ownId: string
  peer: CallPeer
  /** The own connection joined later, and makes the first offer. */
  isOfferer: boolean
  configuration: RTCConfiguration
  tracks: () => Tracks
  /** Whether the own state says that this is sent. */
  sends: (source: Source) => boolean
  /** Whether this may be received from the peer, and is wanted from it. */
  receives: (peer: CallPeer, source: Source) => boolean
  send: (signal: Signal, onRefusal: (refusal: string) => void) => void
  onChange: () => void
}

/**
 * Connection to one peer of a mesh, negotiated as in "perfect negotiation" of the WebRTC
 * specification.
 */
export class PeerLink {
  peer: CallPeer
  readonly #options: LinkOptions
  readonly #connection: RTCPeerConnection
  readonly #isPolite: boolean
  #isOffering = false
  #ignoresOffer = false
  /** Signals are applied one after the other. */
  #work: Promise<void> = Promise.resolve()
  #candidates: RTCIceCandidateInit[] = []
  #isClosed = false
  #restartTimer: ReturnType<typeof setTimeout> | undefined

  constructor(options: LinkOptions) {
    this.#options = options
    this.peer = options.peer
    this.#isPolite = options.ownId < options.peer.connectionId
    this.#connection = new RTCPeerConnection({ ...options.configuration, bundlePolicy: 'max-bundle' })
    this.#connection.addEventListener('negotiationneeded', () => void this.#offer())
    this.#connection.addEventListener('icecandidate', ({ candidate }) => candidate && this.#queue(candidate))
    this.#connection.addEventListener('track', () => options.onChange())
    this.#connection.addEventListener('connectionstatechange', () => this.#onStateChange())
    if (!options.isOfferer) return
    for (const source of SOURCES)
      this.#connection.addTransceiver(KINDS[source], { direction: this.#directionOf(source) })
    this.apply()
  }

  get state(): 'connecting' | 'connected' | 'failed' {
    const { connectionState } = this.#connection
    if (connectionState === 'connected') return 'connected'
    return connectionState === 'failed' ? 'failed' : 'connecting'
  }

  /** The track that the peer sends for this source; null before the first description. */
  track(source: Source): MediaStreamTrack | null {
    return this.#transceiver(source)?.receiver.track ?? null
  }

  /** Loudness of the microphone of the peer, from 0 to 1. */
  level(): number {
    const [newest] = this.#transceiver('microphone')?.receiver.getSynchronizationSources() ?? []
    return newest?.audioLevel ?? 0
  }

  /** Sends and receives what is wanted now. Negotiates again if that changes a direction. */
  apply(): void {
    const tracks = this.#options.tracks()
    for (const source of SOURCES) {
      const transceiver = this.#transceiver(source)
      if (!transceiver || this.#isClosed) continue
      const direction = this.#directionOf(source)
      if (transceiver.direction !== direction) transceiver.direction = direction
      if (transceiver.sender.track !== tracks[source])
        void transceiver.sender.replaceTrack(tracks[source]).catch(() => {})
    }
  }

  receive({ description, candidates }: Signal): void {
    this.#work = this.#work
      .then(() => (description ? this.#onDescription(description) : this.#onCandidates(candidates ?? [])))
      // A signal of an earlier state of the connection, or the connection is closed.
      .catch(() => {})
  }

  /** Uses newer servers and credentials from now on. */
  configure(configuration: RTCConfiguration): void {
    this.#connection.setConfiguration({ ...configuration, bundlePolicy: 'max-bundle' })
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#restartTimer)
    this.#connection.close()
  }

  #transceiver(source: Source): RTCRtpTransceiver | undefined {
    return this.#connection.getTransceivers()[SOURCES.indexOf(source)]
  }

  #directionOf(source: Source): RTCRtpTransceiverDirection {
    const { sends, receives } = this.#options
    const isReceived = receives(this.peer, source)
    if (sends(source)) return isReceived ? 'sendrecv' : 'sendonly'
    return isReceived ? 'recvonly' : 'inactive'
  }

  #onStateChange(): void {
    this.#options.onChange()
    if (this.state === 'connected') this.#limitBitrates()
    clearTimeout(this.#restartTimer)
    if (this.state === 'failed' && this.#options.isOfferer)
      this.#restartTimer = setTimeout(() => this.#connection.restartIce(), RESTART_MS)
  }

  #limitBitrates(): void {
    for (const source of SOURCES) {
      const sender = this.#transceiver(source)?.sender
      const maxBitrate = BITRATES[source]
      const parameters = sender?.getParameters()
      const [encoding] = parameters?.encodings ?? []
      if (!sender || !parameters || !encoding || maxBitrate === undefined) continue
      encoding.maxBitrate = maxBitrate
      // It may be closed meanwhile.
      void sender.setParameters(parameters).catch(() => {})
    }
  }

  #preferCodecs(): void {
    for (const transceiver of this.#connection.getTransceivers()) {
      const kind = transceiver.receiver.track.kind as 'audio' | 'video'
      const codecs = RTCRtpReceiver.getCapabilities(kind)?.codecs ?? []
      const chosen = CODECS[kind].flatMap((type) => {
        const matches = codecs.filter(({ mimeType }) => mimeType === type)
        return type === 'video/H264' ? matches.slice(0, 1) : matches
      })
      if (chosen.length > 0) transceiver.setCodecPreferences?.(chosen)
    }
  }

  async #offer(): Promise<void> {
    // The peer makes the first offer, which has all sections.
    if (this.#isClosed || this.#connection.getTransceivers().length < SOURCES.length) return
    this.#isOffering = true
    try {
      this.#preferCodecs()
      await this.#connection.setLocalDescription()
      this.#sendDescription()
    } catch {
      // Closed meanwhile.
    } finally {
      this.#isOffering = false
    }
  }

  #sendDescription(): void {
    const local = this.#connection.localDescription
    if (!local) return
    const { type, sdp } = local
    this.#options.send({ description: { type, sdp } }, (refusal) => this.#onRefusal(refusal))
  }

  /** The peer never gets the description, perhaps because a state is newer: negotiates again. */
  #onRefusal(refusal: string): void {
    if (this.#isClosed || refusal === 'not_present') return
    clearTimeout(this.#restartTimer)
    this.#restartTimer = setTimeout(() => void this.#negotiateAgain(), RESTART_MS)
  }

  async #negotiateAgain(): Promise<void> {
    if (this.#isClosed) return
    const isPending = this.#connection.signalingState === 'have-local-offer'
    if (isPending) await this.#connection.setLocalDescription({ type: 'rollback' }).catch(() => {})
    this.apply()
    await this.#offer()
  }

  async #onDescription(description: RTCSessionDescriptionInit): Promise<void> {
    const connection = this.#connection
    const collides =
      description.type === 'offer' && (this.#isOffering || connection.signalingState !== 'stable')
    this.#ignoresOffer = !this.#isPolite && collides
    if (this.#ignoresOffer) return
    await connection.setRemoteDescription(description)
    if (description.type !== 'offer') return
    this.apply()
    this.#preferCodecs()
    await connection.setLocalDescription()
    this.#sendDescription()
    this.#options.onChange()
  }

  async #onCandidates(candidates: readonly RTCIceCandidateInit[]): Promise<void> {
    for (const candidate of candidates)
      try {
        await this.#connection.addIceCandidate(candidate)
      } catch (error) {
        if (!this.#ignoresOffer) throw error
      }
  }

  #queue(candidate: RTCIceCandidate): void {
    if (this.#candidates.length === 0) setTimeout(() => this.#flush(), CANDIDATES_MS)
    const { candidate: text, sdpMid, sdpMLineIndex, usernameFragment } = candidate.toJSON()
    this.#candidates.push({
      candidate: text ?? '',
      sdpMid: sdpMid ?? null,
      sdpMLineIndex: sdpMLineIndex ?? null,
      usernameFragment: usernameFragment ?? null,
    })
  }

  #flush(): void {
    const candidates = this.#candidates
    this.#candidates = []
    // Without one of them, others may do.
    if (!this.#isClosed) this.#options.send({ candidates }, () => {})
  }
}
