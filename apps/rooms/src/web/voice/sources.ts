/** What a connection sends. In a mesh, in the order of the media sections of its descriptions. */
export const SOURCES = ['microphone', 'camera', 'screen', 'screenSound'] as const
export type Source = (typeof SOURCES)[number]

/** Tracks to send. A source without a track sends nothing. */
export type Tracks = Readonly<Record<Source, MediaStreamTrack | null>>
