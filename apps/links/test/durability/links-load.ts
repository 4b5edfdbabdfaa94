import { Database as SqliteFile } from 'bun:sqlite'
import { join } from 'node:path'
import { type Database, openDatabase } from '@latchkey/database/database'
import type { SharedDatabase } from '@latchkey/database/testing-nodes'
import type { Random } from '@latchkey/http/testing-random'
import { sql } from 'kysely'
import { SELECT_ID } from '../../src/counting/journal-format.ts'
import type { Tables } from '../../src/db/tables.ts'
import { HOT_LINKS, Workload, Writer, runLoad } from './clients.ts'
import { findMisplacedClicks } from './event-checks.ts'
import { Ledger } from './ledger.ts'
import { Server, createKey, databasePath, withKey } from './server.ts'

const WRITERS = 4
const VISITORS = 6
/** The longest wait that is not endless. */
const ANSWERED_WITHIN_MS = 60_000
const COUNTED_WITHIN_MS = 60_000

export interface LinksLoadOptions {
  folder: string
  random: Random
  /** By default, one node has a SQLite file in the folder. */
  database?: Omit<SharedDatabase, 'waitForEndOf'>
  environmentOf?: (node: number) => Record<string, string>
  /** Whether a node may lose clicks that it counts as lost, as on a full disk. */
  mayLoseClicks?: boolean
  /** What the test lets nodes report on stderr or as a fault in the log. */
  expectedFaults?: RegExp
}

/** Nodes of Links with writers and visitors, whose answers are compared with what is stored. */
export class LinksLoad {
  readonly ledger = new Ledger()
  readonly folder: string
  readonly nodes: Server[] = []
  readonly #options: LinksLoadOptions
  readonly #urls: readonly [string, ...string[]]
  #workload = new Workload(this.ledger, '')
  #writers: Writer[] = []
  #database: Database<Tables> | undefined
  #running: Promise<void> = Promise.resolve()

  private constructor(options: LinksLoadOptions) {
    this.#options = options
    this.folder = options.folder
    this.#urls = options.database?.urls ?? [`sqlite:${databasePath(options.folder)}`]
  }

