import { closeSync, existsSync, fdatasyncSync, openSync } from 'node:fs'
import { openSqliteFile } from '@latchkey/database/sqlite-file'
import { CACHE_KIB, SELECT_ID } from './journal-format.ts'

/** Reads a journal from another thread or process. */
export class JournalReader {
  readonly id: string
  readonly #path
  readonly #file
  readonly #next

  constructor(path: string) {
    this.#path = path
    this.#file = openSqliteFile(path, { readonly: true, cacheKib: CACHE_KIB })
    this.id = this.#file.query<{ id: string }, []>(SELECT_ID).get()?.id ?? ''
    this.#next = this.#file.prepare<{ seq: number; clicks: string }, [number, number, number]>(
      'select seq, clicks from journal where seq > ? and seq <= ? order by seq limit ?',
    )
  }

  /** Batches after `seq` up to and including `upTo`, oldest first, at most `limit`. */
  readBatches(seq: number, upTo: number, limit: number): { seq: number; clicks: string }[] {
    return this.#next.all(seq, upTo, limit)
  }

  /**
   * Flushes everything written so far to disk and returns its last batch. Later batches may still
   * be lost in a power failure.
   */
  sync(): number {
    const last = this.#file.query<{ seq: number | null }, []>('select max(seq) as seq from journal').get()
    // Without a log, everything is in the file itself, which receives only data that is on disk.
    if (existsSync(`${this.#path}-wal`)) {
      const wal = openSync(`${this.#path}-wal`, 'r')
      try {
        fdatasyncSync(wal)
      } finally {
        closeSync(wal)
      }
    }
    return last?.seq ?? 0
  }

  close(): void {
    this.#next.finalize()
    this.#file.close()
  }
}
