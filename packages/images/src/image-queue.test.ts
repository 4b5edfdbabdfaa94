import { afterAll, afterEach, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog } from '@latchkey/http/log'
import sharp, { type Sharp } from 'sharp'
import type { ImageRequest } from './convert-image.ts'
import { ImageQueue } from './image-queue.ts'
import type { ImageType } from './image-types.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-images-'))
const queues: ImageQueue[] = []
const lines: string[] = []
afterEach(() => {
  for (const queue of queues.splice(0)) queue.close()
  lines.length = 0
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const ANN = { personId: 'ann', turn: 'ann' }
const BO = { personId: 'bo', turn: 'bo' }

function openQueue(options: ConstructorParameters<typeof ImageQueue>[1] = {}): ImageQueue {
  const queue = new ImageQueue(createLog({ write: (line) => void lines.push(line) }), options)
  queues.push(queue)
  return queue
}

let files = 0

/** A request to convert an image, or these bytes. */
async function requestOf(image: Sharp | string | Uint8Array, type: ImageType): Promise<ImageRequest> {
  const source = join(folder, `${files++}`)
  if (typeof image === 'string' || image instanceof Uint8Array) await Bun.write(source, image)
  else await image.toFile(source)
  return {
    source,
    target: `${source}-image`,
    thumbnail: `${source}-thumbnail`,
    type,
    maxPixels: 50_000_000,
    maxBytes: 25_000_000,
  }
}

function flat(width: number, height = width): Sharp {
  return sharp({ create: { width, height, channels: 3, background: 'teal' } })
}

/** A process that converts nothing. */
const script = (text: string) => [process.execPath, '-e', text]

test('R31.4a: an image that takes too long is refused, its process is killed, and the next one is processed', async () => {
  const queue = openQueue({
    timeLimitMs: 300,
    command: script(`process.send('ready'); for (;;);`),
  })
  const request = await requestOf(flat(9).png(), 'image/png')
  const { seconds, ...result } = await queue.run(ANN, request)
  expect(result).toEqual({ refusal: 'too_large' })
  expect(seconds).toBeLessThan(20)
  const patient = openQueue()
  const results = await Promise.all([
    patient.run(ANN, request),
    patient.run(BO, { ...request, source: 'missing' }),
  ])
  expect(results).toMatchObject([{ size: { width: 9, height: 9 } }, { refusal: 'unreadable' }])
})

test('R31.4a: an image that takes too much of a processor is refused, however much time there is', async () => {
  const limits = join(import.meta.dirname, 'limit-resources.ts')
  const queue = openQueue({
    timeLimitMs: 50_000,
    command: script(`
      const { limitResources } = await import(${JSON.stringify(limits)})
      limitResources(512 * 1024 ** 2, 1)
      process.send('ready')
      const end = performance.now() + 45_000
      while (performance.now() < end);
      process.send({ size: { width: 1, height: 1 } })`),
  })
  const { seconds, ...result } = await queue.run(ANN, await requestOf(flat(9).png(), 'image/png'))
  expect(result).toEqual({ refusal: 'too_large' })
  expect(seconds).toBeGreaterThanOrEqual(1)
}, 60_000)

test('R31.4a: a process that crashes with an image refuses it, and takes nothing else along', async () => {
  const crashing = openQueue({
    command: script(`process.send('ready'); process.kill(process.pid, 'SIGSEGV'); for (;;);`),
  })
  const request = await requestOf(flat(9).png(), 'image/png')
  expect(await crashing.run(ANN, request)).toMatchObject({ refusal: 'too_large' })
  expect(await openQueue().run(ANN, request)).toMatchObject({ size: { width: 9, height: 9 } })
})

test('R31.4: a process that cannot start refuses the image, and says why in the log', async () => {
  const request = await requestOf(flat(9).png(), 'image/png')
  const broken = openQueue({ command: script(`throw new Error('no library here')`) })
  expect(await broken.run(ANN, request)).toEqual({ refusal: 'failed', seconds: 0 })
  expect(await openQueue({ command: ['/no/program'] }).run(ANN, request)).toEqual({
    refusal: 'failed',
    seconds: 0,
  })
  expect(lines).toHaveLength(2)
  expect(lines[0]).toContain('no library here')
})

test('R31.4: SVG, PDF and other decoders of the library never run, whatever they are called', async () => {
  const queue = openQueue()
  const tiff = await flat(9).tiff().toBuffer()
  for (const content of [
    '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
    '%PDF-1.7',
    'P3 1 1 1 0 0 0',
    Uint8Array.from(tiff),
  ]) {
    const request = await requestOf(content, 'image/png')
    const { seconds: _, ...result } = await queue.run(ANN, request)
    expect([result, existsSync(request.target)]).toEqual([{ refusal: 'unreadable' }, false])
  }
})

test('R31.4c: images that exceed the memory or the pixels of their type are refused, however much time there is', async () => {
  const program = join(import.meta.dirname, 'image-process.ts')
  const queue = openQueue({
    timeLimitMs: 50_000,
    command: script(`
      const { runImageProcess } = await import(${JSON.stringify(program)})
      await runImageProcess(50)`),
  })
  const refused = {
    avif: await requestOf(flat(4200).avif({ effort: 0 }), 'image/avif'),
    gif: await requestOf(flat(4600).gif(), 'image/gif'),
    // Its coefficients are needed all at once.
    progressive: await requestOf(flat(15_000).jpeg({ progressive: true }), 'image/jpeg'),
  }
  for (const [name, request] of Object.entries(refused)) {
    const { seconds: _, ...result } = await queue.run(ANN, request)
    expect([name, result]).toEqual([name, { refusal: 'too_large' }])
  }
  expect(lines).toEqual([])
}, 120_000)

test('R31.4c: an image that would be stored with more bytes than a file may have is refused', async () => {
  const queue = openQueue()
  const noise = sharp({
    create: {
      width: 300,
      height: 300,
      channels: 3,
      background: 'grey',
      noise: { type: 'gaussian', mean: 128, sigma: 50 },
    },
  })
  const request = await requestOf(noise.jpeg({ quality: 5 }), 'image/jpeg')
  const sentBytes = statSync(request.source).size
  const { seconds: _, ...stored } = await queue.run(ANN, request)
  expect([stored, sentBytes < 10_000]).toEqual([{ size: { width: 300, height: 300 } }, true])
  expect(statSync(request.target).size).toBeGreaterThan(2 * sentBytes)
  expect(await queue.run(ANN, { ...request, maxBytes: 2 * sentBytes })).toMatchObject({
    refusal: 'too_large',
  })
}, 60_000)

test('R31.4b: a still image with more pixels than are stored is scaled down, in its shape', async () => {
  const queue = openQueue()
  const sizes: [Sharp, ImageType, maxPixels: number, width: number, height: number][] = [
    [flat(4000, 1000).jpeg(), 'image/jpeg', 1_000_000, 2000, 500],
    [flat(4000, 1000).jpeg().withMetadata({ orientation: 6 }), 'image/jpeg', 1_000_000, 500, 2000],
    [flat(4000, 1000).png(), 'image/png', 1_000_000, 2000, 500],
    [flat(5000, 4000).webp({ effort: 0 }), 'image/webp', 50_000_000, 3162, 2530],
    [flat(3000, 3000).avif({ effort: 0 }), 'image/avif', 50_000_000, 2000, 2000],
    [flat(1, 65_535).png(), 'image/png', 50_000_000, 1, 65_535],
  ]
  for (const [image, type, maxPixels, width, height] of sizes) {
    const request = { ...(await requestOf(image, type)), maxPixels }
    const { seconds: _, ...result } = await queue.run(ANN, request)
    expect([type, result]).toEqual([type, { size: { width, height } }])
    const stored = await sharp(request.target).metadata()
    expect([type, stored.width, stored.height]).toEqual([type, width, height])
    const thumbnail = await sharp(request.thumbnail).metadata()
    expect(Math.max(thumbnail.width, thumbnail.height)).toBeLessThanOrEqual(640)
  }
}, 60_000)

test('R31.4e: senders take turns, and a network of guests has one turn', async () => {
  const queue = openQueue()
  const request = await requestOf(flat(9).png(), 'image/png')
  const order: string[] = []
  const send = (personId: string, turn: string) =>
    queue.run({ personId, turn }, { ...request, target: `${request.target}-${order.length}` }).then(() => {
      order.push(personId)
    })
  await Promise.all([
    send('ann', 'ann'),
    send('ann', 'ann'),
    send('ann', 'ann'),
    send('guest 1', '192.0.2.0/24'),
    send('guest 2', '192.0.2.0/24'),
    send('bo', 'bo'),
  ])
  expect(order).toEqual(['ann', 'guest 1', 'bo', 'ann', 'guest 2', 'ann'])
}, 60_000)

test('R31.4e: a person has at most two images waiting, and others are not refused for that', async () => {
  const queue = openQueue()
  const request = await requestOf('missing', 'image/png')
  const results = await Promise.all([
    ...Array.from({ length: 5 }, () => queue.run(ANN, request)),
    queue.run(BO, request),
  ])
  expect(results.map((result) => 'refusal' in result && result.refusal)).toEqual([
    'unreadable',
    'unreadable',
    'unreadable',
    'busy',
    'busy',
    'unreadable',
  ])
})

test('R31.4a: a service that stops kills the process at once, and answers the images that wait', async () => {
  const queue = openQueue({ command: script(`process.send('ready'); for (;;);`) })
  const request = await requestOf(flat(9).png(), 'image/png')
  const results = [queue.run(ANN, request), queue.run(ANN, request)]
  queue.close()
  expect(await Promise.all(results)).toMatchObject([{ refusal: 'failed' }, { refusal: 'failed' }])
  expect(await queue.run(ANN, request)).toEqual({ refusal: 'failed', seconds: 0 })
  expect(lines).toEqual([])
})
