// bun bench/session/run.ts [--sizes 1000,1000000] [--seconds 4] [--rounds 3]
//   [--client awake|asleep]
// Measures the cost of identifying the caller: the lookup alone, the whole request, and over a port
// beside a bare server.
import { existsSync, mkdirSync } from 'node:fs'
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabase } from '@latchkey/database/database'
import { createRooms } from '../../apps/rooms/src/app.ts'
import type { Tables } from '../../apps/rooms/src/db/tables.ts'
import { csrfTokenOf } from '../../apps/rooms/src/sessions/csrf.ts'
import { openLookup } from '../../apps/rooms/src/sessions/lookup.ts'
import { readSettings } from '../../apps/rooms/src/settings/settings.ts'
import { clientNamed, cpuOf, median, onServerCore, untilAnswers, wrk } from '../redirect/measure.ts'
import { seed, tokenOf, touch } from './seed.ts'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,1000000' },
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '3' },
    client: { type: 'string', default: 'awake' },
  },
})
const client = clientNamed(values.client)
const SAMPLE = 20_000
const CALLS = 20_000
// Until the runtime's compiler has seen enough of the code. On a busy machine that takes more
// seconds than on an idle one.
const WARM_UP_REQUESTS = 150_000
const WARM_UP_SECONDS = 4
const PORTS = { bare: 9111, rooms: 9112 }
const work = join(tmpdir(), 'latchkey-bench-session')
mkdirSync(work, { recursive: true })

function environment(path: string): Record<string, string> {
  return {
    AUTH_PROVIDER: 'oidc',
    AUTH_CLIENT_ID: 'bench',
    OIDC_ISSUER: 'https://login.example.com',
    ALLOWED_HOSTS: 'https://rooms.example.com',
    ROOMS_DATABASE_URL: `sqlite:${path}`,
    ROOMS_PORT: String(PORTS.rooms),
    ROOMS_LIMITS: 'http_per_minute=1000000000,http_anonymous_per_minute=1000000000',
  }
}

function cookieOf(token: string): string {
  return `__Host-latchkey_session=${token}; __Host-latchkey_csrf=${csrfTokenOf(token)}`
}

function sampleOf(count: number): string[] {
  const step = Math.max(1, Math.floor(count / SAMPLE))
  return Array.from({ length: Math.min(count, SAMPLE) }, (_, i) => tokenOf(1 + i * step))
}

/** Microseconds of CPU for each call, after a warm-up. */
async function cpuPerCall(call: (i: number) => unknown): Promise<number> {
  for (let i = 0; i < CALLS; i++) await call(i)
  const before = process.cpuUsage()
  for (let i = 0; i < CALLS; i++) await call(i)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / CALLS
}

async function inProcess(path: string, tokens: readonly string[]): Promise<{ lookup: number; app: number }> {
  const url = `sqlite:${path}`
  const database = openDatabase<Tables>(url)
  const lookup = openLookup(url, database)
  const tokenAt = (i: number) => tokens[(i * 7919) % tokens.length] ?? ''
  const lookupUs = await cpuPerCall((i) => lookup.find(tokenAt(i)))
  lookup.close()
  await database.close()
  const silent = { info() {}, warn() {}, error() {} }
  const rooms = await createRooms({ settings: readSettings(environment(path)), log: silent })
  const peer = { requestIP: () => ({ address: '127.0.0.1', family: 'IPv4' as const, port: 1 }) }
  const appUs = await cpuPerCall(async (i) => {
    const headers = { host: 'rooms.example.com', cookie: cookieOf(tokenAt(i)) }
    const answer = await rooms.fetch(new Request('https://rooms.example.com/api/session', { headers }), peer)
    if (answer.status !== 200) throw new Error(`An answer of ${answer.status}`)
  })
  await rooms.close()
  return { lookup: lookupUs, app: appUs }
}

interface Served {
  cpuUs: number
  p50: string
  p99: string
  perSecond: number
}

interface Serving {
  env: Record<string, string>
  sample: string
  paths: readonly string[]
  /** Called after the warm-up. */
  ready?: () => void
}

