import type { Database } from '@latchkey/database/database'
import { KeyedSemaphore } from '@latchkey/http/keyed-semaphore'
import type { Tables, Tx } from '../db/tables.ts'
import { failure } from './failures.ts'

/** Runs a transaction that locks this room. Throws 503 if its turn does not come in time. */
export type WriteInRoom = <Result>(roomId: string, work: (tx: Tx) => Promise<Result>) => Promise<Result>

/** The holder of the lock of the room, and the next: the lock is never idle. */
const MAX_PER_ROOM = 2
const MAX_WAIT_MS = 30_000

/**
 * Writes in rooms. Those of one room wait in order before they take a database connection: a room in
 * which everyone joins at once leaves connections for all others.
 */
export function createRoomWriter({ write }: Pick<Database<Tables>, 'write'>): WriteInRoom {
  const rooms = new KeyedSemaphore(MAX_PER_ROOM)
  return async (roomId, work) => {
    const tooLate = new AbortController()
    const timer = setTimeout(
      () => tooLate.abort(failure('unavailable', { headers: { 'Retry-After': '5' } })),
      MAX_WAIT_MS,
    )
    try {
      return await rooms.run(
        roomId,
        () => {
          clearTimeout(timer)
          return write(work)
        },
        tooLate.signal,
      )
    } finally {
      clearTimeout(timer)
    }
  }
}
