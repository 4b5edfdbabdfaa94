import type { Compilable, CompiledQuery } from 'kysely'
import type { Db } from './tables.ts'

/** Stands for a parameter until the statement runs. */
class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/**
 * A statement that Kysely compiles once per database handle and that runs with new parameters each
 * time. For statements that run with every message: compiling one takes several times as long as
 * running it. `build` receives placeholders instead of values. It may pass them on, but must not
 * read them or compute with them.
 */
export function prepareQuery<Params extends object, Row>(
  build: (db: Db, params: Params) => Compilable<Row>,
): (db: Db, params: Params) => Promise<Row[]> {
  const compiled = new WeakMap<object, CompiledQuery<Row>>()
  const compile = (db: Db): CompiledQuery<Row> =>
    build(db, new Proxy({}, { get: (_, name) => new Placeholder(String(name)) }) as Params).compile()
  return async (db, params) => {
    const { adapter } = db.getExecutor()
    const query = compiled.get(adapter) ?? compile(db)
    compiled.set(adapter, query)
    const parameters = query.parameters.map((value) =>
      value instanceof Placeholder ? params[value.name as keyof Params] : value,
    )
    const { rows } = await db.executeQuery<Row>({ ...query, parameters })
    return rows
  }
}
