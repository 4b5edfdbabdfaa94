import { inflateSync } from 'node:zlib'
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { decode as decodePng } from 'fast-png'
import sharp from 'sharp'
import { type CodeImage, type CodeOptions, createCode } from './create-code.ts'
import { contrastRatio, renderQr } from './qr.ts'
import { isReadBack } from './read-back.ts'
import { EYE_SHAPES, MODULE_SHAPES } from './styled/drawing.ts'
import { findUndrawable } from './styled/frame-text.ts'

const PLAIN: CodeOptions = {
  text: 'https://go.example.com/sale?utm_medium=qr',
  format: 'svg',
  size: 400,
  level: 'M',
  margin: 4,
  dark: '000000',
  light: 'ffffff',
  shape: 'square',
  eyes: 'square',
}
const STYLED: CodeOptions = { ...PLAIN, shape: 'round', eyes: 'circle', frame: 'Scan me – Größe Ł' }

async function draw(options: Partial<CodeOptions> = {}): Promise<CodeImage> {
  const reply = await createCode({ ...PLAIN, ...options })
  if ('image' in reply) return reply.image
  throw new Error(`${JSON.stringify(options)}: ${JSON.stringify(reply)}`)
}

/** Pixels of an SVG, as another program draws it. */
async function paint(svg: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await sharp(Buffer.from(svg)).resize(600).png().toBuffer())
}

/** The shapes of a page as an SVG, by the operators of PDF. */
function svgOfPdf(pdf: Uint8Array): string {
  const text = Buffer.from(pdf).toString('latin1')
  const start = text.indexOf('stream\n') + 7
  const content = inflateSync(pdf.subarray(start, text.indexOf('\nendstream'))).toString()
  const [, width = '', height = ''] = /MediaBox \[0 0 (\S+) (\S+)\]/.exec(text) ?? []
  const [transform = '', ...fills] = content.split(/ cm\n|(?<= f)\n/)
  const shapes = fills.map((fill) => {
    const [, red, green, blue, path = ''] = /^(\S+) (\S+) (\S+) rg ([^]*) f$/.exec(fill) ?? []
    const colour = [red, green, blue].map((channel) => `${Number(channel) * 100}%`).join(' ')
    const commands = path.replaceAll(
      /([^a-z]*)([mlch])/g,
      (_, points, command) => `${command.toUpperCase()}${points}`,
    )
    return `<path fill="rgb(${colour.replaceAll(' ', ',')})" d="${commands.replaceAll('H', 'Z')}"/>`
  })
  // PDF counts upwards, SVG downwards.
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><g transform="translate(0 ${height}) scale(1 -1) matrix(${transform})">${shapes.join('')}</g></svg>`
}

/** SHA-256 of all plain codes of a level, drawn before codes had styles. */
const PLAIN_HASHES = {
  svg: {
    L: '50c1c064b4892dd43cd6255231c44cc3f379524927a15b8cc4723a1b0cd745db',
    M: 'ce02a948c1c3c721d712cb65501de27706b7a8b723775b34a18d82b2a3e38cb9',
    Q: '30431c8045259251ecf15180b9a62613a204112f1322b0a149a5c3519dc3ce54',
    H: 'da532011c453ba03323887341f8ea68f1a4e685520072a89ef1f48cb7cce8bed',
  },
  png: {
    L: '9ad0c3abfef04b24c455e3ad64d6e06a2f39fa4c6888f67cbff0646f451c7702',
    M: '37ee8d397f1c53eb2d0543f54c90fed1b673a4da5bb6e00cb62c4149ea30e421',
    Q: '23cd56fbfd7e901d486d7a1c4cbd415a3531e6113e0f612e314ec4906ed6919a',
    H: '022326f3c6742a846af16fa97ff454fb360e3f95400668f43bdb8483c006e825',
  },
}

const PLAIN_SIZES = [0, 1, 4, 16].flatMap((margin) => [177, 220, 400, 2048].map((size) => ({ margin, size })))
const PLAIN_CODES = PLAIN_SIZES.flatMap((sizes) => [
  { ...sizes, dark: '000000', light: 'ffffff' },
  { ...sizes, dark: '1b3a6b', light: 'ffeedd' },
]).flatMap((code) =>
  ['sale', 'x7.q_2~k-'.repeat(8)].map((slug) => ({
    ...code,
    text: `https://go.example.com/${slug}?utm_medium=qr`,
  })),
)

for (const format of ['svg', 'png'] as const)
  for (const level of ['L', 'M', 'Q', 'H'] as const)
    test(`L32.4: without a style, each ${format} of level ${level} has the bytes that it had before`, () => {
      const hash = new Bun.CryptoHasher('sha256')
      for (const code of PLAIN_CODES) hash.update(renderQr({ ...code, format, level }).body)
      expect(hash.digest('hex')).toBe(PLAIN_HASHES[format][level])
    })

test('L32.4: the values that the parameters have by default answer the same bytes as none', async () => {
  for (const format of ['svg', 'png'] as const)
    expect(await draw({ format })).toEqual(renderQr({ ...PLAIN, format }))
})

const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => value.toString(16).padStart(6, '0'))
const variants = fc
  .record({
    text: fc
      .record({
        host: fc.stringMatching(/^[a-z]{1,40}$/),
        slug: fc.stringMatching(/^[a-z0-9]{1,60}$/),
      })
      .map(({ host, slug }) => `https://${host}.example/${slug}?utm_medium=qr`),
    level: fc.constantFrom('L', 'M', 'Q', 'H'),
    size: fc.integer({ min: 360, max: 500 }),
    margin: fc.integer({ min: 2, max: 8 }),
    dark: colour,
    light: colour,
    shape: fc.constantFrom(...MODULE_SHAPES),
    eyes: fc.constantFrom(...EYE_SHAPES),
    frame: fc.option(
      fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' }).filter((text) => !findUndrawable(text)),
      { nil: undefined },
    ),
  })
  .filter(({ dark, light }) => contrastRatio(dark, light) >= 3)

