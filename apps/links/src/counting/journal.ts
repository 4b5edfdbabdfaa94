import { closeSync, existsSync, fdatasync, fdatasyncSync, openSync, statfsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { dirname } from 'node:path'
import { openSqliteFile, syncFolder } from '@latchkey/database/sqlite-file'
import type { ClassifiedClick, JournalledClick } from '../clicks/click.ts'
import { CACHE_KIB, type PackedClick, PROBE, SELECT_ID, packClick, unpackBatch } from './journal-format.ts'

/**
 * A commit waits for clicks that are arriving, as long as two turns of the event loop bring new
 * ones, and up to this many. Twice as many clicks share a commit at 64 connections, and a single
 * click waits a few microseconds.
 */
const MAX_BATCH_CLICKS = 256
/**
 * How long a visitor waits while another program holds the journal's lock. After that the click is
 * lost.
 */
const LOCK_TIMEOUT_MS = 500
const LOCK_RETRY_MS = 5
/**
 * The write-ahead log is checkpointed at 16 MB. Most of it is trimmed by then, so rare checkpoints
 * are cheaper: at SQLite's default of 4 MB a commit of 50 clicks takes 76 µs on average, with this
 * value 64.
 */
const CHECKPOINT_PAGES = 4_000
const PAGE_BYTES = 4_096
/** The part of a small disk that counted clicks may occupy in the log before it is reused. */
const SHARE_OF_FREE_SPACE = 1 / 8
const SELECT_AFTER = 'select clicks from journal where seq > ? order by seq'
const COUNT_AFTER = 'select coalesce(sum(json_array_length(clicks)), 0) as clicks from journal where seq > ?'

const sync = promisify(fdatasync)

/** State of a journal, for readiness and metrics. */
export interface JournalState {
  /** The number of the newest committed batch. */
  lastSeq: number
  committed: number
  /** Clicks that were on disk but not counted at the start. */
  pendingAtStart: number
  lost: number
  /** The last commit failed: visitors are redirected, but their clicks are lost. */
  isFailing: boolean
}

/**
 * Clicks of this node that are on disk but not yet counted. All clicks of one turn of the event
 * loop share one row and one commit, which makes durable clicks cheap. It is a separate SQLite
 * file, on PostgreSQL too: neither a slow transaction nor an outage of the database delays a
 * redirect.
 */
export class Journal {
  /**
   * Identifies this file in the database that counts. A new file starts at 1 again, and its id
   * distinguishes it from the old one.
   */
  readonly id: string
  readonly state: JournalState = { lastSeq: 0, committed: 0, pendingAtStart: 0, lost: 0, isFailing: false }
  readonly #file
  /** The write-ahead log, which must reach the disk. */
  readonly #wal: number
  readonly #insert
  readonly #trim
  readonly #onCommit: (ms: number) => void
  readonly #onLoss: (error: unknown, clicks: number) => void
  #batch: PackedClick[] = []
  /** Clicks being written to disk. */
  #inFlight: PackedClick[] = []
  #nextCommit: PromiseWithResolvers<boolean> | undefined
  #syncing: Promise<void> | undefined
  #trimBefore = 0
  #erasedSeq = 0

  constructor(
    path: string,
    {
      onCommit,
      onLoss,
    }: { onCommit: (ms: number) => void; onLoss: (error: unknown, clicks: number) => void },
  ) {
    this.#file = openSqliteFile(path, {
      cacheKib: CACHE_KIB,
      checkpointPages: checkpointPagesOn(dirname(path)),
    })
    // SQLite would block the event loop while it waits for the disk. `#commit` waits
    // asynchronously.
    this.#file.run('pragma synchronous = normal')
    this.#file.run(
      'create table if not exists journal (seq integer primary key, clicks text not null) strict',
    )
    this.#file.run('create table if not exists journal_id (id text not null primary key) strict')
    this.#file.run(
      `insert into journal_id (id) select ? where not exists (select 1 from journal_id where id != '${PROBE}')`,
      [crypto.randomUUID()],
    )
    // The file of the log exists from the first write on, as long as a connection is open.
    this.#touch()
    this.#wal = openSync(`${path}-wal`, 'r')
    syncFolder(dirname(path))
    this.id = this.#file.query<{ id: string }, []>(SELECT_ID).get()?.id ?? ''
    this.state.lastSeq =
      this.#file.query<{ seq: number | null }, []>('select max(seq) as seq from journal').get()?.seq ?? 0
    this.#file.run('pragma busy_timeout = 0')
    this.#insert = this.#file.prepare<unknown, [string]>('insert into journal (clicks) values (?)')
    this.#trim = this.#file.prepare<unknown, [number]>('delete from journal where seq < ?')
    this.#onCommit = onCommit
    this.#onLoss = onLoss
  }

  /**
   * Continues after this number, up to which everything is counted. A journal restored from an
   * older copy is behind its cursor, and batches numbered up to the cursor would be taken as
   * counted.
   */
  continueAfter(seq: number): void {
    this.state.pendingAtStart =
      this.#file.query<{ clicks: number }, [number]>(COUNT_AFTER).get(seq)?.clicks ?? 0
    if (seq <= this.state.lastSeq) return
    this.#file.run(`insert or ignore into journal (seq, clicks) values (?, '[]')`, [seq])
    this.state.lastSeq = seq
  }

  /**
   * Resolves with true once the click is on disk, or with false if it is lost and reported. Never
   * rejects, because a visitor waits.
   */
  append(click: JournalledClick | ClassifiedClick): Promise<boolean> {
    this.#batch.push(packClick(click))
    if (!this.#nextCommit) {
      this.#nextCommit = Promise.withResolvers<boolean>()
      if (!this.#syncing) this.#scheduleCommit()
    }
    return this.#nextCommit.promise
  }

  /**
   * Marks batches up to this one as counted. Their rows are deleted with the next commit, which
   * saves a separate one. The last row stays, to keep numbers from being reused.
   */
  markDrained(seq: number): void {
    this.#trimBefore = seq
  }

  /**
   * Erases all batches, of which this is the last and all are counted. Otherwise the last clicks
   * would stay until the next one arrives.
   */
  eraseDrained(seq: number): void {
    if (seq === this.#erasedSeq || seq !== this.state.lastSeq || this.#syncing || this.#nextCommit) return
    try {
      this.#file.run(`update journal set clicks = '[]' where seq = ?`, [seq])
      this.#trim.run(seq)
      this.#erasedSeq = seq
    } catch {
      // The file is locked or the disk is full: the next call tries again.
    }
  }

  /** Checks for an appended click of this link or slug after batch `seq`. */
  hasClickAfter(seq: number, query: { linkId: number } | { slug: string }): boolean {
    const isMatch = ([slug, linkId]: PackedClick) =>
      'slug' in query ? slug === query.slug : linkId === query.linkId
    if (this.#batch.some(isMatch) || this.#inFlight.some(isMatch)) return true
    for (const { clicks } of this.#file.query<{ clicks: string }, [number]>(SELECT_AFTER).iterate(seq))
      if ((JSON.parse(clicks) as PackedClick[]).some(isMatch)) return true
    return false
  }

  /** The time of the first click on disk after batch `seq`, in Unix seconds. */
  oldestClickAfter(seq: number): number | undefined {
    for (const { clicks } of this.#file.query<{ clicks: string }, [number]>(SELECT_AFTER).iterate(seq)) {
      const [first] = unpackBatch(clicks)
      if (first) return first.clickedAt
    }
    return undefined
  }

  /** Checks that the journal is writable. Throws the cause if it is not. */
  probe(): void {
    this.#touch()
    fdatasyncSync(this.#wal)
    this.state.isFailing = false
  }

  /** Resolves once everything appended before is on disk. */
  async flush(): Promise<void> {
    while (this.#nextCommit || this.#syncing) {
      this.#commit()
      await this.#syncing
    }
  }

  async close(): Promise<void> {
    await this.flush()
    try {
      if (this.#trimBefore > 0) this.#trim.run(this.#trimBefore)
    } catch {
      // On a full disk, counted batches are skipped at the next start and trimmed then.
    }
    this.#insert.finalize()
    this.#trim.finalize()
    closeSync(this.#wal)
    this.#file.close()
  }

  #scheduleCommit(): void {
    const size = this.#batch.length
    const commitWhenQuiet = () => {
      if (this.#batch.length > size && this.#batch.length < MAX_BATCH_CLICKS) this.#scheduleCommit()
      else this.#commit()
    }
    setImmediate(() => setImmediate(commitWhenQuiet))
  }

  /**
   * Writes the batch, then waits for the disk off the event loop. Clicks that arrive meanwhile form
   * the next batch, so a busier node needs fewer commits per click.
   */
  #commit(): void {
    if (this.#syncing || !this.#nextCommit) return
    const batch = this.#batch
    const commit = this.#nextCommit
    this.#batch = []
    this.#inFlight = batch
    this.#nextCommit = undefined
    this.#syncing = this.#store(batch).then((isStored) => {
      this.#inFlight = []
      commit.resolve(isStored)
      this.#syncing = undefined
      if (this.#nextCommit) this.#scheduleCommit()
    })
  }

  async #store(batch: PackedClick[]): Promise<boolean> {
    const startedMs = performance.now()
    try {
      const seq = await this.#writeWithRetry(batch)
      await sync(this.#wal)
      this.state.lastSeq = seq
      this.state.committed += batch.length
      this.state.isFailing = false
      this.#onCommit(performance.now() - startedMs)
      return true
    } catch (error) {
      this.state.lost += batch.length
      this.state.isFailing = true
      this.#onLoss(error, batch.length)
      return false
    }
  }

  #touch(): void {
    this.#file.transaction(() => {
      this.#file.run('insert or ignore into journal_id (id) values (?)', [PROBE])
      this.#file.run('delete from journal_id where id = ?', [PROBE])
    })()
  }

  /**
   * Another program may hold the lock of the file for a moment. Visitors wait for it; the event
   * loop does not.
   */
  async #writeWithRetry(batch: PackedClick[]): Promise<number> {
    const endMs = performance.now() + LOCK_TIMEOUT_MS
    for (;;)
      try {
        return this.#write(batch)
      } catch (error) {
        if ((error as { code?: unknown }).code !== 'SQLITE_BUSY' || performance.now() > endMs) throw error
        await setTimeout(LOCK_RETRY_MS)
      }
  }

  #write(batch: PackedClick[]): number {
    const clicks = JSON.stringify(batch)
    if (this.#trimBefore === 0) return Number(this.#insert.run(clicks).lastInsertRowid)
    const insertAndTrim = this.#file.transaction(() => {
      const { lastInsertRowid } = this.#insert.run(clicks)
      this.#trim.run(this.#trimBefore)
      return lastInsertRowid
    })
    const seq = insertAndTrim.immediate()
    this.#trimBefore = 0
    return Number(seq)
  }
}

/** The log is never so long that a small disk would be full of clicks which are counted already. */
function checkpointPagesOn(folder: string): number {
  // The journal makes its folder itself.
  const { bavail, bsize } = statfsSync(nearestFolder(folder))
  const share = Math.floor((bavail * bsize * SHARE_OF_FREE_SPACE) / PAGE_BYTES)
  return Math.max(1, Math.min(CHECKPOINT_PAGES, share))
}

function nearestFolder(folder: string): string {
  return existsSync(folder) ? folder : nearestFolder(dirname(folder))
}
