import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

/**
 * Measures the cost of six hostile imports at once for a node: `bun bench/import/run.ts --seconds
 * 20`. Six people repeatedly upload a file of 28 MiB each over loopback. Meanwhile the service's
 * memory above idle is measured, and a redirect compared with that of an idle node.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    uploads: { type: 'string', default: '6' },
    only: { type: 'string', default: '' },
  },
})
const ROOT = join(import.meta.dir, '../..')
const FILE_BYTES = 28 * 1024 ** 2
const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-import-'))

/** Builds a file of complete entries, as many as fit. */
function fileOf(entry: (at: number) => string, [open, separator, close]: [string, string, string]): string {
  const entries: string[] = []
  for (let size = 0, at = 0; size < FILE_BYTES; at++) {
    const text = entry(at)
    entries.push(text)
    size += text.length + separator.length
  }
  return open + entries.join(separator) + close
}

const deep = (levels: number) =>
  `{"url":"https://example.com/","x":${'['.repeat(levels)}${']'.repeat(levels)}}`
const wide = (bytes: number) => `{"url":"https://example.com/","x":[${'[0],'.repeat(bytes / 4)}0]}`
const MIB = 1024 ** 2

/** Name, format, and a function that builds the file. */
const HOSTILE: [name: string, format: string, file: () => string][] = [
  ['JSON, 14 million levels', 'kutt', () => `{"data":[${deep(FILE_BYTES / 2)}]}`],
  ['JSON, 15 MiB of levels twice', 'kutt', () => fileOf(() => deep(7 * MIB), ['{"data":[', ',', ']}'])],
  ['JSON lines, 15 MiB of levels each', 'ndjson', () => fileOf(() => deep(7 * MIB), ['', '\n', '\n'])],
  [
    'JSON, entries of 1.9 MiB of small lists',
    'kutt',
    () => fileOf(() => wide(1.9 * MIB), ['{"data":[', ',', ']}']),
  ],
  [
    'JSON lines, 1.9 MiB of small lists each',
    'ndjson',
    () => fileOf(() => wide(1.9 * MIB), ['', '\n', '\n']),
  ],
  ['CSV, a quote that never closes', 'csv', () => `url,slug\n"${'x'.repeat(FILE_BYTES)}`],
  ['CSV, 14 million bad rows', 'csv', () => `url\n${'a\n'.repeat(FILE_BYTES / 2)}`],
  [
    'JSON lines, good links',
    'ndjson',
    () => fileOf((at) => `{"url":"https://example.com/${at}/${crypto.randomUUID()}"}`, ['', '\n', '\n']),
  ],
]

interface Service {
  origin: string
  pid: number
  stop(): Promise<void>
}

async function start(name: string): Promise<Service> {
  const data = mkdtempSync(join(folder, `${name}-`))
  const child = Bun.spawn([process.execPath, join(ROOT, 'apps/latchkey/src/latchkey.ts'), 'links'], {
    cwd: data,
    env: {
      PATH: process.env['PATH'],
      TMPDIR: data,
      LINKS_PORT: '0',
      LINKS_DATABASE_URL: `sqlite:${join(data, 'links.db')}`,
      LINKS_JOURNAL: `sqlite:${join(data, 'journal.db')}`,
      LINKS_ACCESS: 'header',
      LINKS_ACCESS_HEADER: 'X-Forwarded-Email',
      TRUSTED_PROXIES: '127.0.0.1',
      LINKS_TITLE_FETCH: 'off',
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const listening = Promise.withResolvers<string>()
  void readLines(child.stdout, (line) => {
    const { message, url } = JSON.parse(line) as { message: string; url?: string }
    if (message === 'listening' && url) listening.resolve(new URL(url).origin)
  })
  return {
    origin: await listening.promise,
    pid: child.pid,
    async stop() {
      child.kill('SIGKILL')
      await child.exited
    },
  }
}

async function readLines(stream: ReadableStream<Uint8Array>, take: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of stream) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    lines.forEach(take)
  }
}

async function memoryMiB(pid: number): Promise<number> {
  const status = await Bun.file(`/proc/${pid}/status`).text()
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

interface Measured {
  p50Ms: number
  p99Ms: number
  maxMs: number
  memoryMiB: number
}

/** Sends requests of visitors, one after the other, until the time is over. */
async function measure({ origin, pid }: Service, seconds: number): Promise<Measured> {
  const ms: number[] = []
  let memory = 0
  for (const endMs = performance.now() + seconds * 1000; performance.now() < endMs;) {
    const startedMs = performance.now()
    const { status } = await fetch(`${origin}/visited`, { redirect: 'manual' })
    if (status !== 302) throw new Error(`A redirect answered ${status}`)
    ms.push(performance.now() - startedMs)
    memory = Math.max(memory, await memoryMiB(pid))
    await Bun.sleep(5)
  }
  ms.sort((a, b) => a - b)
  const at = (share: number) => ms[Math.floor((ms.length - 1) * share)] ?? 0
  return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1), memoryMiB: memory }
}

