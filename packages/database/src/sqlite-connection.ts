import type { Database as SqliteFile, SQLQueryBindings, Statement } from 'bun:sqlite'
import type { CompiledQuery, DatabaseConnection, QueryResult } from 'kysely'

/**
 * Kysely builds a new text for every length of an IN list. At this many prepared statements the
 * cache is cleared.
 */
const STATEMENT_CACHE = 256

/** The parts of Kysely's compiled query that a statement needs. */
export type Query = Pick<CompiledQuery, 'sql' | 'parameters'>

/**
 * Runs statements on one handle, each prepared once. Imports only types, because threads without
 * Kysely use it too.
 */
export class SqliteConnection implements DatabaseConnection {
  readonly #file: SqliteFile
  readonly #statements = new Map<string, Statement<unknown, SQLQueryBindings[]>>()

  constructor(file: SqliteFile) {
    this.#file = file
  }

  async executeQuery<Row>(query: Query): Promise<QueryResult<Row>> {
    const statement = this.#prepare(query.sql)
    const parameters = query.parameters as SQLQueryBindings[]
    if (statement.columnNames.length > 0) return { rows: statement.all(...parameters) as Row[] }
    const { changes, lastInsertRowid } = statement.run(...parameters)
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
  }

  async *streamQuery<Row>(query: Query, atOnce: number): AsyncIterableIterator<QueryResult<Row>> {
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
    const cached = this.#statements.get(sql)
    if (cached) return cached
    if (this.#statements.size >= STATEMENT_CACHE) this.forget()
    const statement = this.#file.prepare<unknown, SQLQueryBindings[]>(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}
