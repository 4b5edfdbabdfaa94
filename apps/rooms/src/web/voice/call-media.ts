import type { CallPeer, CallState } from '../live/frames.ts'
import { OFF } from './call-snapshot.ts'
import { Devices } from './devices.ts'
import type { CallEngine, Engine, EngineOptions } from './engine.ts'
import { MediaPlan } from './media-plan.ts'
import type { DeviceKind } from './own-media.ts'
import { Playback } from './playback.ts'

const OWN_SPEAKING_LEVEL = 0.02

/** The media of a call on this page: its devices, its playback, and the engine between them. */
export class CallMedia {
  readonly devices: Devices
  readonly #plan: MediaPlan
  readonly #playback = new Playback()
  #engine: CallEngine | null = null

  /** `onScreenEnd`: the user ended the screen with the browser's own button. */
  constructor(onScreenEnd: () => void) {
    this.devices = new Devices(onScreenEnd)
    this.#plan = new MediaPlan(() => this.devices.media.tracks)
    this.#playback.setVolumes(this.devices.volumes())
    this.#playback.setSpeaker(this.devices.choices.speaker)
  }

  /** Null before joining and after `stop`. */
  get engine(): CallEngine | null {
    return this.#engine
  }

  /** Starts a new engine, which sends nothing yet. */
  start(newEngine: Engine, options: Omit<EngineOptions, 'plan' | 'playback'>): CallEngine {
    this.#engine?.close()
    this.#plan.state = OFF
    this.#engine = newEngine({ ...options, plan: this.#plan, playback: this.#playback })
    return this.#engine
  }

  /** Sends what this state says. */
  send(state: CallState): void {
    this.#plan.state = state
    this.#engine?.apply()
  }

  /** While paused, nothing is sent. */
  setPaused(isPaused: boolean): void {
    if (this.#plan.isPaused === isPaused) return
    this.#plan.isPaused = isPaused
    this.#engine?.apply()
  }

  setAudioOnly(isAudioOnly: boolean): void {
    this.#plan.isAudioOnly = isAudioOnly
    this.#engine?.apply()
  }

  setWatched(connectionId: string, isWatched: boolean): void {
    if (isWatched) this.#plan.watched.add(connectionId)
    else this.#plan.watched.delete(connectionId)
    this.#engine?.apply()
  }

  isWatched(connectionId: string): boolean {
    return this.#plan.watched.has(connectionId)
  }

  setVolume(userId: string, volume: number): void {
    this.#playback.setVolumes(this.devices.setVolume(userId, volume))
  }

  /** Uses another device from now on. Throws `MediaFailure`. */
  async choose(kind: DeviceKind | 'speaker', deviceId: string): Promise<void> {
    if (kind === 'speaker') this.#playback.setSpeaker(deviceId)
    await this.devices.choose(kind, deviceId)
    this.#engine?.apply()
  }

  /** Ids of connections whose users speak now; `own` for this one if its microphone is on. */
  speaking(peers: readonly CallPeer[], isOn: boolean): Set<string> {
    const ids = peers.map(({ connectionId }) => connectionId)
    const speaking = new Set(ids.filter((id) => this.#engine?.isSpeaking(id) === true))
    if (isOn && this.devices.level() > OWN_SPEAKING_LEVEL) speaking.add('own')
    return speaking
  }

  /** Ends what is sent and received. The devices stay open. */
  close(): void {
    this.#engine?.close()
  }

  stop(): void {
    this.close()
    this.#engine = null
    this.#plan.state = OFF
    this.devices.stop()
  }
}