/** Loads each path of one server in turn. A slow moment of the machine then affects all of them. */
async function serve(
  script: string,
  port: number,
  { env, sample, paths, ready = () => {} }: Serving,
): Promise<Served[]> {
  const child = onServerCore([process.execPath, join(import.meta.dir, script)], {
    PORT: String(port),
    ...env,
  })
  const url = `http://127.0.0.1:${port}`
  await untilAnswers(`${url}/api/health`)
  for (const path of paths)
    for (let seen = 0; seen < WARM_UP_REQUESTS;)
      seen += (await runLoad(url + path, sample, WARM_UP_SECONDS)).requests
  ready()
  const rounds: Served[][] = []
  for (let round = 0; round < Number(values.rounds); round++)
    rounds.push(await mapInSequence(paths, (path) => measure(child.pid, url + path, sample)))
  child.kill()
  await child.exited
  return paths.map((_, at) => middleOf(rounds.map((round) => round[at]!)))
}

async function mapInSequence<Each, Made>(
  all: readonly Each[],
  make: (each: Each) => Promise<Made>,
): Promise<Made[]> {
  const results: Made[] = []
  for (const each of all) results.push(await make(each))
  return results
}

async function measure(pid: number, url: string, sample: string): Promise<Served> {
  const before = cpuOf([pid])
  const { requests, ...rest } = await runLoad(url, sample, Number(values.seconds))
  const after = cpuOf([pid])
  const cpuUs = (after.request + after.background - before.request - before.background) / requests
  return { ...rest, cpuUs }
}

function middleOf(rounds: readonly Served[]): Served {
  const middle = median(rounds.map(({ cpuUs }) => cpuUs))
  const middleRound = rounds.find(({ cpuUs }) => cpuUs === middle)
  if (!middleRound) throw new Error('No round was measured')
  return middleRound
}

async function runLoad(url: string, sample: string, seconds: number) {
  const script = join(import.meta.dir, 'load.lua')
  const text = await wrk(url, { script, seconds, args: [sample, String(Date.now() % 1_000_000)], client })
  const failed = /(Socket errors.*|Non-2xx.*)/.exec(text)?.[1]
  if (failed) throw new Error(failed)
  return {
    requests: Number(/(\d+) requests in/.exec(text)?.[1]),
    p50: /^\s+50%\s+(\S+)/m.exec(text)?.[1] ?? '',
    p99: /^\s+99%\s+(\S+)/m.exec(text)?.[1] ?? '',
    perSecond: Math.round(Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1])),
  }
}

console.log(
  `${new Date().toISOString().slice(0, 10)}. ${cpus()[0]?.model}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Bun ${Bun.version}; load average ${loadavg()
    .map((each) => each.toFixed(1))
    .join(' ')} at the start; a client that is ${client}.`,
)
for (const count of values.sizes.split(',').map(Number)) {
  const path = join(work, `${count}.db`)
  if (!existsSync(path)) await seed(path, count)
  const tokens = sampleOf(count)
  const sample = join(work, `${count}.txt`)
  await Bun.write(sample, `${tokens.map(cookieOf).join('\n')}\n`)
  const [bare] = await serve('bare.ts', PORTS.bare, { env: {}, sample, paths: ['/api/session'] })
  touch(path, tokens)
  const { lookup, app } = await inProcess(path, tokens)
  const [health, session] = await serve('rooms.ts', PORTS.rooms, {
    env: environment(path),
    sample,
    paths: ['/api/health', '/api/session'],
    ready: () => touch(path, tokens),
  })
  if (!bare || !health || !session) throw new Error('Nothing was measured')
  console.log(`\n## ${count.toLocaleString('en')} sessions\n`)
  console.log(
    `In the process: ${lookup.toFixed(1)} µs of CPU for a look-up, ${app.toFixed(1)} µs for \`GET /api/session\` through \`fetch\`, logging left out.\n`,
  )
  console.log(
    '| over a port | CPU µs/request | ratio | p50 | p99 | requests/s |\n| --- | --- | --- | --- | --- | --- |',
  )
  for (const [name, { cpuUs, p50, p99, perSecond }] of Object.entries({
    'bare Bun.serve': bare,
    'Rooms, `GET /api/health`': health,
    'Rooms, `GET /api/session`': session,
  }))
    console.log(
      `| ${name} | ${cpuUs.toFixed(1)} | ${(cpuUs / bare.cpuUs).toFixed(2)} | ${p50} | ${p99} | ${perSecond} |`,
    )
}
console.log(
  `\nLoad average ${loadavg()
    .map((each) => each.toFixed(1))
    .join(' ')} at the end.`,
)
