import { AsyncLocalStorage } from 'node:async_hooks'

const scope = new AsyncLocalStorage<{ isOpen: boolean }>()

/** Runs `work`, which waits for nothing but the database, as the transaction of the current code. */
export async function inTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
  const transaction = { isOpen: true }
  try {
    return await scope.run(transaction, work)
  } finally {
    // What the work has left behind in the background is no part of the transaction.
    transaction.isOpen = false
  }
}

/**
 * Throws inside a transaction of `Database.write`. Every wait for the network, a thread or a timer
 * begins with it: a transaction that waits for another server keeps its locks and its connection for
 * as long as that server likes, and on SQLite all other writers wait as well.
 *
 * @example requireNoTransaction('a request to another server')
 */
export function requireNoTransaction(wait: string): void {
  if (scope.getStore()?.isOpen) throw new Error(`A transaction must not wait for ${wait}`)
}
