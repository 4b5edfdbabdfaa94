/** The first bytes, in hex, of the images that browsers draw without running anything. */
const SIGNATURES: readonly [type: string, start: RegExp][] = [
  ['image/png', /^89504e470d0a1a0a/],
  ['image/x-icon', /^00000100/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^474946383[79]61/],
  ['image/webp', /^52494646.{8}57454250/],
]
const SIGNATURE_BYTES = 12

/**
 * The media type of an image by its first bytes, whatever its server calls it. Undefined for
 * anything else, above all for SVG, which can contain scripts.
 */
export function imageTypeOf(bytes: Buffer): string | undefined {
  const start = bytes.toString('hex', 0, SIGNATURE_BYTES)
  return SIGNATURES.find(([, pattern]) => pattern.test(start))?.[0]
}
