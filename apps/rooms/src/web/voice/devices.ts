import { MicrophoneLevel } from './microphone-level.ts'
import { type DeviceKind, OwnMedia } from './own-media.ts'
import { type CallChoices, readChoices, storeChoices } from './stored-choices.ts'

/** The devices of this user in a call, as they chose them. */
export class Devices {
  readonly media: OwnMedia
  readonly #level = new MicrophoneLevel()
  #choices: CallChoices = readChoices()

  /** `onScreenEnd`: the user ended the screen with the browser's own button. */
  constructor(onScreenEnd: () => void) {
    this.media = new OwnMedia(this.#choices, onScreenEnd)
  }

  get choices(): CallChoices {
    return this.#choices
  }

  /** Opens the microphone and measures it. Throws `MediaFailure`. */
  async openMicrophone(): Promise<void> {
    this.#level.follow(await this.media.open('microphone'))
  }

  /** Loudness of the microphone, from 0 to 1. */
  level(): number {
    return this.#level.read()
  }

  /** Uses another device from now on, in this call and in later ones. Throws `MediaFailure`. */
  async choose(kind: DeviceKind | 'speaker', deviceId: string): Promise<void> {
    this.#store({ [kind]: deviceId })
    if (kind === 'speaker') return
    await this.media.choose(kind, deviceId)
    const { microphone } = this.media.tracks
    if (kind === 'microphone' && microphone) this.#level.follow(microphone)
  }

  /** Volumes other than 1, by user. */
  volumes(): ReadonlyMap<string, number> {
    return new Map(Object.entries(this.#choices.volumes ?? {}))
  }

  setVolume(userId: string, volume: number): ReadonlyMap<string, number> {
    this.#store({ volumes: { ...this.#choices.volumes, [userId]: volume } })
    return this.volumes()
  }

  stop(): void {
    this.media.stop()
    this.#level.stop()
  }

  #store(changes: CallChoices): void {
    this.#choices = { ...this.#choices, ...changes }
    storeChoices(changes)
  }
}