/**
 * Starts a shell that uploads until it is ended, which leaves this process free to measure.
 * `answers` receives the statuses.
 */
function flood(origin: string, { format, path, answers }: Upload, person: number) {
  const url = `${origin}/_/admin/api/import?format=${format}`
  const headers = `-H 'X-Forwarded-Email: person-${person}@example.com' -H Expect:`
  // Streamed from the file. As often as an impatient person would, but not as a loop of refusals.
  const upload = `curl -s -o /dev/null -w '%{http_code}\\n' ${headers} -X POST -T '${path}' '${url}' >> '${answers}'`
  return Bun.spawn(['sh', '-c', `while :; do ${upload}; sleep 0.2; done`], {
    stdin: 'ignore',
    stderr: 'ignore',
    detached: true,
  })
}

interface Upload {
  format: string
  path: string
  answers: string
}

async function countOf(answers: string): Promise<string> {
  const counts = new Map<string, number>()
  for (const status of (await Bun.file(answers).text()).trim().split('\n'))
    if (status !== '' && status !== '000') counts.set(status, (counts.get(status) ?? 0) + 1)
  return [...counts].map(([status, count]) => `${count} x ${status}`).join(', ')
}

const people = Array.from({ length: Number(values.uploads) }, (_, at) => at)
console.log(
  '| file | answers | idle: p50 ms | p50 / p99 / max ms | memory above idle, MiB |\n|---|---|---|---|---|',
)
try {
  for (const [name, format, file] of HOSTILE.filter(([each]) => each.includes(values.only))) {
    const path = join(folder, 'upload')
    writeFileSync(path, file())
    const service = await start('node')
    await fetch(`${service.origin}/_/admin/api/links`, {
      method: 'POST',
      headers: { 'X-Forwarded-Email': 'ann@example.com', 'Content-Type': 'application/json' },
      body: JSON.stringify({ url: 'https://example.com/visited', slug: 'visited' }),
    })
    await measure(service, 2)
    const idle = await measure(service, 5)
    const answers = join(folder, 'answers')
    writeFileSync(answers, '')
    const floods = people.map((person) => flood(service.origin, { format, path, answers }, person))
    const busy = await measure(service, Number(values.seconds))
    // The shell and its curl.
    for (const { pid } of floods) process.kill(-pid, 'SIGKILL')
    await Promise.all(floods.map(({ exited }) => exited))
    await service.stop()
    const statusCounts = await countOf(answers)
    const times = [busy.p50Ms, busy.p99Ms, busy.maxMs].map((each) => each.toFixed(1)).join(' / ')
    console.log(
      `| ${name} | ${statusCounts} | ${idle.p50Ms.toFixed(1)} | ${times} | ${(busy.memoryMiB - idle.memoryMiB).toFixed(0)} |`,
    )
  }
  console.log(
    `\n${cpus()[0]?.model} x ${cpus().length}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()}, Bun ${Bun.version}, load ${loadavg()[0]?.toFixed(1)}`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
