import type { Database as SqliteFile } from 'bun:sqlite'
import {
  type Kysely as KyselyType,
  Kysely,
  PostgresDialect,
  type RawBuilder,
  type SqlBool,
  type Transaction,
  sql,
} from 'kysely'
import { OutcomeUnknown, isStorageUnavailable, isTransactionConflict } from './errors.ts'
import {
  type ConnectionCounts,
  type CountedPool,
  openPoolWithTimeout,
  openPoolWithoutTimeout,
} from './pool.ts'
import { readDialect } from './read-driver.ts'
import { ReadThread } from './read-thread.ts'
import { sqliteDialect } from './sqlite.ts'
import { openSqliteFile } from './sqlite-file.ts'
import { inTransaction, requireNoTransaction } from './transaction-scope.ts'
import { type DialectName, dialectOf, sqlitePath } from './url.ts'

/**
 * One application database on either engine.
 *
 * `read` sees everything committed. `write` runs one transaction: immediate and one at a time on
 * SQLite, retried after a deadlock on PostgreSQL, and after the last retry an error for which
 * `isStorageUnavailable` is true. `work` must be safe to run again and must await
 * nothing but the database. Throws `OutcomeUnknown` when the connection to PostgreSQL is lost
 * during the commit. After any other failure nothing has changed.
 */
export interface Database<Tables> {
  readonly dialect: DialectName
  readonly read: KyselyType<Tables>
  write<Result>(work: (tx: Transaction<Tables>) => Promise<Result>): Promise<Result>
  /**
   * Pauses the writers of this process while another thread writes to the same SQLite file. On
   * PostgreSQL, only calls `work`.
   */
  pauseWriters<Result>(work: () => Promise<Result>): Promise<Result>
  /**
   * Copies the write-ahead log of SQLite to the database and empties it: it holds rows that were
   * deleted since. Does nothing while a reader needs the log, and on PostgreSQL.
   */
  emptyLog(): Promise<void>
  /**
   * Adds a listener that is called after every committed `write` and awaited before `write`
   * returns.
   */
  afterWrite(listener: () => void | Promise<void>): void
  /** The Kysely instance that migrations run on. */
  readonly writer: KyselyType<Tables>
  /**
   * This database for callers that prefer an error to a long wait. On PostgreSQL each statement
   * ends within `statementMs` milliseconds, or fails with an error for which `isStorageUnavailable`
   * is true. Closed together with this database.
   */
  withStatementTimeout(statementMs: number): Database<Tables>
  /**
   * This database for reads that may take long. With a statement timeout on SQLite, they run on
   * a separate thread, one caller at a time, and do not block the event loop. The timeout applies
   * to each wait for the thread.
   */
  readonly offThread: Database<Tables>
  /** This database without a statement timeout, for long work. */
  readonly withoutTimeout: Database<Tables>
  /** Counts of the connections that this database opened. Undefined on SQLite, which has none. */
  connections(): ConnectionCounts | undefined
  close(): Promise<void>
}

/** Read-only access to a database. */
export interface Reader<Tables> extends Pick<Database<Tables>, 'dialect' | 'read'> {
  close(): Promise<void>
}

/**
 * Opens the database at `url` for reading only. On SQLite, throws when the file does not exist and
 * never creates it.
 */
export function openReader<Tables>(url: string): Reader<Tables> {
  if (dialectOf(url) === 'postgres') return openPostgres(url)
  const file = openSqliteFile(sqlitePath(url), { readonly: true })
  const read = new Kysely<Tables>({ dialect: sqliteDialect(file) })
  return {
    dialect: 'sqlite',
    read,
    async close() {
      await read.destroy()
      file.close()
    },
  }
}

/**
 * Opens the database at `url`. SQLite: creates the file and its folder. PostgreSQL: connects on
 * first use.
 */
export function openDatabase<Tables>(url: string): Database<Tables> {
  return dialectOf(url) === 'sqlite' ? openSqlite(sqlitePath(url)) : openPostgres(url)
}

/**
 * Size of the write-ahead log, in pages, at which a write copies it to the database. The copy takes
 * noticeable time and blocks the event loop here. A background writer thread does it much earlier;
 * this value is for instances without one.
 */
const CHECKPOINT_PAGES = 16_000

