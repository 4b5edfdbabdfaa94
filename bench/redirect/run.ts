// bun bench/redirect/run.ts [--sizes 1000,1000000,10000000] [--seconds 8] [--rounds 3]
//   [--spread even|favourites] [--client awake|asleep]
// nginx (without and with its access log), a bare Bun.serve and Latchkey answer the same requests
// in turn, each pinned to one core, with the load on the other.
import { Database as SqliteFile } from 'bun:sqlite'
import { mkdirSync, rmSync } from 'node:fs'
import { cpus, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  type Cpu,
  type Spread,
  clientNamed,
  cpuOf,
  load,
  median,
  onServerCore,
  rssMb,
  untilAnswers,
} from './measure.ts'
import { seed, slugOf, targetOf, writeSample } from './seed.ts'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '1000,1000000,10000000' },
    seconds: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '3' },
    spread: { type: 'string', default: 'even' },
    client: { type: 'string', default: 'awake' },
  },
})
const client = clientNamed(values.client)
const WARM_UP_SECONDS = 3
const PORTS = { nginx: 9100, bare: 9101, latchkey: 9102, logging: 9103 }
const root = join(import.meta.dir, '..', '..')
const work = join(tmpdir(), 'latchkey-bench-redirect')
mkdirSync(work, { recursive: true })

interface Subject {
  name: string
  url: string
  pids: number[]
  /** Resolves when the deferred work is done. */
  settle(): Promise<void>
  stop(): Promise<void>
}

interface Row {
  subject: string
  cpu: Cpu
  p50Ms: number
  p99Ms: number
  rss: number
  perSecond: number
}

/** Starts one nginx at two ports. At the second it writes its access log, as it does by default. */
async function startNginx(count: number): Promise<[plain: Subject, logging: Subject]> {
  const config = join(work, `nginx-${count}.conf`)
  await writeNginxConfig(config, count)
  const master = onServerCore(['nginx', '-c', config])
  const url = `http://127.0.0.1:${PORTS.nginx}`
  await untilAnswers(`${url}/${slugOf(1)}`)
  const children = await Bun.file(`/proc/${master.pid}/task/${master.pid}/children`).text()
  const plain = {
    name: 'nginx',
    url,
    pids: children.trim().split(' ').map(Number),
    settle: async () => {},
    async stop() {
      master.kill()
      await master.exited
    },
  }
  const logging = { ...plain, name: 'nginx, access log', url: `http://127.0.0.1:${PORTS.logging}` }
  return [plain, logging]
}

async function writeNginxConfig(path: string, count: number): Promise<void> {
  const writer = Bun.file(path).writer()
  void writer.write(`daemon off; worker_processes 1; pid ${work}/nginx.pid; error_log ${work}/nginx.log;
events { worker_connections 1024; }
http { access_log off; keepalive_requests 1000000000;
map_hash_max_size ${Math.max(2048, count * 2)}; map_hash_bucket_size 512;
map $uri $target { default "";\n`)
  for (let id = 1; id <= count; id++) void writer.write(`/${slugOf(id)} "${targetOf(id)}";\n`)
  const location = `location / {
  if ($target = "") { return 404; } add_header Cache-Control "private, no-store"; return 302 $target; }`
  void writer.write(`}
server { listen 127.0.0.1:${PORTS.nginx}; ${location} }
server { listen 127.0.0.1:${PORTS.logging}; access_log ${work}/access.log; ${location} } }\n`)
  await writer.end()
}

async function startBare(): Promise<Subject> {
  const child = onServerCore([process.execPath, join(import.meta.dir, 'bare.ts')], {
    PORT: String(PORTS.bare),
  })
  const url = `http://127.0.0.1:${PORTS.bare}`
  await untilAnswers(url)
  return {
    name: 'bare Bun.serve',
    url,
    pids: [child.pid],
    settle: async () => {},
    async stop() {
      child.kill()
      await child.exited
    },
  }
}

async function startLatchkey(path: string): Promise<Subject & { coldStartMs: number }> {
  const startedMs = performance.now()
  const child = onServerCore([process.execPath, join(root, 'apps/latchkey/src/latchkey.ts'), 'links'], {
    LINKS_PORT: String(PORTS.latchkey),
    LINKS_DATABASE_URL: `sqlite:${path}`,
    LINKS_JOURNAL: `sqlite:${path}.journal`,
  })
  const url = `http://127.0.0.1:${PORTS.latchkey}`
  await untilAnswers(`${url}/${slugOf(1)}`)
  const coldStartMs = performance.now() - startedMs
  return {
    name: 'Latchkey',
    url,
    pids: [child.pid],
    coldStartMs,
    async settle() {
      while ((await metric(url, 'latchkey_links_click_batches_waiting')) > 0) await Bun.sleep(100)
    },
    async stop() {
      child.kill()
      if ((await child.exited) !== 0) throw new Error('Latchkey did not stop in order')
    },
  }
}

