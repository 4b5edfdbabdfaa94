import type { LocalParticipant, LocalTrack, TrackPublishOptions } from 'livekit-client'
import type { MediaPlan } from '../media-plan.ts'
import type { Source } from '../../../voice/sources.ts'
import { LIVEKIT_SOURCES, SOURCES } from './sources.ts'

/** Publishes the own tracks as the plan says. */
export class Publisher {
  readonly #participant: LocalParticipant
  readonly #plan: MediaPlan
  /** Changes of each source are made one after the other. */
  readonly #work = new Map<Source, Promise<void>>()

  constructor(participant: LocalParticipant, plan: MediaPlan) {
    this.#participant = participant
    this.#plan = plan
  }

  /** The plan, its tracks or the own rights have changed. */
  sync(): void {
    for (const source of SOURCES) {
      const work = this.#work.get(source) ?? Promise.resolve()
      // A right that is missing on the LiveKit server may follow, which calls this again.
      this.#work.set(
        source,
        work.then(() => this.#sync(source)).catch(() => {}),
      )
    }
  }

  async #sync(source: Source): Promise<void> {
    const track = this.#plan.tracks()[source]
    const published = this.#participant.getTrackPublication(LIVEKIT_SOURCES[source])?.track
    if (!track) return published && this.#end(source, published)
    if (this.#plan.isPaused) return published?.pauseUpstream()
    if (!published) return void (await this.#participant.publishTrack(track, publishOptions(source, track)))
    if (published.mediaStreamTrack !== track) await published.replaceTrack(track)
    // The server mutes what a moderator mutes.
    if (published.isMuted) await published.unmute()
    await published.resumeUpstream()
  }

  /** A microphone stays published, so that it can be turned on without a delay. */
  async #end(source: Source, published: LocalTrack): Promise<void> {
    if (source === 'microphone') await published.pauseUpstream()
    else await this.#participant.unpublishTrack(published, false)
  }
}

function publishOptions(source: Source, { contentHint }: MediaStreamTrack): TrackPublishOptions {
  const options = { source: LIVEKIT_SOURCES[source] }
  if (source === 'screenSound') return { ...options, dtx: false }
  if (source !== 'screen') return options
  return {
    ...options,
    screenShareEncoding: { maxBitrate: 2_500_000, maxFramerate: 30 },
    degradationPreference: contentHint === 'motion' ? 'maintain-framerate' : 'maintain-resolution',
  }
}
