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
 * The Kysely dialect over a read thread. A wait of more than `limitMs` milliseconds for the thread
 * or for a statement fails with `ReaderUnavailable`.
 */
export function readDialect(thread: ReadThread, limitMs: number): Dialect {
  return dialectOver(() => new ReadDriver(thread, limitMs), new UnguardedAdapter())
}

/** Avoids Kysely's own lock for a single connection, which would wait without a limit. */
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

  /** One caller at a time: a snapshot holds the thread across its awaits. */
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

  /** The caller does not wait for a statement that timed out, but the next caller does. */
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

/** The statements of one caller, while it holds the thread. */
class ReadConnection implements DatabaseConnection {
  readonly #thread: ReadThread
  readonly #limitMs: number
  #pending: Promise<unknown> = Promise.resolve()
  #streaming = false
  /**
   * Set when no more statements are possible: the transaction is lost, or a statement may never
   * end.
   */
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

  /** Resolves when the thread is free for the next caller. */
  async end(): Promise<void> {
    await this.#pending.catch(() => undefined)
    if (this.#broken || this.#streaming) await this.#thread.ask('stop').catch(() => undefined)
  }

  async #ask(request: ReadRequest): Promise<readonly Row[]> {
    if (this.#broken) throw this.#broken
    const pending = this.#thread.ask(request)
    this.#pending = pending
    try {
      return await withTimeout(this.#limitMs, 'A statement', pending)
    } catch (error) {
      if (error instanceof ReaderUnavailable) this.#broken = error
      throw error
    }
  }
}