  /** Starts the nodes, and creates the links that are followed most. */
  static async open(options: LinksLoadOptions): Promise<LinksLoad> {
    const load = new LinksLoad(options)
    try {
      for (const index of load.#urls.keys()) await load.start(index)
      await load.#prepare()
      return load
    } catch (error) {
      await load.close()
      throw error
    }
  }

  get workload(): Workload {
    return this.#workload
  }

  get database(): Database<Tables> {
    this.#database ??= openDatabase<Tables>(this.#options.database?.checkedUrl ?? this.#urls[0])
    return this.#database
  }

  /** A process of this node that may end before it listens. */
  spawn(index: number): Server {
    const environment = {
      LINKS_DATABASE_URL: this.#urls[index] ?? '',
      LINKS_JOURNAL: `sqlite:${this.#journalOf(index)}`,
      ...this.#options.environmentOf?.(index),
    }
    return Server.spawn(this.folder, { environment })
  }

  /** Returns the milliseconds until the node listens. */
  async start(index: number): Promise<number> {
    const server = this.spawn(index)
    this.nodes[index] = server
    await server.waitUntilListening()
    return performance.now() - server.startedMs
  }

  /** Sends all clients to the nodes. */
  begin(random: Random): void {
    const clients = { writers: this.#writers, visitors: VISITORS, random }
    this.#running = runLoad(this.nodes, this.#workload, clients)
  }

  /** Resolves when each client has its last answer. */
  async end(): Promise<void> {
    this.#workload.isOver = true
    const late = Bun.sleep(ANSWERED_WITHIN_MS).then(() => 'late' as const)
    if ((await Promise.race([this.#running, late])) === 'late')
      throw new Error(`A request has no answer after ${ANSWERED_WITHIN_MS} ms`)
  }

  async kill(index: number): Promise<void> {
    const node = this.nodes[index] as Server
    await node.kill()
    this.recordFaults(node)
  }

  /** Compares the writes, and on request the clicks, of all nodes, which run. */
  async check({ visits }: { visits: boolean }): Promise<void> {
    for (const [index, node] of this.nodes.entries()) {
      const ready = await node.request('GET', '/_/ready')
      this.ledger.require(ready.status === 200, () => `node ${index}: ${ready.status} ${ready.text}`)
      if (visits) await this.#waitUntilCounted(node)
      const lost = await node.metric('latchkey_links_clicks_lost_total')
      if (this.#options.mayLoseClicks) this.ledger.lost = lost
      else this.ledger.require(lost === 0, () => `node ${index} has lost ${lost} clicks`)
    }
    await this.ledger.reconcileWrites(this.database)
    if (visits) await this.ledger.reconcileVisits(this.database)
    for (const link of this.ledger.links.values()) this.#workload.publish(link)
  }

  /** Stops the nodes in an orderly way, after which nothing waits and all files are intact. */
  async stop(): Promise<{ clicks: number; maybe: number }> {
    for (const node of this.nodes) {
      const { code } = await node.stop()
      this.ledger.require(code === 0, () => `SIGTERM ended with ${code}: ${node.stderr}`)
      this.recordFaults(node)
    }
    await this.#checkStored()
    await this.#database?.close()
    this.#database = undefined
    this.#checkFiles()
    return this.#checkNextStart()
  }

  /** Ends the processes in any state. */
  async close(): Promise<void> {
    for (const node of this.nodes) await node.close()
    await this.#database?.close()
  }

  recordFaults(node: Server): void {
    const faults = [
      ...node.stderr.split('\n').filter(Boolean),
      ...node.faults.map((fault) => JSON.stringify(fault)),
    ]
    for (const fault of faults)
      this.ledger.require(this.#options.expectedFaults?.test(fault) === true, () => `reported: ${fault}`)
  }

  #journalOf(index: number): string {
    return join(this.folder, `journal-${index}.db`)
  }

  async #prepare(): Promise<void> {
    const [node] = this.nodes as [Server]
    const { random } = this.#options
    this.#workload = new Workload(this.ledger, await createKey(node))
    this.#writers = Array.from(
      { length: WRITERS },
      (_, index) => new Writer(this.#workload, random.fork(`writer ${index}`)),
    )
    const writer = new Writer(this.#workload, random.fork('first writer'))
    const wire = await node.connect()
    for (let index = 0; index < HOT_LINKS; index++) {
      const link = await writer.create(wire, index % 2 === 0)
      if (link) this.#workload.hot.push(link.state.primary)
    }
    wire.close()
  }

  async #waitUntilCounted(node: Server): Promise<void> {
    const deadline = performance.now() + COUNTED_WITHIN_MS
    do {
      // A read counts all earlier redirects of its node (L13.1).
      await node.request('GET', '/_/api/links?limit=1', { headers: withKey(this.#workload.key) })
      if ((await node.metric('latchkey_links_click_batches_waiting')) === 0) return
      await Bun.sleep(20)
    } while (performance.now() < deadline)
    this.ledger.problems.push(`clicks are not counted within ${COUNTED_WITHIN_MS} ms`)
  }

  async #checkStored(): Promise<void> {
    const { ledger, database } = this
    const count = async (condition: string) => {
      const statement = sql.raw<{ count: number }>(`select count(*) as count from link where ${condition}`)
      return (await statement.execute(database.read)).rows[0]?.count
    }
    const primaries = await count(`1 <> (select count(*) from slug
      where slug.link_id = link.id and slug.slug = link.primary_slug and slug.disabled_at is null)`)
    ledger.require(primaries === 0, () => 'a link has not exactly one primary slug')
    const automatic = await count(
      '1 <> (select count(*) from slug where slug.link_id = link.id and slug.is_custom = 0)',
    )
    ledger.require(automatic === 0, () => 'a link has not exactly one automatic slug')
    await ledger.reconcileWrites(database)
    await ledger.reconcileVisits(database)
    const misplaced = await findMisplacedClicks(database)
    ledger.require(misplaced.length === 0, () => `clicks and their events: ${JSON.stringify(misplaced)}`)
    const { rows: cursors } = await sql<{ id: string; seq: number }>`
      select journal_id as id, seq from journal_cursor`.execute(database.read)
    for (const index of this.nodes.keys()) {
      const { id, seq } = lastOfJournal(this.#journalOf(index))
      const counted = cursors.find((cursor) => cursor.id === id)?.seq ?? null
      ledger.require(
        seq === null || seq === counted,
        () => `counted up to ${String(counted)} of ${String(seq)} batches`,
      )
    }
  }

  #checkFiles(): void {
    const databases = this.#urls.filter((url) => url.startsWith('sqlite:')).map((url) => url.slice(7))
    const journals = this.nodes.map((_, index) => this.#journalOf(index))
    for (const path of [...databases, ...journals]) {
      const file = new SqliteFile(path, { readonly: true })
      this.ledger.require(one(file, 'pragma integrity_check') === 'ok', () => `${path} is damaged`)
      const loose = one(file, 'pragma foreign_key_check')
      this.ledger.require(loose === undefined, () => `${path} has loose references`)
      file.close()
    }
  }

  /** The last start is an ordinary one. */
  async #checkNextStart(): Promise<{ clicks: number; maybe: number }> {
    await this.start(0)
    const [node] = this.nodes as [Server]
    const ready = await node.request('GET', '/_/ready')
    this.ledger.require(ready.status === 200, () => `at the last start: ${ready.status} ${ready.text}`)
    const { code } = await node.stop()
    this.ledger.require(code === 0, () => `the last stop ended with ${code}`)
    this.recordFaults(node)
    return this.ledger.reconcileVisits(this.database)
  }
}

function one(file: SqliteFile, statement: string): unknown {
  return Object.values(file.query<Record<string, unknown>, []>(statement).get() ?? {})[0]
}

function lastOfJournal(path: string): { id: unknown; seq: unknown } {
  const journal = new SqliteFile(path, { readonly: true })
  try {
    return { id: one(journal, SELECT_ID), seq: one(journal, 'select max(seq) from journal') }
  } finally {
    journal.close()
  }
}
