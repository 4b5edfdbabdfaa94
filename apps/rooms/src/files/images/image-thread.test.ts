import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { ImageThread } from './image-thread.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-images-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const source = join(folder, 'sent')
await sharp({ create: { width: 3000, height: 3000, channels: 3, background: 'red' } })
  .png()
  .toFile(source)
const request = {
  source,
  target: join(folder, 'image'),
  thumbnail: join(folder, 'thumbnail'),
  type: 'image/png',
  maxPixels: 50_000_000,
} as const

test('R31.4: an image that takes too long is refused, and the next one is processed', async () => {
  const thread = new ImageThread({ timeLimitMs: 1 })
  expect(await thread.run(request)).toEqual({ refusal: 'too_large' })
  thread.close()
  const patient = new ImageThread()
  const results = await Promise.all([patient.run(request), patient.run({ ...request, source: 'missing' })])
  expect(results).toEqual([{ size: { width: 3000, height: 3000 } }, { refusal: 'unreadable' }])
  patient.close()
})

test('R31.4: SVG, PDF and other decoders of the library never run, whatever they are called', async () => {
  const thread = new ImageThread()
  const target = join(folder, 'other')
  for (const text of [
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
    '%PDF-1.7',
    'P3 1 1 1 0 0 0',
  ]) {
    await Bun.write(join(folder, 'text'), text)
    const result = await thread.run({ ...request, source: join(folder, 'text'), target })
    expect([text, result, existsSync(target)]).toEqual([text, { refusal: 'unreadable' }, false])
  }
  thread.close()
})

test('R31.4: more images than can wait are refused at once', async () => {
  const thread = new ImageThread()
  const results = await Promise.all(
    Array.from({ length: 60 }, () => thread.run({ ...request, source: 'missing' })),
  )
  const count = (refusal: string) =>
    results.filter((result) => 'refusal' in result && result.refusal === refusal).length
  expect([count('unreadable'), count('busy')]).toEqual([50, 10])
  thread.close()
})
