import { requireNoTransaction } from '@latchkey/database/transaction-scope'
import { z } from 'zod'
import type { LiveKitSettings } from '../../settings/voice.ts'
import type { Grants } from '../grants.ts'
import { type TrackSource, signApiToken, sourcesOf } from './tokens.ts'

const TIMEOUT_MS = 2_000

/** An error of LiveKit, or no answer at all. */
export class LiveKitFailure extends Error {
  /** Code of Twirp, such as `not_found`; `unreachable` without an answer. */
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

const Track = z.object({
  sid: z.string(),
  source: z.string().transform((source) => source.toLowerCase() as TrackSource),
  muted: z.boolean().default(false),
})

const Participant = z.object({
  identity: z.string(),
  kind: z.string().default('STANDARD'),
  tracks: z.array(Track).default([]),
  permission: z
    .object({
      can_publish: z.boolean().default(false),
      can_publish_data: z.boolean().default(false),
      can_publish_sources: z.array(z.string()).default([]),
      hidden: z.boolean().default(false),
      recorder: z.boolean().default(false),
    })
    .nullish(),
})
export type Participant = z.output<typeof Participant>

const Participants = z.object({ participants: z.array(Participant).default([]) })

const Rooms = z.object({
  rooms: z.array(z.object({ name: z.string(), active_recording: z.boolean().default(false) })).default([]),
})
export type LiveKitRoom = z.output<typeof Rooms>['rooms'][number]

/** Time after which LiveKit forgets a room without participants, in seconds. */
const EMPTY_SECONDS = 60

/** The part of LiveKit's room service that calls need. Throws `LiveKitFailure`. */
export class LiveKitApi {
  readonly #settings: Pick<LiveKitSettings, 'url' | 'key' | 'secret'>
  readonly #now: () => number

  constructor(settings: Pick<LiveKitSettings, 'url' | 'key' | 'secret'>, now: () => number) {
    this.#settings = settings
    this.#now = now
  }

  async listRooms(names: readonly string[] = []): Promise<LiveKitRoom[]> {
    const answer = await this.#send('ListRooms', { names }, { roomList: true })
    return Rooms.parse(answer).rooms
  }

  /** Creates the room unless there is one. */
  async createRoom(name: string): Promise<void> {
    const room = { name, empty_timeout: EMPTY_SECONDS, departure_timeout: EMPTY_SECONDS }
    await this.#send('CreateRoom', room, { roomCreate: true })
  }

  /** False if there is no such room. */
  deleteRoom(room: string): Promise<boolean> {
    return isThere(this.#send('DeleteRoom', { room }, { roomCreate: true }))
  }

  async listParticipants(room: string): Promise<Participant[]> {
    return Participants.parse(await this.#administer('ListParticipants', { room })).participants
  }

  /** False if the participant is not there, as in the following. */
  removeParticipant(room: string, identity: string): Promise<boolean> {
    return isThere(this.#administer('RemoveParticipant', { room, identity }))
  }

  /** Changes what a participant may publish. LiveKit ends tracks that are not allowed any more. */
  updateGrants(room: string, identity: string, grants: Grants): Promise<boolean> {
    const sources = sourcesOf(grants)
    const permission = {
      can_subscribe: true,
      can_publish: sources.length > 0,
      can_publish_sources: sources.map((source) => source.toUpperCase()),
      can_publish_data: false,
    }
    return isThere(this.#administer('UpdateParticipant', { room, identity, permission }))
  }

  muteTrack(room: string, identity: string, track_sid: string): Promise<boolean> {
    return isThere(this.#administer('MutePublishedTrack', { room, identity, track_sid, muted: true }))
  }

  #administer(method: string, body: { room: string } & Record<string, unknown>): Promise<unknown> {
    return this.#send(method, body, { roomAdmin: true, room: body.room })
  }

  async #send(method: string, body: unknown, grant: Readonly<Record<string, unknown>>): Promise<unknown> {
    requireNoTransaction('LiveKit')
    const { url, ...signing } = this.#settings
    const token = await signApiToken(signing, grant, this.#now())
    let response: Response
    let text: string
    try {
      response = await fetch(`${url}/twirp/livekit.RoomService/${method}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      text = await response.text()
    } catch (error) {
      throw new LiveKitFailure('unreachable', error instanceof Error ? error.message : String(error))
    }
    const answer = parseObject(text)
    if (response.ok && answer) return answer
    const { code, msg } = answer ?? {}
    // LiveKit refuses tokens before it speaks Twirp.
    const other = response.status === 401 ? 'unauthenticated' : 'unreachable'
    throw new LiveKitFailure(
      typeof code === 'string' ? code : other,
      typeof msg === 'string' ? msg : `it answered ${response.status}`,
    )
  }
}

/** Waits for a change. False if there was nothing to change. */
async function isThere(change: Promise<unknown>): Promise<boolean> {
  try {
    await change
    return true
  } catch (error) {
    if (error instanceof LiveKitFailure && error.code === 'not_found') return false
    throw error
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    return z.record(z.string(), z.unknown()).safeParse(JSON.parse(text)).data
  } catch {
    return undefined
  }
}
