import { cpus, loadavg, totalmem, type } from 'node:os'
import { writeFileSync } from 'node:fs'
import sharp, { type Sharp } from 'sharp'
import { childrenOf, memoryOf, sendTo, startProcess } from '../../apps/rooms/test/files/process.ts'

/**
 * Measures what the worst images cost Rooms and its people: `bun bench/images/run.ts`. One person
 * sends each of them five times at once. Meanwhile another person sends small pictures, and the
 * memory of the service and of its processes for images is measured.
 */
const MIB = 1024 ** 2
const EVERY_MS = 10

const flat = (width: number, height = width): Sharp =>
  sharp({ create: { width, height, channels: 3, background: 'teal' } })
const noise = (width: number, height = width): Sharp =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: 'black',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
const blocks = () => noise(3500).resize(7000, 7000, { kernel: 'nearest' })

async function frames(count: number, side: number, frame: (side: number) => Sharp): Promise<Sharp> {
  const images = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      frame(side)
        .tint({ r: index % 256, g: 0, b: 0 })
        .png()
        .toBuffer(),
    ),
  )
  return sharp(images, { join: { animated: true } })
}

/** A JPEG whose scans of one colour are repeated, each of which is decoded over the whole image. */
async function manyScans(): Promise<Buffer> {
  const jpeg = await flat(4000).jpeg({ progressive: true }).toBuffer()
  const last = jpeg.lastIndexOf(Buffer.from([0xff, 0xda]))
  const scan = jpeg.subarray(last, -2)
  return Buffer.concat([jpeg.subarray(0, -2), ...Array(500).fill(scan), jpeg.subarray(-2)])
}

/** A PNG with a compressed text that is a thousand times as large. */
async function longText(): Promise<Buffer> {
  const png = await flat(9).png().toBuffer()
  const packed = Bun.deflateSync(Buffer.alloc(400 * MIB), { windowBits: 15 })
  const data = Buffer.concat([Buffer.from('zTXtx\0\0'), packed])
  const chunk = Buffer.alloc(data.length + 8)
  chunk.writeUInt32BE(data.length - 4)
  data.copy(chunk, 4)
  chunk.writeUInt32BE(Bun.hash.crc32(data), data.length + 4)
  return Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)])
}

const IMAGES: [name: string, make: () => Promise<Buffer>][] = [
  ['AVIF, 7000 x 7000, one colour', () => flat(7000).avif({ effort: 0 }).toBuffer()],
  ['AVIF, 7000 x 7000, noise', () => blocks().avif({ effort: 0, quality: 20 }).toBuffer()],
  ['AVIF, 4000 x 4000, noise', () => noise(4000).avif({ effort: 0, quality: 30 }).toBuffer()],
  ['WebP, 7000 x 7000, one colour', () => flat(7000).webp({ lossless: true, effort: 0 }).toBuffer()],
  ['WebP, 7000 x 7000, noise', () => blocks().webp({ effort: 0, quality: 30 }).toBuffer()],
  ['WebP, 2800 x 2800, noise without loss', () => noise(2800).webp({ lossless: true, effort: 0 }).toBuffer()],
  [
    'WebP, 60 frames of noise',
    async () => (await frames(60, 500, noise)).webp({ effort: 0, quality: 50 }).toBuffer(),
  ],
  ['GIF, 7000 x 7000, one colour', () => flat(7000).gif().toBuffer()],
  ['GIF, 2600 x 2600, noise', () => noise(2600).gif({ effort: 1, dither: 0 }).toBuffer()],
  [
    'GIF, 60 frames of noise',
    async () => (await frames(60, 500, noise)).gif({ effort: 1, dither: 0 }).toBuffer(),
  ],
  ['GIF, 1000 frames', async () => (await frames(1000, 100, flat)).gif().toBuffer()],
  ['JPEG, 7000 x 7000, one colour', () => flat(7000).jpeg().toBuffer()],
  [
    'JPEG, 7000 x 7000, noise, progressive',
    () => blocks().jpeg({ quality: 40, progressive: true, chromaSubsampling: '4:4:4' }).toBuffer(),
  ],
  ['JPEG, 15000 x 15000, progressive', () => flat(15_000).jpeg({ progressive: true }).toBuffer()],
  ['JPEG, 500 scans', manyScans],
  ['PNG, 7000 x 7000, interlaced', () => flat(7000).png({ progressive: true }).toBuffer()],
  ['PNG, 15000 x 15000', () => flat(15_000).png().toBuffer()],
  ['PNG, 2700 x 2700, noise', () => noise(2700).png().toBuffer()],
  ['PNG, text of 400 MB', longText],
  ['PNG, 1 x 65535', () => flat(1, 65_535).png().toBuffer()],
]

const rooms = await startProcess({ ROOMS_LIMITS: 'files_per_hour=100000,image_seconds_per_hour=100000' })
const { pid } = rooms.service
const small = await flat(9).png().toBuffer()
for (let count = 0; count < 10; count++) await sendTo(rooms, rooms.sendAsOther, small)
console.log(
  `${cpus()[0]?.model} x ${cpus().length}, ${Math.round(totalmem() / 1024 ** 3)} GiB, ${type()}, Bun ${Bun.version}, load ${loadavg()[0]?.toFixed(1)}`,
)
console.log('| Image | Sent | Answer | Seconds | Process MiB | Service MiB above idle | Another picture, s |')
console.log('| --- | --- | --- | --- | --- | --- | --- |')
for (const [name, make] of IMAGES) {
  const content = Uint8Array.from(await make())
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
  const before = memoryOf(pid, 'VmRSS')
  const watch = watchChildren()
  const alone = performance.now()
  const first = await sendTo(rooms, rooms.send, content)
  const seconds = (performance.now() - alone) / 1000
  const { code = `${first.status}` } = (await first.json()) as { code?: string }
  const attack = Array.from({ length: 5 }, () => sendTo(rooms, rooms.send, content))
  let isOver = false
  const end = Promise.all(attack).then(() => (isOver = true))
  let longest = 0
  do {
    const startedMs = performance.now()
    const { status } = await sendTo(rooms, rooms.sendAsOther, small)
    if (status !== 201) throw new Error(`Another picture: ${status}`)
    longest = Math.max(longest, performance.now() - startedMs)
  } while (!isOver)
  await end
  const service = (memoryOf(pid, 'VmHWM') - before) / MIB
  const size = content.length > 99_999 ? `${(content.length / 1e6).toFixed(1)} MB` : `${content.length} B`
  console.log(
    `| ${[name, size, code, seconds.toFixed(1), Math.round(watch.stop() / MIB), Math.round(service), (longest / 1000).toFixed(1)].join(' | ')} |`,
  )
}
await rooms.close()

/** The largest memory that any child of the service has had. */
function watchChildren(): { stop(): number } {
  let largest = 0
  const timer = setInterval(() => {
    for (const child of childrenOf(pid)) {
      try {
        largest = Math.max(largest, memoryOf(child, 'VmHWM') || 0)
      } catch {
        // It has ended.
      }
    }
  }, EVERY_MS)
  return {
    stop() {
      clearInterval(timer)
      return largest
    },
  }
}
