import { type Database, withSavepoint } from '@latchkey/database/database'
import type { Context } from './context.ts'
import type { Tables, Tx } from '../db/tables.ts'

interface JoinedContext {
  context: Context
  /** Starts the fetches that wait for the commit, without which their links do not exist. */
  startFetches: () => void
}

/**
 * The context for operations that are parts of this transaction. `isFlushed` is the result of
 * `flushClicks` before it: the counting of clicks could not write beside the transaction.
 */
export function joinTransaction(context: Context, tx: Tx, isFlushed: boolean): JoinedContext {
  const { enqueueTitleFetch } = context
  const fetches: (() => void)[] = []
  return {
    context: {
      ...context,
      database: joinDatabase(context.database, tx),
      flushClicks: () => Promise.resolve(isFlushed),
      costs: context.costs.ofAttempt(),
      enqueueTitleFetch:
        enqueueTitleFetch && ((...args) => void fetches.push(() => enqueueTitleFetch(...args))),
    },
    startFetches() {
      for (const fetch of fetches) fetch()
    },
  }
}

/** The database as the transaction sees it. All writes are part of the transaction. */
function joinDatabase(database: Database<Tables>, tx: Tx): Database<Tables> {
  const joined: Database<Tables> = {
    ...database,
    read: tx,
    write: (work) => withSavepoint(tx, () => work(tx)),
    get offThread() {
      return joined
    },
    get withoutTimeout() {
      return joined
    },
  }
  return joined
}
