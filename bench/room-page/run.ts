import { cpus, loadavg, totalmem, type } from 'node:os'
import { parseArgs } from 'node:util'
import { type CDPSession, type Page, chromium } from 'playwright-core'
import { startRooms } from './room.ts'
import { type Recording, type Task, record } from './trace.ts'

/**
 * Measures the page of a room with many messages: what its threads have to do while one scrolls
 * through all of them, the rows in the page, and what a key in the field costs (R35.4): `bun
 * bench/room-page/run.ts --messages 5000 --slowdown 4`. The times are processor time, which other
 * load on the machine does not change, multiplied by the slowdown. Needs Chromium, at the path in
 * LATCHKEY_TEST_CHROMIUM.
 */
const { values } = parseArgs({
  options: {
    messages: { type: 'string', default: '5000' },
    slowdown: { type: 'string', default: '4' },
  },
})
const SLOWDOWN = Number(values.slowdown)
const FRAME_MS = 1000 / 60
const PIXELS_PER_SECOND = 3_000
/** Pixels of one gesture. */
const DISTANCE = 6_000
const TEXTS = [
  'Yes.',
  'Could you look at the **second** page again? I think that the [numbers](https://example.com/numbers) are old.',
  'It works for me:\n\n```ts\nconst total = rows.reduce((sum, { count }) => sum + count, 0)\n```\n',
  '> the numbers are old\n\nThey are from last week, and `total` is wrong.\n\n- first\n- second\n- third',
  'A longer message that takes more than one line on the page, as people write them who explain something: what was decided, why, and what happens next, with enough words to wrap twice.',
]
const TEXT = 'It is a long text, typed quickly, with a few wrong letters and **marks**.'

interface Scroll extends Recording {
  seconds: number
  maxRows: number
}

/** Scrolls with the wheel until both ends of the messages stay where they are. */
async function scroll(page: Page, devtools: CDPSession, direction: 1 | -1): Promise<Scroll> {
  let [maxRows, seconds] = [0, 0]
  const recording = await record(devtools, async () => {
    for (let [last, repeats] = ['', 0]; repeats < 3;) {
      await devtools.send('Input.synthesizeScrollGesture', {
        x: 640,
        y: 400,
        yDistance: -direction * DISTANCE,
        speed: PIXELS_PER_SECOND,
        gestureSourceType: 'mouse',
        preventFling: true,
      })
      seconds += DISTANCE / PIXELS_PER_SECOND
      const { rows, place } = await page.evaluate(() => ({
        rows: document.querySelectorAll('[data-row]').length,
        place: `${document.querySelector('.messages')?.scrollTop} ${document.querySelector('[data-message]')?.textContent}`,
      }))
      maxRows = Math.max(maxRows, rows)
      repeats = place === last ? repeats + 1 : 0
      last = place
    }
  })
  return { ...recording, seconds, maxRows }
}

/** Types a text, and returns the milliseconds that each key took. */
async function typeText(page: Page, devtools: CDPSession): Promise<number[]> {
  await page.locator('#write').focus()
  const { page: tasks, keysMs } = await record(devtools, async () => {
    await page.keyboard.type(TEXT, { delay: 60 })
    await page.waitForTimeout(500)
  })
  return keysMs.slice(0, -1).map((startMs, index) => {
    // A task begins before the event in it.
    const isOfKey = ({ atMs }: Task) => atMs >= startMs - 1 && atMs < (keysMs[index + 1] ?? Infinity) - 1
    return SLOWDOWN * tasks.filter(isOfKey).reduce((sum, { cpuMs }) => sum + cpuMs, 0)
  })
}

function describe(numbers: readonly number[]): string {
  const sorted = numbers.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
  return [0.5, 0.95, 0.99, 1].map((share) => at(share).toFixed(1)).join(' | ')
}

/** Frames in which the thread was still busy with a task of the frame before, per second. */
function missedFrames(tasks: readonly Task[], seconds: number): string {
  const missed = tasks.map(({ cpuMs }) => Math.floor((cpuMs * SLOWDOWN) / FRAME_MS))
  return (missed.reduce((sum, count) => sum + count, 0) / seconds).toFixed(2)
}

const load = () =>
  loadavg()
    .map((value) => value.toFixed(1))
    .join(' ')

const rooms = await startRooms()
const address = await rooms.addRoom(
  Number(values.messages),
  (index) => `${index}: ${TEXTS[index % TEXTS.length]}`,
)
const browser = await chromium.launch({
  executablePath: process.env['LATCHKEY_TEST_CHROMIUM'] || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
})
const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
await context.addCookies(rooms.cookies)
const page = await context.newPage()
await page.goto(address)
await page.locator('[data-message]').first().waitFor()
const devtools = await context.newCDPSession(page)

const machine = `${cpus()[0]?.model} x ${cpus().length}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()}`
console.log(`${new Date().toISOString().slice(0, 10)}, ${machine}, Bun ${Bun.version}`)
console.log(`${values.messages} messages, times ${SLOWDOWN}-fold; load average ${load()}\n`)
console.log('| Milliseconds of                      | p50 | p95 | p99 | max | Missed frames/s | Rows |')
console.log('| ------------------------------------ | --- | --- | --- | --- | --------------- | ---- |')
const row = (...cells: (string | number)[]) => console.log(`| ${cells.join(' | ')} |`)
for (const [name, direction] of [
  ['up', -1],
  ['down', 1],
] as const) {
  const { page: tasks, compositor, seconds, maxRows } = await scroll(page, devtools, direction)
  for (const [thread, list] of [
    ['page', tasks],
    ['compositor', compositor],
  ] as const) {
    const busy = list.map(({ cpuMs }) => cpuMs * SLOWDOWN).filter((ms) => ms > 1)
    row(`scrolling ${name}: tasks of the ${thread}`, describe(busy), missedFrames(list, seconds), maxRows)
  }
}
row('a key in the field', describe(await typeText(page, devtools)), '', '')
console.log(`\nload average ${load()}`)
await browser.close()
await rooms.stop()
process.exit()
