/** What a connection sends. In a mesh, in the order of the media sections of its descriptions. */
export const SOURCES = ['microphone', 'camera', 'screen', 'screenSound'] as const
export type Source = (typeof SOURCES)[number]

export const KINDS: Readonly<Record<Source, 'audio' | 'video'>> = {
  microphone: 'audio',
  camera: 'video',
  screen: 'video',
  screenSound: 'audio',
}

/** The grant that a source needs. The state of a connection announces it by the same name. */
export const GRANT_OF = {
  microphone: 'audio',
  camera: 'camera',
  screen: 'screen',
  screenSound: 'screen',
} as const satisfies Record<Source, string>
