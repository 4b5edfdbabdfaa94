import type { CallPeer } from '../live/frames.ts'
import type { MediaPlan } from './media-plan.ts'

const SOUNDS = ['microphone', 'screenSound'] as const
type Sound = (typeof SOUNDS)[number]

interface Players extends Record<Sound, HTMLAudioElement> {
  userId: string
}

/** Plays the sound of a call. */
export class Playback {
  readonly #players = new Map<string, Players>()
  #volumes: ReadonlyMap<string, number> = new Map()
  #speakerId: string | undefined

  /** Plays what a peer sends, as far as the plan allows. */
  play(peer: CallPeer, tracks: Readonly<Record<Sound, MediaStreamTrack | null>>, plan: MediaPlan): void {
    const players = this.#playersOf(peer)
    for (const sound of SOUNDS) {
      players[sound].muted = !plan.shows(peer, sound)
      playTrack(players[sound], tracks[sound])
    }
  }

  stop(connectionId: string): void {
    const players = this.#players.get(connectionId)
    this.#players.delete(connectionId)
    for (const sound of SOUNDS) if (players) players[sound].srcObject = null
  }

  /** Volumes from 0 to 1, by user. */
  setVolumes(volumes: ReadonlyMap<string, number>): void {
    this.#volumes = volumes
    for (const players of this.#players.values()) this.#configure(players)
  }

  /** Plays on this device where the browser can. */
  setSpeaker(deviceId: string | undefined): void {
    this.#speakerId = deviceId
    for (const players of this.#players.values()) this.#configure(players)
  }

  #playersOf({ connectionId, userId }: CallPeer): Players {
    const existing = this.#players.get(connectionId)
    if (existing) return existing
    const players = { userId, microphone: new Audio(), screenSound: new Audio() }
    this.#players.set(connectionId, players)
    this.#configure(players)
    return players
  }

  #configure(players: Players): void {
    for (const sound of SOUNDS) {
      const player = players[sound]
      player.volume = this.#volumes.get(players.userId) ?? 1
      if (this.#speakerId !== undefined) void player.setSinkId?.(this.#speakerId).catch(() => {})
    }
  }
}

function playTrack(player: HTMLAudioElement, track: MediaStreamTrack | null): void {
  const { srcObject } = player
  const playing = srcObject instanceof MediaStream ? srcObject.getTracks()[0] : undefined
  if (!track || track === playing) return
  player.srcObject = new MediaStream([track])
  // Browsers that start no sound on their own did so for the press that joined.
  void player.play().catch(() => {})
}