/**
 * How long a transaction waits for another process to release the write lock. It retries between
 * turns of the event loop: SQLite's own busy handler would block the whole process, redirects
 * included.
 */
const LOCK_TIMEOUT_MS = 5_000
const LOCK_RETRY_MS = 5

function openSqlite<Tables>(path: string): Database<Tables> {
  const writerFile: SqliteFile = openSqliteFile(path, {
    checkpointPages: CHECKPOINT_PAGES,
    secureDelete: true,
  })
  writerFile.run('pragma busy_timeout = 0')
  const writer = new Kysely<Tables>({ dialect: sqliteDialect(writerFile) })
  const readerFile = openSqliteFile(path, { readonly: true })
  const read = new Kysely<Tables>({ dialect: sqliteDialect(readerFile) })
  const listeners: (() => void | Promise<void>)[] = []
  const threads: ReadThread[] = []
  const database: Database<Tables> = {
    dialect: 'sqlite',
    read,
    writer,
    async write(work) {
      // It would wait for the one that it is in.
      requireNoTransaction('another transaction')
      const deadlineMs = performance.now() + LOCK_TIMEOUT_MS
      const result = await writer.connection().execute((connection) => transact(connection, work, deadlineMs))
      for (const listener of listeners) await listener()
      return result
    },
    pauseWriters: (work) => writer.connection().execute(work),
    emptyLog: () => database.pauseWriters(async () => void writerFile.run('pragma wal_checkpoint(truncate)')),
    afterWrite: (listener) => void listeners.push(listener),
    async close() {
      for (const thread of threads) await thread.close()
      await read.destroy()
      await writer.destroy()
      // Closed here because Kysely does not close a handle that it never used. The writer closes
      // last: only it can remove the write-ahead log.
      readerFile.close()
      writerFile.close()
    },
    // Short reads need no timeout, and writers already have one for the lock.
    withStatementTimeout(statementMs) {
      const thread = new ReadThread(path)
      threads.push(thread)
      const offThread: Database<Tables> = {
        ...database,
        read: new Kysely<Tables>({ dialect: readDialect(thread, statementMs) }),
        get offThread() {
          return offThread
        },
      }
      return { ...database, offThread }
    },
    connections: () => undefined,
    get offThread() {
      return database
    },
    get withoutTimeout() {
      return database
    },
  }
  return database
}

/** Only `begin` can find the file locked, so `work` has not run yet when it is retried. */
async function transact<Tables, Result>(
  connection: Kysely<Tables>,
  work: (tx: Transaction<Tables>) => Promise<Result>,
  deadlineMs: number,
): Promise<Result> {
  for (;;)
    try {
      return await connection.transaction().execute((tx) => inTransaction(() => work(tx)))
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'SQLITE_BUSY' || performance.now() > deadlineMs) throw error
      await Bun.sleep(LOCK_RETRY_MS)
    }
}

const CONFLICT_RETRIES = 5
/** Longest pause before the first retry of a transaction. It doubles with each. */
const CONFLICT_PAUSE_MS = 10

function openPostgres<Tables>(url: string): Database<Tables> {
  const listeners: (() => void | Promise<void>)[] = []
  const unlimited = overPool<Tables>(openPoolWithoutTimeout(url), listeners)
  const withTimeout: OverPool<Tables>[] = []
  const database: Database<Tables> = {
    ...unlimited,
    withStatementTimeout(statementMs) {
      const timed = overPool<Tables>(openPoolWithTimeout(url, statementMs), listeners)
      withTimeout.push(timed)
      const other: Database<Tables> = {
        ...timed,
        withStatementTimeout: (ms) => database.withStatementTimeout(ms),
        get offThread() {
          return other
        },
        withoutTimeout: database,
      }
      return other
    },
    get offThread() {
      return database
    },
    get withoutTimeout() {
      return database
    },
    async close() {
      for (const limited of withTimeout) await limited.close()
      await unlimited.close()
    },
  }
  return database
}

type OverPool<Tables> = Omit<Database<Tables>, 'withStatementTimeout' | 'offThread' | 'withoutTimeout'>