async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/_/metrics`)).text()
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{outcome="redirected"}`))
      ?.split(' ')[1],
  )
}

async function round(subject: Subject, slugs: { sample: string; spread: Spread }): Promise<Row> {
  await load(subject.url, { ...slugs, client }, WARM_UP_SECONDS)
  await subject.settle()
  const before = cpuOf(subject.pids)
  const result = await load(subject.url, { ...slugs, client }, Number(values.seconds))
  const rss = rssMb(subject.pids)
  await subject.settle()
  const after = cpuOf(subject.pids)
  if (result.errors) throw new Error(`${subject.name}: ${result.errors}`)
  return {
    subject: subject.name,
    cpu: {
      request: (after.request - before.request) / result.requests,
      background: (after.background - before.background) / result.requests,
    },
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    rss,
    perSecond: result.perSecond,
  }
}

/** Checks that the clicks in the database are exactly the redirects that were sent. */
async function checkClicks(latchkey: Subject, path: string): Promise<string> {
  const redirected = await metric(latchkey.url, 'latchkey_links_redirects_total')
  await latchkey.stop()
  const file = new SqliteFile(path, { readonly: true })
  const one = (sql: string) => Object.values(file.query<Record<string, number>, []>(sql).get() ?? {})[0]
  const counts = {
    clicks: one('select count(*) from click'),
    slugs: one('select sum(clicks) from counted_slug'),
    hours: one('select sum(clicks) from click_hour'),
  }
  file.close()
  if (Object.values(counts).some((count) => count !== redirected))
    throw new Error(`${redirected} redirects, but ${JSON.stringify(counts)}`)
  return `${redirected} redirects sent, ${counts.clicks} clicks in the database`
}

function average(rows: readonly Row[], subject: string): Row {
  const own = rows.filter((row) => row.subject === subject)
  const middle = (of: (row: Row) => number) => median(own.map(of))
  return {
    subject,
    cpu: { request: middle((row) => row.cpu.request), background: middle((row) => row.cpu.background) },
    p50Ms: middle((row) => row.p50Ms),
    p99Ms: middle((row) => row.p99Ms),
    rss: middle((row) => row.rss),
    perSecond: middle((row) => row.perSecond),
  }
}

async function measureSize(count: number): Promise<{ count: number; rows: Row[]; notes: string[] }> {
  const path = join(work, `links-${count}.db`)
  for (const suffix of ['', '-wal', '-shm', '.journal', '.journal-wal', '.journal-shm'])
    rmSync(path + suffix, { force: true })
  await seed(path, count)
  const sample = join(work, `slugs-${count}.txt`)
  await writeSample(sample, count)
  const [nginx, logging] = await startNginx(count)
  const bare = await startBare()
  const latchkey = await startLatchkey(path)
  const rows: Row[] = []
  for (let index = 0; index < Number(values.rounds); index++)
    for (const subject of [nginx, logging, bare, latchkey])
      rows.push(await round(subject, { sample, spread: values.spread as Spread }))
  await nginx.stop()
  rmSync(join(work, 'access.log'), { force: true })
  await bare.stop()
  const clickCheck = await checkClicks(latchkey, path)
  const again = await startLatchkey(path)
  await again.stop()
  const subjects = ['nginx', 'nginx, access log', 'bare Bun.serve', 'Latchkey']
  return {
    count,
    rows: subjects.map((subject) => average(rows, subject)),
    notes: [clickCheck, `cold start to first redirect: ${Math.round(again.coldStartMs)} ms`],
  }
}

console.log(
  `Redirects, ${new Date().toISOString().slice(0, 10)}. ${cpus()[0]?.model}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Bun ${Bun.version}.`,
)
console.log(
  `64 connections, ${values.seconds} s a round, medians of ${values.rounds} rounds; slugs: ${values.spread}; servers on one core, wrk on the other, ${client}.\n`,
)
for (const count of values.sizes.split(',').map(Number)) {
  const { rows, notes } = await measureSize(count)
  const base = rows[0]?.cpu.request ?? Number.NaN
  console.log(`## ${count.toLocaleString('en')} links\n`)
  console.log(
    '| | CPU µs/request | ratio | with background | ratio | p50 ms | p99 ms | requests/s | RSS MB |',
  )
  console.log('|---|---|---|---|---|---|---|---|---|')
  for (const { subject, cpu, p50Ms, p99Ms, rss, perSecond } of rows) {
    const all = cpu.request + cpu.background
    console.log(
      `| ${subject} | ${cpu.request.toFixed(1)} | ${(cpu.request / base).toFixed(2)} | ${all.toFixed(1)} | ${(all / base).toFixed(2)} | ${p50Ms.toFixed(2)} | ${p99Ms.toFixed(2)} | ${Math.round(perSecond)} | ${rss} |`,
    )
  }
  console.log(`\n${notes.join('\n')}\n`)
}
