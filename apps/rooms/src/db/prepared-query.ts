import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** In the place of a value until the statement is run. */
class Placeholder {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

/**
 * A statement that Kysely puts together once for each handle, and that is only filled in from then on: for what is done with
 * every message, putting it together costs several times as much as running it. `build` is given blanks instead of values: it
 * passes them on, and neither looks at them nor reckons with them.
 */
export function prepareQuery<Params extends object, Row>(
  build: (db: Kysely<Tables>, params: Params) => Compilable<Row>,
): (db: Kysely<Tables>, params: Params) => Promise<Row[]> {
  const compiled = new WeakMap<object, CompiledQuery<Row>>()
  const compile = (db: Kysely<Tables>): CompiledQuery<Row> =>
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
