import type { Database as SqliteFile, SQLQueryBindings, Statement } from 'bun:sqlite'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely'

/** Kysely builds a new text for every length of an IN list; past this many prepared statements the cache starts over. */
const STATEMENT_CACHE = 256

/** The Kysely dialect over one `bun:sqlite` handle. Transactions are immediate, so that a write never meets a lock upgrade. */
export function sqliteDialect(file: SqliteFile): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new BunSqliteDriver(file),
    createIntrospector: (database) => new SqliteIntrospector(database),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

class BunSqliteDriver implements Driver {
  readonly #file: SqliteFile
  readonly #connection: BunSqliteConnection
  #free: Promise<void> = Promise.resolve()
  #release: () => void = () => {}

  constructor(file: SqliteFile) {
    this.#file = file
    this.#connection = new BunSqliteConnection(file)
  }

  async init(): Promise<void> {}

  /** One caller at a time: a transaction keeps the only handle across its awaits. */
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
    // A full disk makes SQLite roll back by itself; a second rollback would then hide the first error.
    if (this.#file.inTransaction) await connection.executeQuery(CompiledQuery.raw('rollback'))
  }

  async destroy(): Promise<void> {
    this.#connection.forget()
  }
}

class BunSqliteConnection implements DatabaseConnection {
  readonly #file: SqliteFile
  readonly #statements = new Map<string, Statement<unknown, SQLQueryBindings[]>>()

  constructor(file: SqliteFile) {
    this.#file = file
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const statement = this.#prepare(query.sql)
    const parameters = query.parameters as SQLQueryBindings[]
    if (statement.columnNames.length > 0) return { rows: statement.all(...parameters) as Row[] }
    const { changes, lastInsertRowid } = statement.run(...parameters)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  async *streamQuery<Row>(query: CompiledQuery, atOnce: number): AsyncIterableIterator<QueryResult<Row>> {
    let rows: Row[] = []
    for (const row of this.#prepare(query.sql).iterate(...(query.parameters as SQLQueryBindings[]))) {
      rows.push(row as Row)
      if (rows.length < atOnce) continue
      yield { rows }
      rows = []
    }
    if (rows.length > 0) yield { rows }
  }

  forget(): void {
    for (const statement of this.#statements.values()) statement.finalize()
    this.#statements.clear()
  }

  #prepare(sql: string): Statement<unknown, SQLQueryBindings[]> {
    const known = this.#statements.get(sql)
    if (known) return known
    if (this.#statements.size >= STATEMENT_CACHE) this.forget()
    const statement = this.#file.prepare<unknown, SQLQueryBindings[]>(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}
