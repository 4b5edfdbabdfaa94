import { cpus, loadavg, totalmem, type } from 'node:os'
import { parseArgs } from 'node:util'
import { type Visit, visitRepeatedly } from './browser.ts'
import { startFilledLinks } from './links.ts'
import { startFilledRooms } from './rooms.ts'

/**
 * Measures what a page of the clients loads and how soon it shows its content, from a cold cache
 * and repeated, over an emulated slow network on an emulated slow processor: `bun
 * bench/first-paint/run.ts --rounds 5 --app links --page /dashboard`. `--full-speed` emulates
 * nothing. Needs Chromium, at the path in LATCHKEY_TEST_CHROMIUM.
 */
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    app: { type: 'string' },
    page: { type: 'string' },
    'full-speed': { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds)

const SERVICES = { links: startFilledLinks, rooms: startFilledRooms }

function median(visits: readonly Visit[], name: keyof Visit): number {
  const sorted = visits.map((visit) => visit[name]).toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

const load = () =>
  loadavg()
    .map((value) => value.toFixed(1))
    .join(' ')

const machine = `${cpus()[0]?.model} x ${cpus().length}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()}`
console.log(
  `${new Date().toISOString().slice(0, 10)}, ${machine}, Bun ${Bun.version}, ${rounds} repeated visits`,
)
console.log(`load average before: ${load()}\n`)
console.log(
  '| Page | Requests | Scripts | Shift | Cold: paint | Cold: content | Repeated: requests | Repeated: paint | Repeated: content |',
)
console.log('|---|---|---|---|---|---|---|---|---|')
for (const [app, start] of Object.entries(SERVICES)) {
  if (values.app !== undefined && values.app !== app) continue
  const service = await start()
  try {
    const pages = service.pages.filter(({ name }) => values.page === undefined || values.page === name)
    for (const { name, address, cookies } of pages) {
      const isThrottled = !values['full-speed']
      const { cold, repeated } = await visitRepeatedly(address, rounds, { cookies, isThrottled })
      const shift = Math.max(cold.shift, ...repeated.map((visit) => visit.shift))
      const cells = [
        `${app} ${name}`,
        cold.requests,
        `${(cold.scriptBytes / 1024).toFixed(0)} KB`,
        shift.toFixed(3),
        ...[cold.paintMs, cold.contentMs].map((ms) => `${Math.round(ms)} ms`),
        median(repeated, 'requests'),
        ...(['paintMs', 'contentMs'] as const).map((each) => `${Math.round(median(repeated, each))} ms`),
      ]
      console.log(`| ${cells.join(' | ')} |`)
    }
  } finally {
    await service.stop()
  }
}
console.log(`\nload average after: ${load()}`)
process.exit()
