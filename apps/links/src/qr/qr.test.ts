import { beforeAll, expect, test } from 'bun:test'
import { convertIndexedToRgb, decode as decodePng } from 'fast-png'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import type { QrLevel } from './modules.ts'
import { contrastRatio, type QrOptions, QrTooSmall, renderQr } from './qr.ts'

const LEVELS: QrLevel[] = ['L', 'M', 'Q', 'H']
const SHORT_ORIGIN = 'https://example.com'
// 253 characters is the longest host name that DNS allows.
const LONG_ORIGIN = `https://${[61, 63, 63, 63].map((length) => 'h'.repeat(length)).join('.')}:65535`
const DEFAULTS: QrOptions = {
  text: target(SHORT_ORIGIN, 6),
  format: 'png',
  size: 220,
  level: 'M',
  margin: 4,
  dark: '000000',
  light: 'ffffff',
}

beforeAll(async () => {
  const file = Bun.file(Bun.fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm')))
  await prepareZXingModule({ overrides: { wasmBinary: await file.arrayBuffer() }, fireImmediately: true })
})

function target(origin: string, slugLength: number): string {
  const middle = 'x7.q_2~k-'.repeat(15).slice(0, Math.max(0, slugLength - 2))
  return `${origin}/${slugLength === 1 ? 'a' : `a${middle}9`}?utm_medium=qr`
}

function svg(options: Partial<QrOptions> = {}): string {
  const { body } = renderQr({ ...DEFAULTS, ...options, format: 'svg' })
  if (typeof body !== 'string') throw new TypeError('an SVG is text')
  return body
}

function png(options: Partial<QrOptions> = {}): Uint8Array {
  const { body } = renderQr({ ...DEFAULTS, ...options, format: 'png' })
  if (typeof body === 'string') throw new TypeError('a PNG is bytes')
  return body
}

/** Modules per side, including the quiet zone: the size of the smallest PNG. */
function sideOf(image: string): number {
  return Number(/viewBox="0 0 (\d+) \1"/.exec(image)?.[1])
}

async function read(image: Uint8Array | ImageData): Promise<{ text: string; level: string } | undefined> {
  const input = image instanceof Uint8Array ? image.slice() : image
  const [code] = await readBarcodes(input, { formats: ['QRCode'] })
  return code && { text: code.text, level: code.ecLevel }
}

// The pattern is the whole grammar of our SVG, so a match proves that it contains nothing else.
const SVG =
  /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" width="(\d+)" height="\1" viewBox="0 0 (\d+) \2" shape-rendering="crispEdges"><rect width="\2" height="\2" fill="#([\da-f]{6})"\/><path fill="#([\da-f]{6})" d="((?:M\d+ \d+h\d+v1h-\d+z)+)"\/><\/svg>$/

/** Paints the SVG at two pixels per module, as a browser would. */
function paint(image: string): ImageData {
  const [, , side, light = '', dark = '', path = ''] = SVG.exec(image) ?? []
  const width = Number(side) * 2
  const [ground, ink] = [light, dark].map((color) => Buffer.from(`${color}ff`, 'hex').readUInt32LE())
  const pixels = new Uint32Array(width * width).fill(ground ?? 0)
  for (const [, left, top, run, back] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-(\d+)z/g)) {
    if (run !== back) throw new Error('a run of modules must be closed')
    for (let y = Number(top) * 2; y < Number(top) * 2 + 2; y++) {
      const start = y * width + Number(left) * 2
      pixels.fill(ink ?? 0, start, start + Number(run) * 2)
    }
  }
  return { data: new Uint8ClampedArray(pixels.buffer), width, height: width, colorSpace: 'srgb' }
}

for (const [name, origin] of [
  ['an ordinary origin', SHORT_ORIGIN],
  ['the longest origin', LONG_ORIGIN],
] as const)
  for (const level of LEVELS)
    test(`L11.2 L24.9 every slug of 1 to 128 characters on ${name} decodes again at level ${level}, in both formats`, async () => {
      for (let length = 1; length <= 128; length++) {
        const text = target(origin, length)
        const options = { text, level, margin: length % 17 }
        const image = svg(options)
        const size = sideOf(image) * (1 + (length % 3))
        expect(await read(png({ ...options, size }))).toEqual({ text, level })
        expect(await read(paint(image))).toEqual({ text, level })
      }
    }, 30_000)

test('any two colours with enough contrast decode again', async () => {
  const pairs = [
    ['949494', 'ffffff'],
    ['000000', '5a5a5a'],
    ['cc0000', 'ffee00'],
    ['003366', 'ffccff'],
    ['0000ff', '00ff00'],
    ['0a5c2b', 'f6f1d1'],
  ] as const
  for (const [dark, light] of pairs) {
    expect(contrastRatio(dark, light)).toBeGreaterThanOrEqual(3)
    expect((await read(png({ dark, light })))?.text).toBe(DEFAULTS.text)
    expect((await read(paint(svg({ dark, light }))))?.text).toBe(DEFAULTS.text)
  }
})