describe('a random variant', () => {
  test('L32.4d: is read back by ZXing from what is answered, as PNG, SVG and PDF', async () => {
    for (const [at, options] of fc.sample(variants, { numRuns: 120, seed: 7 }).entries()) {
      const format = (['png', 'svg', 'pdf'] as const)[at % 3] ?? 'png'
      const { body } = await draw({ ...options, format })
      const pixels =
        typeof body === 'string' ? await paint(body) : format === 'pdf' ? await paint(svgOfPdf(body)) : body
      expect([options, format, await isReadBack(pixels, options.text)]).toEqual([options, format, true])
    }
  }, 120_000)
})

test('L32.4b: a frame makes the code higher, and its letters are shapes in the colour of the ground', async () => {
  const { body } = await draw(STYLED)
  const [, width, height] = /width="(\d+)" height="(\d+)"/.exec(String(body)) ?? []
  expect([Number(width), Number(height) > 400, Number(height) < 500]).toEqual([400, true, true])
  expect(String(body)).not.toMatch(/<text|font|Scan/)
  const { width: pixels, height: rows } = await sharp(Buffer.from(await pngOf(STYLED))).metadata()
  expect([pixels, rows]).toEqual([400, Number(height)])
})

async function pngOf(options: CodeOptions): Promise<Uint8Array> {
  const { body } = await draw({ ...options, format: 'png' })
  if (typeof body === 'string') throw new TypeError('a PNG is bytes')
  return body
}

test('L32.4b: a text that is too wide for its frame is drawn smaller', async () => {
  const { body } = await draw({ frame: 'W'.repeat(30) })
  const { info, data } = await sharp(Buffer.from(String(body)))
    .raw()
    .toBuffer({ resolveWithObject: true })
  // The band of the text, without its round corners.
  const rows = Array.from({ length: (info.height - info.width) / 2 }, (_, at) => info.width + at)
  const isLight = (x: number) =>
    rows.some((y) => (data[(Math.floor(y) * info.width + x) * info.channels] ?? 0) > 128)
  const line = Array.from({ length: info.width }, (_, x) => x)
  const [first, last] = [line.find(isLight), line.findLast(isLight)]
  expect(first).toBeGreaterThan(info.width * 0.04)
  expect(last).toBeLessThan(info.width * 0.96)
})

test('L32.4c: a PDF has the size of the code in points, correct offsets, and the same bytes each time', async () => {
  const { contentType, body } = await draw({ ...STYLED, frame: undefined, format: 'pdf' })
  const text = Buffer.from(body).toString('latin1')
  expect([contentType, text.startsWith('%PDF-1.4\n')]).toEqual(['application/pdf', true])
  expect(text).toContain('/MediaBox [0 0 300 300]')
  const [, start = ''] = /startxref\n(\d+)\n%%EOF\n$/.exec(text) ?? []
  expect(text.slice(Number(start))).toStartWith('xref\n')
  const offsets = [...text.slice(Number(start)).matchAll(/^(\d{10}) 00000 n /gm)]
  for (const [at, [, offset]] of offsets.entries())
    expect(text.slice(Number(offset))).toStartWith(`${at + 1} 0 obj\n`)
  expect(offsets).toHaveLength(4)
  expect((await draw({ ...STYLED, frame: undefined, format: 'pdf' })).body).toEqual(body)
  expect(text).not.toMatch(/CreationDate|ModDate|Producer/)
})

test('L32.4d: a code that cannot be read back is refused with the parameter to change', async () => {
  const refused = { ...PLAIN, frame: 'Scan me', margin: 0 }
  for (const format of ['svg', 'png', 'pdf'] as const)
    expect(await createCode({ ...refused, format })).toEqual({ refusal: 'unreadable', field: 'margin' })
  expect(await createCode({ ...refused, margin: 4 })).toHaveProperty('image')
})

test('L32.4b: a frame fills the picture to its last pixels', async () => {
  const text = 'https://go.example.com/spring-sale?utm_medium=qr'
  const options = { ...PLAIN, text, format: 'png' as const, frame: 'Menu', margin: 4, size: 400 }
  const { body } = await draw(options)
  if (typeof body === 'string') throw new TypeError('a PNG is bytes')
  const { data, width, height, channels } = decodePng(body)
  const isDark = (x: number, y: number) => (data[(y * width + x) * channels] ?? 255) < 128
  const middle = Math.floor(height / 2)
  expect([width, isDark(0, middle), isDark(width - 1, middle), isDark(200, height - 1)]).toEqual([
    400,
    true,
    true,
    true,
  ])
})

test('L32.4d: a PNG that is too small and cannot be read names what to change', async () => {
  const options = { ...PLAIN, format: 'png' as const, frame: 'Menu', margin: 0, size: 40 }
  expect(await createCode(options)).toMatchObject({ refusal: 'unreadable' })
})

test('L32.4d: another text than the one asked for is not read back', async () => {
  const { body } = await draw({ format: 'png' })
  if (typeof body === 'string') throw new TypeError('a PNG is bytes')
  expect(await isReadBack(body, PLAIN.text)).toBe(true)
  expect(await isReadBack(body, `${PLAIN.text}x`)).toBe(false)
})

test('L11.3: a styled PNG with less than one pixel per module is refused with the smallest size', async () => {
  const reply = await createCode({ ...STYLED, format: 'png', size: 20 })
  expect(reply).toEqual({ refusal: 'too_small', minSize: 40 })
})
