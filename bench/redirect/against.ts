// bun bench/redirect/against.ts CHECKOUT [--sizes 1000,1000000] [--turns 9] [--keep]
// Compares a redirect with that of another checkout of this repository, such as of the commit before a
// change. The servers of both run at once, on one core, and take turns of a second each. Links with a
// behaviour are compared with the others. `--keep` leaves the databases for the next run.
import { Database as SqliteFile } from 'bun:sqlite'
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { cpus, loadavg, release, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { compile } from '@latchkey/links/links/behaviour/compile'
import { cpuOf, load, median, onServerCore, rssMb, untilAnswers } from './measure.ts'
import { slugOf, writeSample } from './seed.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sizes: { type: 'string', default: '1000,1000000' },
    turns: { type: 'string', default: '9' },
    keep: { type: 'boolean', default: false },
  },
})
const [other] = positionals
if (other === undefined) throw new Error('usage: bun bench/redirect/against.ts CHECKOUT')
const CHECKOUTS = { before: resolve(other), now: resolve(import.meta.dir, '../..') }
type Code = keyof typeof CHECKOUTS

const FIRST_PORT = 9110
const SUFFIXES = ['', '-wal', '-shm', '.journal', '.journal-wal', '.journal-shm']
/** Links with a behaviour: each tenth, in databases of at most so many links. */
const STEP = 10
const MAX_WITH_BEHAVIOUR = 1_000_000
const BEHAVIOUR = compile(
  {
    rules: [{ when: { language: ['sv'] }, to: 'https://example.com/sv' }],
    split: [
      { url: 'https://example.com/a', weight: 60 },
      { url: 'https://example.com/b', weight: 40 },
    ],
  },
  false,
)
const work = join(tmpdir(), 'latchkey-bench-against')
mkdirSync(work, { recursive: true })

const databaseOf = (code: Code, count: number) => join(work, `${code}-${count}.db`)

/** Each checkout fills its own database: the tables may differ. */
async function seedFor(code: Code, count: number): Promise<void> {
  const path = databaseOf(code, count)
  if (existsSync(path)) return
  const module = join(CHECKOUTS[code], 'bench/redirect/seed.ts')
  const script = `import { seed } from ${JSON.stringify(module)}; await seed(${JSON.stringify(path)}, ${count})`
  const child = Bun.spawn([process.execPath, '-e', script], {
    cwd: CHECKOUTS[code],
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if ((await child.exited) !== 0) throw new Error(`${code}: cannot fill ${path}`)
}

/** A copy of the database in which each tenth link has a behaviour. */
function addBehaviour(count: number): string {
  const path = join(work, `behaviour-${count}.db`)
  if (existsSync(path)) return path
  copyFileSync(databaseOf('now', count), path)
  const file = new SqliteFile(path)
  file.run(`update link set behaviour = ? where id % ${STEP} = 0`, [BEHAVIOUR])
  file.run('pragma wal_checkpoint(truncate)')
  file.close()
  return path
}

interface Server {
  name: string
  url: string
  pid: number
  sample: string
  /** CPU microseconds per redirect in each turn, without the thread that counts clicks and with it. */
  request: number[]
  all: number[]
  stop(): Promise<void>
}

let port = FIRST_PORT

async function start(name: string, options: { code: Code; path: string; sample: string }): Promise<Server> {
  const { code, path, sample } = options
  for (const suffix of SUFFIXES.slice(3)) rmSync(path + suffix, { force: true })
  const url = `http://127.0.0.1:${port}`
  const child = onServerCore(
    [process.execPath, join(CHECKOUTS[code], 'apps/latchkey/src/latchkey.ts'), 'links'],
    {
      LINKS_PORT: String(port++),
      LINKS_DATABASE_URL: `sqlite:${path}`,
      LINKS_JOURNAL: `sqlite:${path}.journal`,
    },
  )
  await untilAnswers(`${url}/${slugOf(1)}`)
  return {
    name,
    url,
    pid: child.pid,
    sample,
    request: [],
    all: [],
    async stop() {
      child.kill()
      await child.exited
    },
  }
}

async function takeTurn(server: Server, seconds: number, isMeasured = true): Promise<void> {
  await settle(server)
  const before = cpuOf([server.pid])
  const result = await load(server.url, { sample: server.sample, spread: 'even', client: 'awake' }, seconds)
  await settle(server)
  const after = cpuOf([server.pid])
  if (result.errors) throw new Error(`${server.name}: ${result.errors}`)
  if (!isMeasured) return
  const request = after.request - before.request
  server.request.push(request / result.requests)
  server.all.push((request + after.background - before.background) / result.requests)
}

/** Waits until all clicks are counted. */
async function settle({ url }: Server): Promise<void> {
  const waiting = /^latchkey_links_click_batches_waiting (\d+)/m
  while (waiting.exec(await (await fetch(`${url}/_/metrics`)).text())?.[1] !== '0') await Bun.sleep(50)
}

/** The sample of every slug, or only of links with a behaviour. */
async function sampleOf(count: number, hasBehaviour = false): Promise<string> {
  const path = join(work, `${hasBehaviour ? 'behaviour' : 'slugs'}-${count}.txt`)
  if (!hasBehaviour) await writeSample(path, count)
  else {
    const step = STEP * Math.max(1, Math.floor(count / 500_000))
    const writer = Bun.file(path).writer()
    for (let id = step; id <= count; id += step) void writer.write(`${slugOf(id)}\n`)
    await writer.end()
  }
  return path
}

const servers: Server[] = []
const sizes = values.sizes.split(',').map(Number)
for (const count of sizes) {
  const sample = await sampleOf(count)
  for (const code of ['before', 'now'] as const) {
    await seedFor(code, count)
    servers.push(await start(`${count} links, ${code}`, { code, path: databaseOf(code, count), sample }))
  }
  if (count > MAX_WITH_BEHAVIOUR) continue
  const path = addBehaviour(count)
  servers.push(
    await start(`${count} links, those with a behaviour`, {
      code: 'now',
      path,
      sample: await sampleOf(count, true),
    }),
  )
}
const loadBefore = loadavg()[0]?.toFixed(1)
for (const server of servers) await takeTurn(server, 2, false)
for (let turn = 0; turn < Number(values.turns); turn++)
  for (const server of servers) await takeTurn(server, 1)

console.log(
  `${new Date().toISOString().slice(0, 10)}. ${cpus()[0]?.model}, ${cpus().length} cores, Linux ${release()}, Bun ${Bun.version}; load ${loadBefore} before, ${loadavg()[0]?.toFixed(1)} after; ${values.turns} turns of a second.\n`,
)
console.log('| | CPU µs | with background | RSS MB |\n|---|---|---|---|')
const cell = (turns: readonly number[]) => `${median(turns).toFixed(1)} (${Math.min(...turns).toFixed(1)})`
for (const { name, request, all, pid } of servers)
  console.log(`| ${name} | ${cell(request)} | ${cell(all)} | ${rssMb([pid])} |`)
for (const server of servers) await server.stop()
if (!values.keep) rmSync(work, { recursive: true })
process.exit()
