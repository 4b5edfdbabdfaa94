import type { Database } from '@latchkey/database/database'
import { elapsedMs } from '@latchkey/http/elapsed'
import type { Log } from '@latchkey/http/log'
import { recordAudit } from '../../audit/store.ts'
import type { Tables } from '../../db/tables.ts'
import type { VoiceSettings } from '../../settings/voice.ts'
import type { LiveKitApi, LiveKitRoom, Participant } from '../../voice/livekit/api.ts'
import type { LiveKit } from '../../voice/livekit/livekit.ts'
import { type Identity, formatIdentity, parseIdentity, sourcesOf } from '../../voice/livekit/tokens.ts'
import { listPeers, mayStayInCall } from '../../voice/store.ts'
import type { Bus } from '../bus.ts'
import { CoalescedTask } from '../coalesced-task.ts'
import type { ActivePeer } from './local-call.ts'

export interface MediaControlOptions {
  database: Database<Tables>
  log: Log
  /** Milliseconds since 1970. */
  now: () => number
  bus: Bus
  voice: VoiceSettings
  countRemoval: (reason: 'ended' | 'recorder') => void
}

type Suspects = ReadonlyMap<string, number>

/** Ticks come every second: every second one is due (R33.5). */
const LOOK_EVERY_MS = 1_500
const MAX_AUDITED_CHARACTERS = 100

/**
 * Makes LiveKit do what our leases say. Changes apply at once, and what fails or was missed is found
 * by looking at all participants every two seconds, on every node.
 */
export class MediaControl {
  readonly #options: MediaControlOptions
  readonly #livekit: LiveKit
  readonly #task: CoalescedTask
  #lookedAtMs = Number.NEGATIVE_INFINITY
  #isReachable = true
  /** Tracks and rooms with recordings that should not be, and since when, as of the last look. */
  #suspects = new Map<string, number>()

  constructor(livekit: LiveKit, options: MediaControlOptions) {
    this.#livekit = livekit
    this.#options = options
    this.#task = new CoalescedTask(() => this.#lookLogged())
  }

  /** Whether LiveKit answered last time. */
  get isReachable(): boolean {
    return this.#isReachable
  }

  async tick(): Promise<void> {
    const nowMs = this.#options.now()
    if (elapsedMs(this.#lookedAtMs, nowMs) < LOOK_EVERY_MS) return
    this.#lookedAtMs = nowMs
    await this.look()
  }

  /** Compares all participants with our leases. Never rejects. */
  look(): Promise<void> {
    return this.#task.run()
  }

  whenIdle(): Promise<void> {
    return this.#task.whenIdle()
  }

  /** Ends the media of a connection that has left the call. */
  remove(roomId: string, identity: Identity): void {
    void this.#attempt((api) =>
      api.removeParticipant(this.#livekit.roomName(roomId), formatIdentity(identity)),
    )
  }

  /** The rights of a connection have grown. Those that shrink end its lease. */
  permit(roomId: string, peer: ActivePeer): void {
    void this.#attempt((api) =>
      api.updateGrants(this.#livekit.roomName(roomId), formatIdentity(peer), peer.grants),
    )
  }

  /** A moderator has muted the connection. */
  mute(roomId: string, peer: ActivePeer): void {
    const room = this.#livekit.roomName(roomId)
    const identity = formatIdentity(peer)
    void this.#attempt(async (api) => {
      const participants = await api.listParticipants(room)
      for (const { sid, source } of participants.find((participant) => participant.identity === identity)
        ?.tracks ?? [])
        if (source === 'microphone') await api.muteTrack(room, identity, sid)
    })
  }

  async #attempt(work: (api: LiveKitApi) => Promise<unknown>): Promise<void> {
    try {
      await work(this.#livekit.api)
    } catch (error) {
      // The next look repeats the work.
      this.#options.log.warn('livekit: a change failed, and will be repeated', { error })
    }
  }

