import type { Source } from '../../voice/sources.ts'

/** Tracks to send. A source without a track sends nothing. */
export type Tracks = Readonly<Record<Source, MediaStreamTrack | null>>
