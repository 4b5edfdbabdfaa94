import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
} from 'kysely'
import { ReaderUnavailable } from './errors.ts'
import type { ReadThread } from './read-thread.ts'
import type { ReadRequest, Row } from './read-worker.ts'
import { dialectOver } from './sqlite.ts'
import { withTimeout } from './with-timeout.ts'

/**
 * The Kysely dialect over a thread that reads. Whoever waits longer than the limit for a turn or for a statement gets
 * `ReaderUnavailable`.
 */
export function readDialect(thread: ReadThread, limitMs: number): Dialect {
  return dialectOver(() => new ReadDriver(thread, limitMs), new UnguardedAdapter())
}

/** Kysely's own lock for one connection would wait without a limit. */
class UnguardedAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

class ReadDriver implements Driver {
  readonly #thread: ReadThread
  readonly #limitMs: number
  #free: Promise<void> = Promise.resolve()
  #release: () => void = () => {}

  constructor(thread: ReadThread, limitMs: number) {
    this.#thread = thread
    this.#limitMs = limitMs
  }

  async init(): Promise<void> {}

  /** One caller at a time: a snapshot keeps the thread across its awaits. */
  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#free
    const turn = Promise.withResolvers<void>()
    this.#free = turn.promise
    try {
      await withTimeout(this.#limitMs, 'Waiting for those who read before', before)
    } catch (error) {
      void before.then(turn.resolve)
      throw error
    }
    this.#release = turn.resolve
    return new ReadConnection(this.#thread, this.#limitMs)
  }

  /** The caller need not wait for a statement that they have given up, but the next one does. */
  async releaseConnection(connection: ReadConnection): Promise<void> {
    const release = this.#release
    void connection.end().then(release)
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin'))
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'))
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('rollback'))
  }

  async destroy(): Promise<void> {
    await this.#thread.close()
  }
}

/** What one caller asks, from their turn to its end. */
class ReadConnection implements DatabaseConnection {
  readonly #thread: ReadThread
  readonly #limitMs: number
  #asked: Promise<unknown> = Promise.resolve()
  #streaming = false
  /** Why nothing more can be asked: what was begun is gone, or nobody knows when it ends. */
  #broken: ReaderUnavailable | undefined

  constructor(thread: ReadThread, limitMs: number) {
    this.#thread = thread
    this.#limitMs = limitMs
  }

  async executeQuery<Result>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Result>> {
    return { rows: (await this.#ask({ query: { sql, parameters } })) as Result[] }
  }

  async *streamQuery<Result>(
    { sql, parameters }: CompiledQuery,
    atOnce: number,
  ): AsyncIterableIterator<QueryResult<Result>> {
    this.#streaming = true
    let rows = await this.#ask({ query: { sql, parameters }, atOnce })
    for (; rows.length > 0; rows = await this.#ask('more')) yield { rows: rows as Result[] }
    this.#streaming = false
  }

  /** Ends when the thread is free for the next caller. */
  async end(): Promise<void> {
    await this.#asked.catch(() => undefined)
    if (this.#broken || this.#streaming) await this.#thread.ask('stop').catch(() => undefined)
  }

  async #ask(request: ReadRequest): Promise<readonly Row[]> {
    if (this.#broken) throw this.#broken
    const asked = this.#thread.ask(request)
    this.#asked = asked
    try {
      return await withTimeout(this.#limitMs, 'A statement', asked)
    } catch (error) {
      if (error instanceof ReaderUnavailable) this.#broken = error
      throw error
    }
  }
}
