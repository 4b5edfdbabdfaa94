import { cpus, loadavg, totalmem, type } from 'node:os'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { startRooms } from './room.ts'
import { record } from './trace.ts'

/**
 * Measures the longest tasks of the page while a room opens whose messages are hard to show (R29.3):
 * `bun bench/room-page/open.ts --rounds 5 --slowdown 4 --room ts`. The times are processor time,
 * which other load on the machine does not change. Needs Chromium, at the path in
 * LATCHKEY_TEST_CHROMIUM.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    slowdown: { type: 'string', default: '4' },
    room: { type: 'string' },
  },
})
const MESSAGES = 50
const LENGTH = 1_980
const fill = (unit: string, length = LENGTH) => unit.repeat(Math.floor(length / unit.length))
const code = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``

const ROOMS: Readonly<Record<string, string>> = {
  short: 'hello',
  long: fill('hello word '),
  console: code('console', fill('<"')),
  ts: code('ts', fill('_')),
  'real ts': code('ts', fill("const a = 'x' // y\n")),
  lines: fill('.\n', 1_998),
  emphasis: fill('*a* '),
  'inline code': fill('`a` '),
  addresses: fill('https://a.bc '),
  items: fill('- a\n'),
}

const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN
const load = () =>
  loadavg()
    .map((value) => value.toFixed(1))
    .join(' ')

const rooms = await startRooms()
const browser = await chromium.launch({
  executablePath: process.env['LATCHKEY_TEST_CHROMIUM'] || '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
})
const machine = `${cpus()[0]?.model} x ${cpus().length}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()}`
console.log(
  `${new Date().toISOString().slice(0, 10)}, ${machine}, Bun ${Bun.version}, load average ${load()}\n`,
)
console.log(`| 50 messages | Longest task, ms | of a slower processor | Second | Third | All tasks |`)
console.log('| ----------- | ---------------- | --------------------- | ------ | ----- | --------- |')
for (const [name, text] of Object.entries(ROOMS)) {
  if (values.room !== undefined && values.room !== name) continue
  const address = await rooms.addRoom(MESSAGES, () => text)
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  await context.addCookies(rooms.cookies)
  const page = await context.newPage()
  const devtools = await context.newCDPSession(page)
  const visits: number[][] = []
  // The first visits compile the scripts.
  for (let round = -2; round < Number(values.rounds); round++) {
    const { page: tasks } = await record(devtools, async () => {
      await page.goto(address)
      await page.locator('[data-message]').last().waitFor()
      await page.waitForTimeout(3_000)
    })
    if (round >= 0) visits.push(tasks.map(({ cpuMs }) => cpuMs).toSorted((a, b) => b - a))
    await page.goto('about:blank')
  }
  await context.close()
  const [first = NaN, second = NaN, third = NaN] = [0, 1, 2].map((at) =>
    median(visits.map((each) => each[at] ?? 0)),
  )
  const all = median(visits.map((each) => each.reduce((sum, ms) => sum + ms, 0)))
  const cells = [first, first * Number(values.slowdown), second, third, all].map((ms) => ms.toFixed(0))
  console.log(`| ${[name, ...cells].join(' | ')} |`)
}
console.log(`\nload average ${load()}`)
await browser.close()
await rooms.stop()
process.exit()
