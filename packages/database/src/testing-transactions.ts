import { type Query, SqliteConnection } from './sqlite-connection.ts'

/**
 * Turns of the event loop between two statements. Statements on a file take none. A long transaction
 * takes one now and then to let redirects run, but a wait for the network, a thread or a timer takes
 * many.
 */
const MAX_TURNS = 8

export interface TransactionWatch {
  /** The statements after which a transaction waited for something else. */
  readonly waits: string[]
  stop(): void
}

/**
 * Finds transactions of this thread, on SQLite, that wait for anything but the database. Each such wait
 * would hold up all other writers.
 */
export function watchTransactions(): TransactionWatch {
  const waits: string[] = []
  const open = new Map<SqliteConnection, { last: string; turns: number }>()
  let isCounting = false
  const count = () => {
    for (const transaction of open.values())
      if (++transaction.turns === MAX_TURNS) waits.push(transaction.last)
    isCounting = open.size > 0
    if (isCounting) setImmediate(count)
  }
  const { prototype } = SqliteConnection
  // oxlint-disable-next-line typescript/unbound-method -- called with its own `this`
  const { executeQuery } = prototype
  async function execute(this: SqliteConnection, query: Query) {
    const result = await executeQuery.call(this, query)
    if (query.sql === 'commit' || query.sql === 'rollback') open.delete(this)
    else if (query.sql === 'begin immediate' || open.has(this)) {
      open.set(this, { last: query.sql, turns: 0 })
      if (!isCounting) setImmediate(count)
      isCounting = true
    }
    return result
  }
  prototype.executeQuery = execute as typeof executeQuery
  return {
    waits,
    stop() {
      open.clear()
      prototype.executeQuery = executeQuery
    },
  }
}