test('a PNG has exactly the requested size and colours, with the code in its centre', () => {
  for (const size of [29, 34, 47, 64, 219, 220, 221, 500, 1023, 2047, 2048]) {
    const image = decodePng(png({ size, margin: 0, text: 'https://a.io/b?utm_medium=qr', dark: '102030' }))
    expect([image.width, image.height, image.depth, image.channels]).toEqual([size, size, 1, 1])
    expect(image.palette).toEqual([
      [255, 255, 255],
      [16, 32, 48],
    ])
    const pixels = convertIndexedToRgb(image)
    const isDark = (x: number, y: number) => pixels[(y * size + x) * 3] === 16
    const line = Array.from({ length: size }, (_, at) => at)
    const columns = line.filter((x) => line.some((y) => isDark(x, y)))
    const rows = line.filter((y) => line.some((x) => isDark(x, y)))
    for (const used of [columns, rows]) {
      const [before, after] = [used.at(0) ?? 0, size - 1 - (used.at(-1) ?? 0)]
      expect(after - before).toBeWithin(0, 2)
      expect(used.length % 29).toBe(0)
    }
  }
})

test('the margin has the requested number of light modules', () => {
  const bare = sideOf(svg({ margin: 0 }))
  for (const margin of [0, 1, 4, 16]) {
    const image = svg({ margin })
    expect(sideOf(image)).toBe(bare + 2 * margin)
    expect(image).toContain(`d="M${margin} ${margin}h7v1h-7z`)
  }
})

test('an SVG has exactly the requested size, and contains no text of ours or of the user', () => {
  for (const size of [1, 20, 220, 2048]) {
    const image = svg({ size, text: 'https://example.com/"><script>alert(1)</script>' })
    expect(image).toMatch(SVG)
    expect(image).toStartWith(`<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" `)
  }
})

test('the content type names the format', () => {
  expect(renderQr({ ...DEFAULTS, format: 'svg' }).contentType).toBe('image/svg+xml')
  expect(renderQr({ ...DEFAULTS, format: 'png' }).contentType).toBe('image/png')
})

test('L11.3 a PNG with less than one pixel per module is refused with the smallest size, which then works', async () => {
  for (const options of [
    { text: target(SHORT_ORIGIN, 1), level: 'L', margin: 0 },
    { text: target(LONG_ORIGIN, 128), level: 'H', margin: 16 },
  ] as const) {
    const refusal = catchRefusal(() => png({ ...options, size: 1 }))
    expect(refusal.minSize).toBe(sideOf(svg(options)))
    expect(refusal.message).toContain(String(refusal.minSize))
    expect(catchRefusal(() => png({ ...options, size: refusal.minSize - 1 }))).toEqual(refusal)
    expect((await read(png({ ...options, size: refusal.minSize })))?.text).toBe(options.text)
  }
})

test('a text beyond the largest QR version throws a RangeError that names the cause', () => {
  const largest = 'x'.repeat(1273)
  expect(() => svg({ text: largest, level: 'H' })).not.toThrow()
  expect(() => svg({ text: `${largest}x`, level: 'H' })).toThrow(
    new RangeError('1274 bytes do not fit in a QR code of level H'),
  )
})

test('images stay small', () => {
  const longest = { text: target(LONG_ORIGIN, 128), level: 'H' } as const
  expect(png().length).toBeLessThan(1_000)
  expect(svg().length).toBeLessThan(6_000)
  expect(svg(longest).length).toBeLessThan(64_000)
  expect(png({ ...longest, size: 2048 }).length).toBeLessThan(64_000)
})

test('the contrast ratio is that of WCAG, and below 1 for light on dark', () => {
  expect(contrastRatio('000000', 'ffffff')).toBeCloseTo(21, 5)
  expect(contrastRatio('777777', 'ffffff')).toBeCloseTo(4.478, 2)
  expect(contrastRatio('ff0000', 'FFFFFF')).toBeCloseTo(3.998, 2)
  expect(contrastRatio('123456', '123456')).toBe(1)
  expect(contrastRatio('ffffff', '000000')).toBeCloseTo(1 / 21, 5)
  expect(contrastRatio('ffffff', '777777')).toBeLessThan(1)
})

function catchRefusal(draw: () => unknown): QrTooSmall {
  try {
    draw()
  } catch (error) {
    if (error instanceof QrTooSmall) return error
    throw error
  }
  throw new Error('the image was drawn')
}
