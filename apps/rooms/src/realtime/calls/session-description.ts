/** Number of media sections that a session description sends, by kind. */
export interface SentMedia {
  audio: number
  video: number
  /** Sections of other kinds, such as data channels, whether they send or not. */
  other: number
}

const DIRECTION = /^a=(sendrecv|sendonly|recvonly|inactive)$/

/** Counts what a session description (RFC 8866) sends. Without a direction, a section sends. */
export function countSentMedia(sdp: string): SentMedia {
  const sent: SentMedia = { audio: 0, video: 0, other: 0 }
  const [session = [], ...sections] = splitSections(sdp)
  const defaultDirection = findDirection(session) ?? 'sendrecv'
  for (const lines of sections) {
    const [kind = '', port] = (lines[0] ?? '').slice('m='.length).split(' ')
    if (kind !== 'audio' && kind !== 'video') sent.other++
    // Port 0 rejects a section, unless it shares the port of another one (RFC 9143).
    else if (port === '0' && !lines.includes('a=bundle-only')) continue
    else if ((findDirection(lines) ?? defaultDirection).startsWith('send')) sent[kind]++
  }
  return sent
}

/** The lines before the first media section, and those of each section. */
function splitSections(sdp: string): string[][] {
  const sections: string[][] = [[]]
  for (const line of sdp.split(/\r\n|\r|\n/)) {
    if (line.startsWith('m=')) sections.push([])
    sections.at(-1)?.push(line.trimEnd())
  }
  return sections
}

/** Readers differ in which of several directions they use: one that sends counts. */
function findDirection(lines: readonly string[]): string | undefined {
  const directions = lines.flatMap((line) => DIRECTION.exec(line)?.[1] ?? [])
  return directions.find((direction) => direction.startsWith('send')) ?? directions[0]
}
