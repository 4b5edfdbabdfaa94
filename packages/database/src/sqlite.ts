import type { Database as SqliteFile } from 'bun:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'
import { SqliteConnection } from './sqlite-connection.ts'

/**
 * The Kysely dialect over one `bun:sqlite` handle. Transactions are immediate, so a write never has
 * to upgrade a read lock.
 */
export function sqliteDialect(file: SqliteFile): Dialect {
  return dialectOver(() => new BunSqliteDriver(file))
}

/** Kysely's SQLite dialect over any driver. */
export function dialectOver(createDriver: () => Driver, adapter = new SqliteAdapter()): Dialect {
  return {
    createAdapter: () => adapter,
    createDriver,
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new PlannedOnce(),
  }
}

/**
 * Writes `+?` for `?`: the same value, but hidden from SQLite's planner. For a join, an `exists` or
 * a `limit`, the planner would look at the value and then plan the statement again for each new
 * value: six of seven microseconds for a join of two tables, seventy of eighty for the access of a
 * person to a room.
 */
class PlannedOnce extends SqliteQueryCompiler {
  protected override getCurrentParameterPlaceholder(): string {
    return '+?'
  }
}

class BunSqliteDriver implements Driver {
  readonly #file: SqliteFile
  readonly #connection: SqliteConnection
  #free: Promise<void> = Promise.resolve()
  #release: () => void = () => {}

  constructor(file: SqliteFile) {
    this.#file = file
    this.#connection = new SqliteConnection(file)
  }

  async init(): Promise<void> {}

  /** One caller at a time: a transaction holds the only handle across its awaits. */
  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#free
    const turn = Promise.withResolvers<void>()
    this.#free = turn.promise
    await before
    this.#release = turn.resolve
    return this.#connection
  }

  async releaseConnection(): Promise<void> {
    this.#release()
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'))
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('commit'))
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // On a full disk SQLite rolls back itself. The error of a second rollback would hide the first
    // one.
    if (this.#file.inTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'))
  }

  async destroy(): Promise<void> {
    this.#connection.forget()
  }
}
