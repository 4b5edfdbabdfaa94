import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { cpus, loadavg, tmpdir, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildExecutable } from '../../scripts/release/executable.ts'
import { ownPlatform } from '../../scripts/release/platforms.ts'

/**
 * Measures how soon the executable answers on an existing database, compared with the source: `bun
 * bench/executable/run.ts --rounds 15`. The two alternate, which exposes both to the same load of
 * the machine.
 */
const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '15' }, links: { type: 'string', default: '10000' } },
})
const rounds = Number(values.rounds)

const PROMISED_MS = 300
/** Kernel clock ticks are 10 ms on Linux, whatever the machine. */
const TICK_MS = 10

const folder = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
const executable = join(folder, 'latchkey')
await buildExecutable(ownPlatform(), executable)
const COMMANDS = {
  executable: [executable],
  source: [process.execPath, join(import.meta.dir, '../../apps/latchkey/src/latchkey.ts')],
}
type Way = keyof typeof COMMANDS

interface Start {
  ms: number
  cpuMs: number
  rssMb: number
}

fill()
console.log(
  `${type()}, ${cpus()[0]?.model}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Bun ${Bun.version}`,
)
console.log(
  `executable: ${(statSync(executable).size / 1e6).toFixed(0)} MB; ${values.links} links; ${rounds} rounds\n`,
)
console.log('|            | command | until            | best ms | median ms | worst ms | CPU ms | RSS MB |')
console.log('| ---------- | ------- | ---------------- | ------- | --------- | -------- | ------ | ------ |')
const cases = [
  ['links', 'a redirect', (ports: Ports) => `http://127.0.0.1:${ports.links}/s1`, 302],
  ['start', 'a redirect', (ports: Ports) => `http://127.0.0.1:${ports.links}/s1`, 302],
  ['start', 'the admin page', (ports: Ports) => `http://127.0.0.1:${ports.links}/_/admin/dashboard`, 200],
  ['start', 'the lobby of Rooms', (ports: Ports) => `http://127.0.0.1:${ports.rooms}/`, 200],
] as const
let isPromiseKept = true
for (const [command, until, urlOf, status] of cases) {
  const starts: Record<Way, Start[]> = { executable: [], source: [] }
  for (let round = 0; round < rounds; round++)
    for (const way of ['executable', 'source'] as const)
      starts[way].push(await startOnce(way, command, urlOf, status))
  for (const way of ['executable', 'source'] as const) {
    const ms = sortNumbers(starts[way].map((each) => each.ms))
    if (way === 'executable' && command === 'links') isPromiseKept = middle(ms) < PROMISED_MS
    const cells = [
      ms[0],
      middle(ms),
      ms.at(-1),
      middle(starts[way].map((each) => each.cpuMs)),
      middle(starts[way].map((each) => each.rssMb)),
    ]
    console.log(
      `| ${way.padEnd(10)} | ${command.padEnd(7)} | ${until.padEnd(16)} | ${cells.map((cell) => Math.round(cell ?? 0)).join(' | ')} |`,
    )
  }
}
console.log(
  `\nload at the end: ${loadavg()[0]?.toFixed(1)}; the promise, a redirect within ${PROMISED_MS} ms, is ${isPromiseKept ? 'kept' : 'broken'}`,
)
rmSync(folder, { recursive: true, force: true })

interface Ports {
  links: number
  rooms: number
}

async function startOnce(
  way: Way,
  command: string,
  urlOf: (ports: Ports) => string,
  status: number,
): Promise<Start> {
  const ports = { links: await freePort(), rooms: await freePort() }
  const url = urlOf(ports)
  const beganMs = performance.now()
  const child = Bun.spawn([...COMMANDS[way], command], {
    cwd: folder,
    env: {
      LINKS_PORT: String(ports.links),
      ROOMS_PORT: String(ports.rooms),
      PATH: process.env['PATH'] ?? '',
    },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  await waitForStatus(url, status, () => child.exitCode !== null)
  const ms = performance.now() - beganMs
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const rss = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]
  child.kill('SIGTERM')
  await child.exited
  return { ms, cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS, rssMb: Number(rss) / 1024 }
}

async function waitForStatus(url: string, status: number, isOver: () => boolean): Promise<void> {
  for (;;) {
    const answer = await fetch(url, { redirect: 'manual' }).catch(() => undefined)
    await answer?.arrayBuffer()
    if (answer?.status === status) return
    if (isOver()) throw new Error(`It ended before ${url} answered ${status}`)
    await Bun.sleep(1)
  }
}

/** Creates a database with existing links. */
function fill(): void {
  const rows = Array.from({ length: Number(values.links) }, (_, at) => `https://example.com/${at},s${at}`)
  writeFileSync(join(folder, 'links.csv'), `url,slug\n${rows.join('\n')}\n`)
  const { exitCode, stderr } = Bun.spawnSync(
    [executable, 'links', 'import', 'links.csv', '--format', 'csv', '--owner', 'ann@example.com'],
    { cwd: folder },
  )
  if (exitCode !== 0) throw new Error(stderr.toString())
}

async function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const server = createServer().listen(0, '127.0.0.1', () => {
    const address = server.address()
    server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
  })
  return promise
}

function sortNumbers(numbers: readonly number[]): number[] {
  return numbers.toSorted((a, b) => a - b)
}

function middle(numbers: readonly number[]): number {
  return sortNumbers(numbers)[numbers.length >> 1] ?? 0
}
