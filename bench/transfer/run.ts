import { createHash } from 'node:crypto'
import { createReadStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { cpus, loadavg, tmpdir, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import pg from 'pg'
import { sql } from 'kysely'
import { readDashboardStats } from '../../apps/links/src/analytics/dashboard.ts'
import { readClickStats, readTimeline } from '../../apps/links/src/analytics/stats.ts'
import { Range } from '../../apps/links/src/time/schema.ts'
import { migrations } from '../../apps/links/src/db/migrations.ts'
import { withSnapshot } from '../../apps/links/src/db/snapshot.ts'
import type { Tables } from '../../apps/links/src/db/tables.ts'
import { NOW, fill } from '../analytics/fill.ts'

/**
 * Moves an instance from SQLite to PostgreSQL and back to SQLite with the public command: `bun
 * bench/transfer/run.ts --links 1000000 --clicks 10000000`. `LATCHKEY_TEST_POSTGRES` names the
 * server; a separate database is created there and dropped. Fails if anything differs.
 */
const { values } = parseArgs({
  options: {
    clicks: { type: 'string', default: '100000' },
    links: { type: 'string', default: '10000' },
  },
})
const size = { clicks: Number(values.clicks), links: Number(values.links), sums: false }
const LATCHKEY = join(import.meta.dir, '../../apps/latchkey/src/latchkey.ts')
const folder = mkdtempSync(join(process.env['BENCH_FOLDER'] ?? tmpdir(), 'latchkey-transfer-'))

interface Measured {
  label: string
  seconds: number
  cpuSeconds: number
  memoryMiB: number
}

/** Runs the command on an instance. Its stdout goes to a file. */
async function latchkey(label: string, databaseUrl: string, args: string[], out?: string): Promise<Measured> {
  const startedMs = performance.now()
  const child = Bun.spawn([process.execPath, LATCHKEY, ...args], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      LINKS_DATABASE_URL: databaseUrl,
      LINKS_JOURNAL: `sqlite:${join(folder, 'journal.db')}`,
    },
    stdin: 'ignore',
    stdout: out === undefined ? 'ignore' : Bun.file(out),
    stderr: 'inherit',
  })
  const memoryMiB = await peakMemoryMiB(child)
  if ((await child.exited) !== 0) throw new Error(`${label} failed`)
  const usage = child.resourceUsage()
  const measured = {
    label,
    seconds: (performance.now() - startedMs) / 1000,
    cpuSeconds: Number(usage?.cpuTime.total ?? 0) / 1e6,
    memoryMiB,
  }
  console.error(measured)
  return measured
}

/**
 * Samples the memory of a child while it runs. The system's value at its end is never below the
 * peak of this process, which has filled a database.
 */
async function peakMemoryMiB(child: Bun.Subprocess): Promise<number> {
  let peakMiB = 0
  while (child.exitCode === null) {
    const status = await Bun.file(`/proc/${child.pid}/status`)
      .text()
      .catch(() => '')
    peakMiB = Math.max(peakMiB, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
    await Promise.race([child.exited, Bun.sleep(200)])
  }
  return peakMiB
}

/** Hash of everything after the first line, which holds the time of the export. */
async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  let isRest = false
  for await (const bytes of createReadStream(path, { highWaterMark: 2 ** 20 }) as AsyncIterable<Uint8Array>) {
    hash.update(isRest ? bytes : bytes.subarray(bytes.indexOf(10) + 1))
    isRest = true
  }
  return hash.digest('hex')
}

async function csvOf(url: string): Promise<string> {
  const file = join(folder, 'again.csv')
  await latchkey('links to a table', url, ['links', 'export', '--format', 'csv'], file)
  return hashOf(file)
}

/**
 * Statistics of the most clicked links, of one without clicks, and of the dashboard, in every
 * range.
 */
async function statisticsOf(url: string): Promise<string> {
  const database = openDatabase<Tables>(url)
  await migrate(database, migrations)
  const statistics: unknown[] = []
  for (const range of Range.options) {
    const view = { range, tz: 'UTC', now: NOW, filters: { bots: true, selfReferrers: true } }
    await withSnapshot(database, async (db) => {
      for (const id of [1, 2, 3, 999, size.links])
        statistics.push((await readClickStats(db, [id], view)).stats, await readTimeline(db, [id], view))
      statistics.push(await readDashboardStats(db, view))
    })
  }
  const { rows } = await sql<{ sum: number }>`select sum(clicks) as sum from click_hour`.execute(
    database.read,
  )
  await database.close()
  console.error(`${url.split(':')[0]}: ${rows[0]?.sum} clicks by hour`)
  return JSON.stringify(statistics)
}

function requireSame(label: string, all: readonly string[]): void {
  if (new Set(all).size !== 1) throw new Error(`${label} differ`)
}

async function run(postgres: string): Promise<void> {
  const [first = '', second = '', third = ''] = ['first.db', 'second.db', 'third.db'].map(
    (name) => `sqlite:${join(folder, name)}`,
  )
  const table = join(folder, 'links.csv')
  const ofAnn = ['--format', 'csv', '--owner', 'ann@example.com']
  const files = ['a', 'b', 'c'].map((name) => join(folder, `${name}.ndjson`)) as [string, string, string]
  await (await fill(first, size, (label) => console.error(`filling ${label}`))).close()
  const exporting = ['links', 'export', '--everything']
  const importing = (file: string) => ['links', 'import', file, '--everything']
  const all = [
    await latchkey('SQLite to a file', first, exporting, files[0]),
    await latchkey('a file into PostgreSQL', postgres, importing(files[0])),
    await latchkey('PostgreSQL to a file', postgres, exporting, files[1]),
    await latchkey('a file into SQLite', second, importing(files[1])),
    await latchkey('SQLite to a file again', second, exporting, files[2]),
    await latchkey('its links to a table', second, ['links', 'export', '--format', 'csv'], table),
    await latchkey('the table into SQLite', third, ['links', 'import', table, ...ofAnn]),
    await latchkey('the table once more', third, ['links', 'import', table, ...ofAnn]),
  ]
  requireSame('the files', await Promise.all(files.map(hashOf)))
  requireSame('the tables', [await csvOf(second), await csvOf(third)])
  requireSame('the figures', [
    await statisticsOf(first),
    await statisticsOf(postgres),
    await statisticsOf(second),
  ])
  console.log(
    `${new Date().toISOString().slice(0, 10)}, ${cpus()[0]?.model} x ${cpus().length}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()}, Bun ${Bun.version}, load ${loadavg()[0]?.toFixed(1)}`,
  )
  console.log(
    `${size.links} links, ${size.clicks} clicks, a file of ${Math.round(statSync(files[0]).size / 2 ** 20)} MiB; rows and figures compare equal\n`,
  )
  console.log('|  | seconds | CPU seconds of the command | most memory, MiB |\n|---|---|---|---|')
  for (const { label, seconds, cpuSeconds, memoryMiB } of all)
    console.log(`| ${label} | ${seconds.toFixed(0)} | ${cpuSeconds.toFixed(0)} | ${memoryMiB.toFixed(0)} |`)
}

const server = process.env['LATCHKEY_TEST_POSTGRES']
if (!server) throw new Error('LATCHKEY_TEST_POSTGRES names no PostgreSQL server')
const admin = new pg.Client(server)
await admin.connect()
const name = `latchkey_transfer_${process.pid}`
await admin.query(`create database ${name}`)
const url = new URL(server)
url.pathname = `/${name}`
try {
  await run(String(url))
} finally {
  await admin.query(`drop database ${name} with (force)`)
  await admin.end()
  rmSync(folder, { recursive: true, force: true })
}
