import { call } from '../call.ts'
import type { CallFrame } from '../live/call-channel.ts'
import type { CallPeer, CallState } from '../live/frames.ts'
import { live } from '../live/live.ts'
import { type CallFailure, type CallSnapshot, INITIAL, OFF } from './call-snapshot.ts'
import { CallLink } from './call-link.ts'
import { CallMedia } from './call-media.ts'
import type { Engine, JoinedCall, PeerMedia } from './engine.ts'
import { type DeviceKind, MediaFailure, MediaStopped, type ScreenDetail } from './own-media.ts'
import { playComing, playGoing } from './sounds.ts'
import type { CallChoices } from './stored-choices.ts'
import type { CallRoom } from './call-room.ts'

export type CallAction = 'mute' | 'lower_hand' | 'remove'

/** Time without a frame of the server after which no media are sent (R33.5). */
const PAUSE_AFTER_MS = 2_000
/** Time without a frame of the server after which all connections are closed. */
const END_AFTER_MS = 10_000
/** Time within which media should flow. */
const MEDIA_WITHIN_MS = 8_000
/** Media that flowed for this long will also flow when the call is joined again. */
const SETTLED_MS = 3_000
/** The server says why it has removed a connection, which joins again only if it does not. */
const REMOVAL_REASON_MS = 2_500
const LEVELS_MS = 150

const JOIN_FAILURES: Readonly<Record<string, CallFailure>> = {
  voice_full: 'full',
  voice_off: 'off',
  forbidden: 'forbidden',
  guests_not_allowed: 'forbidden',
  voice_unavailable: 'unavailable',
  unavailable: 'unavailable',
}

/** The call that this page is in, from joining to leaving (R33). Survives lost connections. */
export class CallSession {
  readonly room: CallRoom
  readonly #onOver: () => void
  readonly #media: CallMedia
  readonly #watchers = new Set<() => void>()
  #snapshot = INITIAL
  readonly #link: CallLink
  readonly #timer: ReturnType<typeof setInterval>
  /** Changes of the own state are made one after the other. */
  #work: Promise<void> = Promise.resolve()
  /** Whether the microphone is wanted on, which may change while it is being opened. */
  #wantsMicrophone = false
  #joinedAt = 0
  isOver = false

