// bun apps/links/test/durability/kill.ts [--rounds 120]
// Kills the server at random moments under load, starts it again on the same files, and compares the
// stored state with the answers.
import { Database as SqliteFile } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, release, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Workload, HOT_LINKS, Writer, runLoad } from './clients.ts'
import { findMisplacedClicks } from './event-checks.ts'
import { Ledger } from './ledger.ts'
import { Server, databasePath, journalPath, createKey, withKey } from './server.ts'

const WRITERS = 3
const VISITORS = 6
const LOAD_MS = { min: 50, max: 400 }
/**
 * Some kills hit a server that has just started, anywhere from before its first line to after its
 * recovery.
 */
const KILLED_STARTS = { chance: 0.25, maxMs: 350 }
/**
 * Clicks are checked after this share of the kills. After the others, they stay in the journal over
 * several kills.
 */
const CHECKED_COUNTS = 0.3

export interface KillOutcome {
  kills: number
  killsAtStart: number
  restartMs: number[]
  stop: { code: number; ms: number }
  ledger: Ledger
  clicks: number
  /** Counted clicks whose redirect got no answer. */
  maybe: number
  ms: number
}

/** Runs the given rounds, and up to four times as many while `isEnough` returns false. */
export async function run(
  rounds: number,
  isEnough: (ledger: Ledger) => boolean = () => true,
): Promise<KillOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-kill-'))
  try {
    return await runIn(folder, rounds, isEnough)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function runIn(
  folder: string,
  rounds: number,
  isEnough: (ledger: Ledger) => boolean,
): Promise<KillOutcome> {
  const startedMs = performance.now()
  const ledger = new Ledger()
  let server = await Server.start(folder)
  const workload = await prepare(server, ledger)
  const writers = Array.from({ length: WRITERS }, () => new Writer(workload))
  const restartMs: number[] = []
  let killsAtStart = 0
  for (let round = 0; round < rounds || (round < 4 * rounds && !isEnough(ledger)); round++) {
    const ended = runLoad(server, workload, { writers, visitors: VISITORS })
    await Bun.sleep(LOAD_MS.min + Math.random() * (LOAD_MS.max - LOAD_MS.min))
    await server.kill()
    await ended
    recordFaults(ledger, server)
    while (Math.random() < KILLED_STARTS.chance) {
      await killAtStart(folder)
      killsAtStart++
    }
    server = Server.spawn(folder)
    await server.waitUntilListening()
    restartMs.push(performance.now() - server.startedMs)
    await checkRunning(folder, server, workload)
  }
  const stop = await server.stop()
  recordFaults(ledger, server)
  ledger.require(stop.code === 0, () => `SIGTERM ended with ${stop.code}: ${server.stderr}`)
  const sums = checkFiles(folder, ledger)
  await checkNextStart(folder, ledger)
  const ms = performance.now() - startedMs
  return { kills: restartMs.length + killsAtStart, killsAtStart, restartMs, stop, ledger, ...sums, ms }
}

async function prepare(server: Server, ledger: Ledger): Promise<Workload> {
  const workload = new Workload(ledger, await createKey(server))
  const writer = new Writer(workload)
  const wire = await server.connect()
  for (let index = 0; index < HOT_LINKS; index++) {
    const link = await writer.create(wire, index % 2 === 0)
    if (link) workload.hot.push(link.state.primary)
  }
  wire.close()
  return workload
}

function recordFaults(ledger: Ledger, server: Server): void {
  ledger.require(server.stderr === '', () => `on stderr: ${server.stderr}`)
  for (const fault of server.faults) ledger.problems.push(`in the log: ${JSON.stringify(fault)}`)
}

async function killAtStart(folder: string): Promise<void> {
  const server = Server.spawn(folder)
  await Bun.sleep(Math.random() * KILLED_STARTS.maxMs)
  await server.kill()
}

/** After a restart: reads through a second connection, once the server has recovered. */
async function checkRunning(folder: string, server: Server, workload: Workload): Promise<void> {
  const { ledger } = workload
  const ready = await server.request('GET', '/_/ready')
  ledger.require(ready.status === 200, () => `after a restart: ${ready.status} ${ready.text}`)
  const checksVisits = Math.random() < CHECKED_COUNTS
  // A read counts all earlier redirects (L13.1).
  if (checksVisits) await server.request('GET', '/_/api/links?limit=1', { headers: withKey(workload.key) })
  const file = new SqliteFile(databasePath(folder), { readonly: true })
  ledger.reconcileWrites(file)
  if (checksVisits) ledger.reconcileVisits(file)
  file.close()
  for (const link of ledger.links.values()) workload.publish(link)
}

/** After an orderly stop: nothing waits, and both files are intact. */
function checkFiles(folder: string, ledger: Ledger): { clicks: number; maybe: number } {
  const database = new SqliteFile(databasePath(folder), { readonly: true })
  const journal = new SqliteFile(journalPath(folder), { readonly: true })
  for (const [name, file] of Object.entries({ database, journal })) {
    ledger.require(one(file, 'pragma integrity_check') === 'ok', () => `${name} is damaged`)
    ledger.require(one(file, 'pragma foreign_key_check') === undefined, () => `${name} has loose references`)
  }
  const waiting = one(journal, 'select max(seq) from journal')
  const lastBatch = one(database, 'select max(seq) from journal_cursor')
  ledger.require(
    waiting === lastBatch,
    () => `counted up to ${String(lastBatch)} of ${String(waiting)} batches`,
  )
  const primaries = `select count(*) from link where 1 <> (select count(*) from slug
    where slug.link_id = link.id and slug.slug = link.primary_slug and slug.disabled_at is null)`
  ledger.require(one(database, primaries) === 0, () => 'a link has not exactly one primary slug')
  const autos = `select count(*) from link where 1 <> (select count(*) from slug
    where slug.link_id = link.id and slug.is_custom = 0)`
  ledger.require(one(database, autos) === 0, () => 'a link has not exactly one automatic slug')
  ledger.reconcileWrites(database)
  const sums = ledger.reconcileVisits(database)
  const misplaced = findMisplacedClicks(database)
  ledger.require(misplaced.length === 0, () => `clicks and their events: ${JSON.stringify(misplaced)}`)
  database.close()
  journal.close()
  return sums
}

function one(file: SqliteFile, statement: string): unknown {
  return Object.values(file.query<Record<string, unknown>, []>(statement).get() ?? {})[0]
}

/** The last start is an ordinary one. */
async function checkNextStart(folder: string, ledger: Ledger): Promise<void> {
  const server = await Server.start(folder)
  const ready = await server.request('GET', '/_/ready')
  ledger.require(ready.status === 200, () => `at the last start: ${ready.status} ${ready.text}`)
  const { code } = await server.stop()
  ledger.require(code === 0, () => `the last stop ended with ${code}`)
  recordFaults(ledger, server)
  const file = new SqliteFile(databasePath(folder), { readonly: true })
  ledger.reconcileVisits(file)
  file.close()
}

export function describeOutcome({ ledger, ...outcome }: KillOutcome): string {
  const sum = (of: 'sent' | 'redirected' | 'unanswered') =>
    [...ledger.visits.values()].reduce((total, visits) => total + visits[of], 0)
  const sorted = outcome.restartMs.toSorted((a, b) => a - b)
  const writes = Object.entries(ledger.writes).map(
    ([kind, { answered, unanswered, stored }]) => `| ${kind} | ${answered} | ${unanswered} | ${stored} |`,
  )
  return `| | |
|---|---|
| SIGKILLs | ${outcome.kills} (${outcome.kills - outcome.killsAtStart} under load, ${outcome.killsAtStart} while starting) |
| links made | ${ledger.links.size} |
| redirects sent to the server | ${sum('sent')} |
| answered with 302 | ${sum('redirected')} |
| without an answer | ${sum('unanswered')} |
| clicks counted | ${outcome.clicks} |
| of these without an answer | ${outcome.maybe} |
| restart until listening | median ${Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0)} ms, longest ${Math.round(sorted.at(-1) ?? 0)} ms |
| SIGTERM at the end | exit code ${outcome.stop.code} after ${Math.round(outcome.stop.ms)} ms |
| duration | ${Math.round(outcome.ms / 1000)} s |
| problems | ${ledger.problems.length} |

| write | answered, all stored | without an answer | of these stored |
|---|---|---|---|
${writes.join('\n')}
${ledger.problems.map((problem) => `\n- ${problem}`).join('')}`
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '120' } } })
  const outcome = await run(Number(values.rounds))
  console.log(`# Killed under load\n`)
  console.log(
    `\`bun apps/links/test/durability/kill.ts --rounds ${values.rounds}\`, ${new Date().toISOString().slice(0, 10)}. ${cpus()[0]?.model}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Bun ${Bun.version}.`,
  )
  console.log(`${WRITERS} writers and ${VISITORS} visitors, each on a connection of its own.\n`)
  console.log(describeOutcome(outcome))
  process.exit(outcome.ledger.problems.length > 0 ? 1 : 0)
}
