import type { LiveKitSettings } from '../../settings/voice.ts'
import { failure } from '../../api/failures.ts'
import type { Grants } from '../grants.ts'
import { LiveKitApi, LiveKitFailure } from './api.ts'
import {
  type Identity,
  type ParticipantToken,
  isSignedWebhook,
  readParticipantToken,
  signParticipantToken,
} from './tokens.ts'

/** Path of our own origin below which the signal socket of LiveKit is carried. */
export const LIVEKIT_PATH = '/api/livekit'

/** The LiveKit server of this instance, which may have rooms of others, too. */
export class LiveKit {
  readonly api: LiveKitApi
  readonly settings: LiveKitSettings
  readonly #prefix: string
  /** Clock of LiveKit as Rooms knows it, in milliseconds since 1970. */
  readonly now: () => number

  constructor(settings: LiveKitSettings, instanceId: string, now: () => number) {
    this.api = new LiveKitApi(settings, now)
    this.settings = settings
    this.#prefix = `${instanceId}:`
    this.now = now
  }

  /** Name that a room has at LiveKit. */
  roomName(roomId: string): string {
    return `${this.#prefix}${roomId}`
  }

  /** Undefined for rooms of others. */
  roomIdOf(name: string): string | undefined {
    return name.startsWith(this.#prefix) ? name.slice(this.#prefix.length) : undefined
  }

  /** URL for the client, which reaches Rooms at this origin. */
  urlFor(origin: string): string {
    const url = this.settings.publicUrl ?? `${origin}${LIVEKIT_PATH}`
    return url.replace(/^http/, 'ws')
  }

  signToken(identity: Identity, roomId: string, grants: Grants): Promise<string> {
    const room = this.roomName(roomId)
    return signParticipantToken(this.settings, { identity, room, grants }, this.now())
  }

  /** Undefined for a token that is not valid now. */
  readToken(token: string): Promise<ParticipantToken | undefined> {
    return readParticipantToken(this.settings, token, this.now())
  }

  isSignedWebhook(token: string, body: Uint8Array): Promise<boolean> {
    return isSignedWebhook(this.settings, { token, body }, this.now())
  }

  /** Throws `voice_unavailable` if LiveKit does not answer, or not to this key. */
  async requireAvailable(): Promise<void> {
    // No room has this name: the answer is short.
    await this.#orUnavailable(this.api.listRooms([this.#prefix]))
  }

  /** Creates the room at LiveKit unless there is one. Throws `voice_unavailable`. */
  async ensureRoom(roomId: string): Promise<void> {
    await this.#orUnavailable(this.api.createRoom(this.roomName(roomId)))
  }

  async #orUnavailable(work: Promise<unknown>): Promise<void> {
    try {
      await work
    } catch (error) {
      if (!(error instanceof LiveKitFailure)) throw error
      throw failure('voice_unavailable', { headers: { 'Retry-After': '5' } })
    }
  }
}