  constructor(room: CallRoom, onOver: () => void) {
    this.room = room
    this.#onOver = onOver
    this.#media = new CallMedia(() => void this.setScreen(false))
    this.#timer = setInterval(() => this.#readLevels(), LEVELS_MS)
    this.#link = new CallLink(room.id, {
      joined: (id, joined, engine) => this.#start(id, joined, engine),
      renewed: (joined) => this.#media.engine?.renew(joined),
      frame: (frame) => this.#apply(frame),
      interrupted: () => this.#set({ phase: 'reconnecting' }),
      refused: (code) => this.#fail(JOIN_FAILURES[code] ?? 'failed'),
      silence: (ms) => this.#onSilence(ms),
      ended: () => this.leave(),
    })
  }

  watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  state = (): CallSnapshot => this.#snapshot

  /** Media received from a peer now. */
  mediaOf(connectionId: string): PeerMedia | undefined {
    return this.#media.engine?.media(connectionId)
  }

  /** The own camera or screen, to show it to the user. */
  ownTrack(source: 'camera' | 'screen'): MediaStreamTrack | null {
    return this.#media.devices.media.tracks[source]
  }

  isWatched(connectionId: string): boolean {
    return this.#media.isWatched(connectionId)
  }

  async setMicrophone(isOn: boolean): Promise<void> {
    this.#wantsMicrophone = isOn
    await this.#attempt(async () => {
      if (isOn) await this.#media.devices.openMicrophone()
      if (this.#wantsMicrophone === isOn) await this.#setOwn({ audio: isOn })
    })
  }

  async setCamera(isOn: boolean): Promise<void> {
    await this.#attempt(async () => {
      if (isOn) await this.#media.devices.media.open('camera')
      await this.#setOwn({ camera: isOn })
      if (!this.#snapshot.own.camera) this.#media.devices.media.close('camera')
    })
  }

  async setScreen(isOn: boolean, detail: ScreenDetail = 'sharp'): Promise<void> {
    await this.#attempt(async () => {
      if (isOn && !(await this.#media.devices.media.openScreen(detail))) return
      await this.#setOwn({ screen: isOn })
      if (!this.#snapshot.own.screen) this.#media.devices.media.closeScreen()
    })
  }

  async setHand(isUp: boolean): Promise<void> {
    await this.#attempt(() => this.#setOwn({ hand: isUp }))
  }

  async choose(kind: DeviceKind | 'speaker', deviceId: string): Promise<void> {
    await this.#attempt(async () => {
      await this.#media.choose(kind, deviceId)
      this.#set({})
    })
  }

  get choices(): CallChoices {
    return this.#media.devices.choices
  }

  setVolume(userId: string, volume: number): void {
    this.#media.setVolume(userId, volume)
    this.#set({})
  }

  setAudioOnly(isAudioOnly: boolean): void {
    this.#media.setAudioOnly(isAudioOnly)
    this.#set({ isAudioOnly })
  }

  setWatched(connectionId: string, isWatched: boolean): void {
    this.#media.setWatched(connectionId, isWatched)
    this.#set({})
  }

  async moderate(userId: string, action: CallAction): Promise<void> {
    await call('moderateCall', { params: { id: this.room.id, userId }, body: { action } })
  }

  dismissFailure(): void {
    this.#set({ failure: null })
  }

  /** Joins again after a failure. */
  retry(): void {
    this.#set({ phase: 'joining', failure: null })
    this.#link.retry()
  }

  /** Leaves the call, or closes one that has failed. */
  leave(): void {
    if (this.isOver) return
    this.isOver = true
    this.#media.stop()
    clearInterval(this.#timer)
    this.#link.stop()
    this.#onOver()
  }

  /** The call is over for this page, until the user tries again. */
  #fail(failure: CallFailure): void {
    this.#link.pause()
    this.#media.stop()
    this.#set({ phase: 'failed', peers: [], own: OFF, failure })
  }

  #set(changes: Partial<CallSnapshot>): void {
    this.#snapshot = { ...this.#snapshot, ...changes }
    for (const watcher of this.#watchers) watcher()
  }

  /** Shows why it did not work. Another attempt may. */
  #attempt(work: () => Promise<void>): Promise<void> {
    return (this.#work = this.#work.then(work).catch((error: unknown) => {
      if (this.isOver || error instanceof MediaStopped) return
      this.#set({ failure: error instanceof MediaFailure ? error.code : 'failed' })
    }))
  }

  /** The server decides before anything is sent. */
  async #setOwn(changes: Partial<CallState>): Promise<void> {
    const wanted = { ...this.#snapshot.own, ...changes }
    const { phase } = this.#snapshot
    if (phase === 'failed' || this.isOver) return
    // Sent after joining.
    if (phase !== 'in') return this.#set({ own: wanted })
    // Descriptions must not send what the server does not expect any more.
    this.#media.send(keepOnly(this.#snapshot.own, wanted))
    const refusal = await live.calls.sendState(this.room.id, wanted)
    if (this.isOver) return
    if (refusal === undefined) {
      this.#media.send(wanted)
      return this.#set({
        own: wanted,
        isMuted: this.#snapshot.isMuted && !wanted.audio,
        handAt: wanted.hand ? (this.#snapshot.handAt ?? new Date().toISOString()) : null,
        failure: null,
      })
    }
    this.#media.send(this.#snapshot.own)
    if (refusal === 'voice_full') this.#set({ failure: 'camerasFull' })
    else if (refusal === 'forbidden') this.#set({ failure: 'forbidden' })
    else if (refusal !== 'not_present') this.#set({ failure: 'failed' })
  }

  #start(id: string, joined: JoinedCall, newEngine: Engine): void {
    const { call: started, peers, grants } = joined
    this.#joinedAt = Date.now()
    const engine = this.#media.start(newEngine, {
      ownId: id,
      joined,
      mayTalk: () => this.#snapshot.grants.audio,
      send: (to, signal, onRefusal) => live.calls.sendSignal(this.room.id, to, signal, onRefusal),
      onChange: () => this.#set({}),
      onLost: (isRemoved) => this.#onLost(isRemoved),
    })
    const before = this.#snapshot.own
    const own = { ...OFF, hand: before.hand }
    // Said until media flow.
    const failure = this.#snapshot.failure === 'noMedia' ? 'noMedia' : null
    this.#set({ phase: 'in', startedAt: started.startedAt, grants, peers, own, failure })
    for (const peer of peers) engine.add(peer, true)
    // After a lost connection, everything goes on as it was.
    const { audio, camera, screen } = before
    const wanted = {
      audio: audio && grants.audio,
      camera: camera && grants.camera,
      screen: screen && grants.screen,
      hand: before.hand,
    }
    if (Object.values(wanted).some(Boolean)) void this.#attempt(() => this.#setOwn(wanted))
  }

  #apply(frame: CallFrame): void {
    switch (frame.type) {
      case 'voice.joined':
        return this.#onJoined(frame.peer)
      case 'voice.left':
        return this.#onLeft(frame.connectionId)
      case 'voice.changed':
        return this.#onChanged(frame.peer)
      case 'voice.hand':
        return this.#onHand(frame.connectionId, frame.hand)
      case 'voice.signal':
        return this.#media.engine?.receive(frame.from, frame)
      case 'voice.recorder':
        return this.#set({ failure: 'recorder' })
      case 'voice.removed':
        return this.#onRemoved(frame.reason)
      case 'room.removed':
        return this.leave()
    }
  }

  #onJoined(peer: CallPeer): void {
    if (this.#snapshot.peers.some(({ connectionId }) => connectionId === peer.connectionId)) return
    this.#set({ peers: [...this.#snapshot.peers, peer] })
    this.#media.engine?.add(peer, false)
    playComing()
  }

  #onLeft(connectionId: string): void {
    const peers = this.#snapshot.peers.filter((peer) => peer.connectionId !== connectionId)
    if (peers.length === this.#snapshot.peers.length) return
    this.#set({ peers })
    this.#media.engine?.remove(connectionId)
    playGoing()
  }

  #onChanged(peer: CallPeer): void {
    if (peer.connectionId === this.#link.connectionId) return this.#onOwnChange(peer)
    const peers = this.#snapshot.peers.map((other) =>
      other.connectionId === peer.connectionId ? peer : other,
    )
    this.#set({ peers })
    this.#media.engine?.update(peer)
  }

  #onOwnChange({ muted, grants }: CallPeer): void {
    const own = muted ? { ...this.#snapshot.own, audio: false } : this.#snapshot.own
    this.#set({ own, grants, isMuted: muted })
    this.#media.send(own)
  }

  #onHand(connectionId: string, hand: string | null): void {
    if (connectionId === this.#link.connectionId)
      return this.#set({ handAt: hand, own: { ...this.#snapshot.own, hand: hand !== null } })
    const peers = this.#snapshot.peers.map((peer) =>
      peer.connectionId === connectionId ? { ...peer, hand } : peer,
    )
    this.#set({ peers })
  }

  #onRemoved(reason: Extract<CallFrame, { type: 'voice.removed' }>['reason']): void {
    this.#media.close()
    if (reason === 'left') return this.leave()
    if (reason === 'removed' || reason === 'off') return this.#fail(reason)
    this.#set({ phase: 'reconnecting', peers: [] })
    this.#link.rejoin()
  }

  #onLost(isRemoved: boolean): void {
    this.#media.close()
    if (this.#snapshot.phase !== 'in') return
    this.#set({ phase: 'reconnecting' })
    this.#link.rejoin(isRemoved ? REMOVAL_REASON_MS : 0)
  }

  /** A right may have ended: nothing is sent until the server answers. */
  #onSilence(ms: number): void {
    this.#media.setPaused(ms > PAUSE_AFTER_MS)
    if (ms > END_AFTER_MS) this.#media.close()
    else if (this.#snapshot.phase === 'in') this.#checkMedia()
  }

  /** Says when media cannot flow, which a network may forbid. */
  #checkMedia(): void {
    const ageMs = Date.now() - this.#joinedAt
    const { failure } = this.#snapshot
    if (this.#media.engine?.isConnected === false) {
      if (ageMs > MEDIA_WITHIN_MS && failure === null) this.#set({ failure: 'noMedia' })
      return
    }
    if (ageMs > SETTLED_MS) this.#link.confirm()
    if (failure === 'noMedia') this.#set({ failure: null })
  }

  #readLevels(): void {
    if (this.#snapshot.phase !== 'in') return
    const { peers, own } = this.#snapshot
    const speaking = this.#media.speaking(peers, own.audio)
    const before = this.#snapshot.speaking
    if (speaking.size !== before.size || !speaking.isSubsetOf(before)) this.#set({ speaking })
  }
}

/** The media that are on in both states. */
function keepOnly(before: CallState, wanted: CallState): CallState {
  return {
    audio: before.audio && wanted.audio,
    camera: before.camera && wanted.camera,
    screen: before.screen && wanted.screen,
    hand: wanted.hand,
  }
}
