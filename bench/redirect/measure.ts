import { mkdtempSync, readFileSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Kernel clock ticks are 10 ms on Linux, whatever the machine. */
const TICK_US = 10_000
const SERVER_CORE = '0'
const LOAD_CORE = '1'

/** CPU time in microseconds: of the thread that counts clicks, and of all other threads. */
export interface Cpu {
  request: number
  background: number
}

function ticksOf(path: string): number {
  // The command name is in parentheses and may hold blanks; utime and stime are fields 14 and 15.
  const fields = readFileSync(path, 'utf8').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}

/**
 * Sums all threads of these processes. `background` covers the threads that the runtime names as
 * workers.
 */
export function cpuOf(pids: readonly number[]): Cpu {
  const cpu = { request: 0, background: 0 }
  for (const pid of pids)
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const name = readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8').trim()
      const kind = name.startsWith('Worker') ? 'background' : 'request'
      cpu[kind] += ticksOf(`/proc/${pid}/task/${thread}/stat`) * TICK_US
    }
  return cpu
}

export function rssMb(pids: readonly number[]): number {
  const kib = pids.map((pid) =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0),
  )
  return Math.round(kib.reduce((sum, each) => sum + each, 0) / 1024)
}

export interface Load {
  requests: number
  p50Ms: number
  p99Ms: number
  perSecond: number
  errors: string
}

export type Spread = 'even' | 'favourites'

/** How wrk waits for answers. */
export type Client = 'awake' | 'asleep'

/**
 * Loads `url` from the other core with 64 connections and returns wrk's output. A client that
 * sleeps between answers is woken at the server's expense, for up to 30 us a request on a virtual
 * machine, and only servers that are slower than the client find it asleep. By default it therefore
 * stays awake, which needs a C compiler.
 */
export async function wrk(
  url: string,
  {
    script,
    seconds,
    args,
    client,
  }: { script: string; seconds: number; args: readonly string[]; client: Client },
): Promise<string> {
  const command = ['wrk', '-t1', '-c64', `-d${seconds}s`, '--latency', '-s', script, url, '--', ...args]
  const child = Bun.spawn(['taskset', '-c', LOAD_CORE, ...command], {
    stdout: 'pipe',
    stderr: 'inherit',
    env: { ...process.env, ...(client === 'awake' && { LD_PRELOAD: await awake() }) },
  })
  return new Response(child.stdout).text()
}

let compiled: Promise<string> | undefined

function awake(): Promise<string> {
  return (compiled ??= compile(join(mkdtempSync(join(tmpdir(), 'latchkey-awake-')), 'awake.so')))
}

async function compile(library: string): Promise<string> {
  const source = join(import.meta.dir, 'awake.c')
  const child = Bun.spawn(['cc', '-O2', '-shared', '-fPIC', '-o', library, source, '-ldl'])
  if ((await child.exited) !== 0) throw new Error('awake.c cannot be compiled: use --client asleep')
  return library
}

/** Runs wrk with random slugs of the sample. */
export async function load(
  url: string,
  { sample, spread, client }: { sample: string; spread: Spread; client: Client },
  seconds: number,
): Promise<Load> {
  const script = join(import.meta.dir, 'load.lua')
  const seed = String(Date.now() % 1_000_000)
  const text = await wrk(url, { script, seconds, args: [sample, seed, spread], client })
  const number = (pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? Number.NaN)
  return {
    requests: number(/(\d+) requests in/),
    p50Ms: milliseconds(/^\s+50%\s+(\S+)/m.exec(text)?.[1]),
    p99Ms: milliseconds(/^\s+99%\s+(\S+)/m.exec(text)?.[1]),
    perSecond: number(/Requests\/sec:\s+([\d.]+)/),
    errors: /(Socket errors.*|Non-2xx.*)/.exec(text)?.[1] ?? '',
  }
}

/** Parses the value of `--client`. Throws for any other value. */
export function clientNamed(name: string): Client {
  if (name === 'awake' || name === 'asleep') return name
  throw new Error('--client is awake or asleep')
}

function milliseconds(text = ''): number {
  const value = Number.parseFloat(text)
  return text.endsWith('us') ? value / 1000 : text.endsWith('ms') ? value : value * 1000
}

export function onServerCore(command: string[], env: Record<string, string> = {}) {
  return Bun.spawn(['taskset', '-c', SERVER_CORE, ...command], {
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
    env: { ...process.env, ...env },
  })
}

/**
 * nginx compares every new key of a map with a ten-thousandth of the others: ten million take
 * minutes.
 */
const START_WITHIN_MS = 900_000

/** Waits until the address answers. Returns the milliseconds that it took. */
export async function untilAnswers(url: string): Promise<number> {
  const startedMs = performance.now()
  while (performance.now() - startedMs < START_WITHIN_MS) {
    const answer = await fetch(url, { redirect: 'manual' }).catch(() => undefined)
    if (answer) return performance.now() - startedMs
    await Bun.sleep(2)
  }
  throw new Error(`${url} does not answer`)
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