function overPool<Tables>(pool: CountedPool, listeners: (() => void | Promise<void>)[]): OverPool<Tables> {
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return {
    dialect: 'postgres',
    read: kysely,
    writer: kysely,
    async write(work) {
      let isCommitting = false
      const transaction = async () => {
        isCommitting = false
        return kysely.transaction().execute(async (tx) => {
          const result = await inTransaction(() => work(tx))
          isCommitting = true
          return result
        })
      }
      const result = await retryConflicts(transaction).catch((error: unknown) => {
        const isUnknown = isCommitting && isStorageUnavailable(error) && !isTransactionConflict(error)
        throw isUnknown ? new OutcomeUnknown(error) : error
      })
      for (const listener of listeners) await listener()
      return result
    },
    pauseWriters: (work) => work(),
    emptyLog: async () => {},
    afterWrite: (listener) => void listeners.push(listener),
    connections: () => pool.connections,
    close: () => kysely.destroy(),
  }
}

/**
 * Retries a transaction that PostgreSQL aborted in favour of another, after a random pause: two that
 * stop each other do not meet again. It must be safe to run again.
 */
export async function retryConflicts<Result>(transaction: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction()
    } catch (error) {
      if (attempt > CONFLICT_RETRIES || !isTransactionConflict(error)) throw error
      await Bun.sleep(Math.random() * CONFLICT_PAUSE_MS * 2 ** (attempt - 1))
    }
  }
}

/**
 * Makes writers with the same `key` wait for each other until their transactions end. SQLite
 * writers are serial already. PostgreSQL takes an advisory lock on the number.
 */
export async function lockKey<Tables>(
  dialect: DialectName,
  tx: Transaction<Tables>,
  key: number,
): Promise<void> {
  await lockKeys(dialect, tx, [key])
}

/** `lockKey` for several numbers, in ascending order. */
export async function lockKeys<Tables>(
  dialect: DialectName,
  tx: Transaction<Tables>,
  keys: readonly number[],
): Promise<void> {
  if (dialect === 'sqlite' || keys.length === 0) return
  const ascending = [...new Set(keys)].toSorted((a, b) => a - b)
  await sql`select pg_advisory_xact_lock(key) from unnest(${ascending}::bigint[]) as key`.execute(tx)
}

/**
 * Takes the lock of `lockKey` unless another transaction holds it, and returns whether it did. On
 * SQLite nothing else can hold it.
 */
export async function tryLockKey<Tables>(
  dialect: DialectName,
  tx: Transaction<Tables>,
  key: number,
): Promise<boolean> {
  if (dialect === 'sqlite') return true
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${key}::bigint) as locked`.execute(tx)
  return rows[0]?.locked === true
}

/**
 * Runs `work` as a part of the transaction. What the part has written is undone if it throws, and the
 * transaction goes on.
 *
 * @example await withSavepoint(tx, () => insertRow(tx)).catch(report)
 */
export async function withSavepoint<Tables, Result>(
  tx: Transaction<Tables>,
  work: () => Promise<Result>,
): Promise<Result> {
  await sql`savepoint part`.execute(tx)
  try {
    const result = await work()
    await sql`release savepoint part`.execute(tx)
    return result
  } catch (error) {
    // After a failure of the storage, neither the transaction nor the savepoint exists.
    await sql`rollback to savepoint part`.execute(tx).catch(() => {})
    await sql`release savepoint part`.execute(tx).catch(() => {})
    throw error
  }
}

/**
 * `column in (values)` as one parameter. Neither the number of values nor the statement cache sets
 * a limit.
 */
export function inList(
  dialect: DialectName,
  column: string,
  values: readonly (number | string)[],
): RawBuilder<SqlBool> {
  if (dialect === 'sqlite')
    return sql`${sql.ref(column)} in (select value from json_each(${JSON.stringify(values)}))`
  if (values.length === 0) return sql`1 = 0`
  const type = typeof values[0] === 'string' ? sql`text[]` : sql`bigint[]`
  return sql`${sql.ref(column)} = any(${values}::${type})`
}

/** True when the column contains `part` literally: no character in it is a wildcard. */
export function containsText(dialect: DialectName, column: string, part: string): RawBuilder<SqlBool> {
  const position = sql.raw(dialect === 'sqlite' ? 'instr' : 'strpos')
  return sql<SqlBool>`${position}(${sql.ref(column)}, ${part}) > 0`
}
