const MEDIA_LINE = /^m=\S+ \S+ \S+ (.+)$/
const CODEC_LINE = /^a=(?:rtpmap|fmtp|rtcp-fb):(\d+) /

/**
 * The session description without attributes of codecs that their section does not list. After
 * `setCodecPreferences`, Firefox leaves the feedback of the others in its offers, which Chromium
 * refuses.
 */
export function withListedCodecs(sdp: string): string {
  let listed: ReadonlySet<string> = new Set()
  const isKept = (line: string) => {
    const formats = MEDIA_LINE.exec(line)?.[1]
    if (formats !== undefined) listed = new Set(formats.split(' '))
    const codec = CODEC_LINE.exec(line)?.[1]
    return codec === undefined || listed.has(codec)
  }
  return sdp.split('\r\n').filter(isKept).join('\r\n')
}
