import type { Compilable, CompiledQuery, Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** In the place of a value until the statement is run. */
class Blank {
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
export function prepared<Given extends object, Row>(
  build: (db: Kysely<Tables>, given: Given) => Compilable<Row>,
): (db: Kysely<Tables>, given: Given) => Promise<Row[]> {
  const known = new WeakMap<object, CompiledQuery<Row>>()
  const compile = (db: Kysely<Tables>): CompiledQuery<Row> =>
    build(db, new Proxy({}, { get: (_, name) => new Blank(String(name)) }) as Given).compile()
  return async (db, given) => {
    const { adapter } = db.getExecutor()
    const query = known.get(adapter) ?? compile(db)
    known.set(adapter, query)
    const parameters = query.parameters.map((value) =>
      value instanceof Blank ? given[value.name as keyof Given] : value,
    )
    const { rows } = await db.executeQuery<Row>({ ...query, parameters })
    return rows
  }
}