  async #lookLogged(): Promise<void> {
    const { log } = this.#options
    const seenBefore = this.#suspects
    this.#suspects = new Map()
    try {
      const rooms = await this.#livekit.api.listRooms()
      if (!this.#isReachable) log.info('livekit: reachable again')
      this.#isReachable = true
      const outcomes = await Promise.allSettled(rooms.map((room) => this.#lookInto(room, seenBefore)))
      for (const outcome of outcomes)
        if (outcome.status === 'rejected')
          log.warn('livekit: a room cannot be compared with its call', { error: outcome.reason })
    } catch (error) {
      if (this.#isReachable) log.warn('livekit: cannot be compared with the calls', { error })
      this.#isReachable = false
    }
  }

  /** Whether this should not be for so long that no announcement can be on its way. */
  #isOverdue(name: string, seenBefore: Suspects): boolean {
    const nowMs = this.#options.now()
    const sinceMs = seenBefore.get(name) ?? nowMs
    this.#suspects.set(name, sinceMs)
    return elapsedMs(sinceMs, nowMs) >= LOOK_EVERY_MS
  }

  async #lookInto({ name: room, active_recording }: LiveKitRoom, seenBefore: Suspects): Promise<void> {
    const roomId = this.#livekit.roomIdOf(room)
    if (roomId === undefined) return
    const { database, now, voice } = this.#options
    // The leases are read after the participants, and are older than those.
    const participants = await this.#livekit.api.listParticipants(room)
    const peers = await listPeers(database.read, { roomId, nowMs: now() }, voice.guests)
    const byIdentity = new Map(peers.filter(mayStayInCall).map((peer) => [formatIdentity(peer), peer]))
    for (const participant of participants) {
      const peer = byIdentity.get(participant.identity)
      if (isRecorder(participant)) await this.#removeRecorder(roomId, participant)
      else if (peer) await this.#adjust(room, { participant, peer, seenBefore })
      else if (await this.#livekit.api.removeParticipant(room, participant.identity))
        this.#options.countRemoval('ended')
    }
    if (active_recording) await this.#endRecording(roomId, seenBefore)
  }

  async #removeRecorder(roomId: string, { identity, kind }: Participant): Promise<void> {
    const room = this.#livekit.roomName(roomId)
    // One node removes it; the others find that it has left.
    if (!(await this.#livekit.api.removeParticipant(room, identity))) return
    await this.#report(roomId, { participant: identity.slice(0, MAX_AUDITED_CHARACTERS), kind })
  }

  /** A recording without a participant that could be removed ends with the room. People reconnect. */
  async #endRecording(roomId: string, seenBefore: Suspects): Promise<void> {
    const room = this.#livekit.roomName(roomId)
    if (!this.#isOverdue(room, seenBefore) || !(await this.#livekit.api.deleteRoom(room))) return
    await this.#report(roomId, { kind: 'RECORDING' })
  }

  async #report(roomId: string, metadata: Readonly<Record<string, string>>): Promise<void> {
    const { database, log, now, bus, countRemoval } = this.#options
    countRemoval('recorder')
    log.warn('livekit: recorder removed', { roomId, ...metadata })
    bus.publish({ kind: 'voice', roomId, hadRecorder: true })
    const origin = { clientIp: null, requestId: null, nowMs: now() }
    const target = { type: 'room', id: roomId } as const
    await database.write((tx) =>
      recordAudit(tx, { actorUserId: null, action: 'room.call.remove_recorder', target, metadata }, origin),
    )
  }

  /** Corrects the rights and the tracks of a participant. */
  async #adjust(
    room: string,
    { participant, peer, seenBefore }: { participant: Participant; peer: ActivePeer; seenBefore: Suspects },
  ): Promise<void> {
    const { api } = this.#livekit
    const { identity, tracks } = participant
    if (!hasRights(participant, peer)) await api.updateGrants(room, identity, peer.grants)
    for (const { sid, source, muted } of tracks)
      if (!muted && isUnannounced(source, peer) && this.#isOverdue(sid, seenBefore))
        await api.muteTrack(room, identity, sid)
  }
}

/** Recorders, agents and everything else that is no connection of a user. */
function isRecorder({ identity, kind, permission }: Participant): boolean {
  const isHidden = permission?.hidden === true || permission?.recorder === true
  return kind !== 'STANDARD' || isHidden || parseIdentity(identity) === undefined
}

function hasRights({ permission }: Participant, { grants }: ActivePeer): boolean {
  const sources = permission?.can_publish === true ? permission.can_publish_sources : []
  const wanted = sourcesOf(grants)
  return (
    permission?.can_publish_data === false &&
    // An empty list would allow all sources.
    permission.can_publish === wanted.length > 0 &&
    sources
      .map((source) => source.toLowerCase())
      .toSorted()
      .join() === wanted.toSorted().join()
  )
}

/** Whether others do not know of this track: they would not see whom they hear or watch. */
function isUnannounced(source: string, { camera, screen, muted }: ActivePeer): boolean {
  if (source === 'camera') return !camera
  if (source === 'microphone') return muted
  return !screen
}
