/** Types that a browser may display. They are recognised by the bytes of a file (R31.3). */
export const INLINE_TYPES = [
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
  'image/avif',
  'video/mp4',
  'audio/mp4',
  'video/webm',
  'audio/mpeg',
  'audio/ogg',
  'video/ogg',
] as const

export const OTHER_TYPE = 'application/octet-stream'

/** HEIC is an image whose metadata is removed, but browsers do not display it. */
export type MediaType = (typeof INLINE_TYPES)[number] | 'image/heic' | typeof OTHER_TYPE

/** Types that guests may send with `ROOMS_GUEST_FILES=images` (R34). */
export const GUEST_TYPES: ReadonlySet<MediaType> = new Set([
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/gif',
])

/** Bytes at the beginning of a file from which its type is recognised. */
export const HEAD_BYTES = 4096

export function isInline(type: string): boolean {
  return INLINE_TYPES.some((inline) => inline === type)
}

/** The type of a file with these first bytes, whatever its name and its sender say. */
export function recognizeType(head: Uint8Array): MediaType {
  const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('latin1')
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (text.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (/^GIF8[79]a/.test(text)) return 'image/gif'
  if (/^RIFF[^]{4}WEBP/.test(text)) return 'image/webp'
  if (/^[^]{4}ftyp/.test(text)) return typeOfBrands(text)
  // Matroska has the same beginning and another document type.
  if (text.startsWith('\x1aE\xdf\xa3') && /B\x82[^]{1,2}webm/.test(text.slice(0, 80))) return 'video/webm'
  if (text.startsWith('OggS')) return text.includes('\x80theora') ? 'video/ogg' : 'audio/ogg'
  if (text.startsWith('ID3') || isMp3Frame(head)) return 'audio/mpeg'
  return OTHER_TYPE
}

/** ISO base media files name their brands in the box `ftyp` (ISO/IEC 14496-12, section 4.3). */
function typeOfBrands(text: string): MediaType {
  const length = Math.min(Buffer.from(text.slice(0, 4), 'latin1').readUInt32BE(), 512)
  const major = text.slice(8, 12)
  const brands = [major, ...(text.slice(16, length).match(/[^]{4}/g) ?? [])]
  if (brands.some((brand) => /^avi[fs]$/.test(brand))) return 'image/avif'
  if (brands.some((brand) => /^(?:hei[cxms]|hev[cxms]|mif1|msf1)$/.test(brand))) return 'image/heic'
  if (/^M4[AB] $/.test(major)) return 'audio/mp4'
  return /^(?:isom|iso\d|mp4\d|avc1|dash|M4V |mmp4|f4v )$/.test(major) ? 'video/mp4' : OTHER_TYPE
}

const BITRATES = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0]
const SAMPLE_RATES = [44_100, 48_000, 32_000, 0]

/** MPEG 1 layer III without tags: a valid frame header, and another where that frame ends. */
function isMp3Frame(head: Uint8Array): boolean {
  const length = frameLength(head, 0)
  return length > 0 && frameLength(head, length) > 0
}

/** 0 if no frame begins there. */
function frameLength(head: Uint8Array, at: number): number {
  const [sync = 0, version = 0, rates = 0] = head.subarray(at, at + 3)
  if (sync !== 0xff || (version & 0xfe) !== 0xfa) return 0
  const bitrate = BITRATES[rates >> 4] ?? 0
  const sampleRate = SAMPLE_RATES[(rates >> 2) & 3] ?? 0
  if (bitrate === 0 || sampleRate === 0) return 0
  return Math.floor((144_000 * bitrate) / sampleRate) + ((rates >> 1) & 1)
}
