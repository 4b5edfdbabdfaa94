import sharp, { type Sharp } from 'sharp'

/** An image of one colour, wider than high. */
export function picture({ width = 900, height = 600 } = {}): Sharp {
  return sharp({ create: { width, height, channels: 3, background: 'teal' } })
}

/** A photo as a telephone takes it: lying on its side, with its position. */
export function photo(): Promise<Uint8Array<ArrayBuffer>> {
  const position = { GPSLatitudeRef: 'N', GPSLatitude: '59/1 19/1 0/1' }
  return bytesOf(
    picture()
      .jpeg()
      .withMetadata({ orientation: 6 })
      .withExifMerge({ IFD0: { Make: 'Telephone' }, IFD3: position }),
  )
}

/** Frames of three colours, with times of their own. */
export async function animation(): Promise<Uint8Array<ArrayBuffer>> {
  const frame = (background: string) =>
    sharp({ create: { width: 300, height: 200, channels: 3, background } })
      .png()
      .toBuffer()
  const frames = await Promise.all(['red', 'green', 'blue'].map(frame))
  return bytesOf(sharp(frames, { join: { animated: true } }).gif({ delay: [100, 200, 300], loop: 0 }))
}

export async function bytesOf(image: Sharp): Promise<Uint8Array<ArrayBuffer>> {
  return Uint8Array.from(await image.toBuffer())
}
