import { type Database, openDatabase } from '@latchkey/database/database'
import { RollupJob } from '../rollups/index.ts'
import { hourOf } from '../time/window.ts'
import type { Tables } from '../db/tables.ts'
import {
  type ClassifiedClick,
  type Privacy,
  classifyClick,
  isClassified,
  leanClick,
} from '../clicks/click.ts'
import { unpackBatch } from './journal-format.ts'
import { JournalReader } from './journal-reader.ts'
import { type Recorder } from './recorder.ts'
import { openRecorder } from './open-recorder.ts'
import { oldestSaltedDay } from './visitor-salts.ts'

/**
 * Batches per transaction. At full load these are a few thousand clicks, which share pages. More
 * would be cheaper, but are held in memory.
 */
const BATCHES_PER_STEP = 48
/**
 * Timeout of a statement on PostgreSQL, in milliseconds, after which the step fails and is retried.
 * Without it a connection to a server that crashed would hang for a quarter of an hour, and all readers
 * of statistics with it.
 */
const STATEMENT_LIMIT_MS = 30_000
/** The longest time that a slice of rollups may delay clicks, in milliseconds. */
const ROLL_UP_MS = 20

/** Progress of a drain: the last counted batch, and the number of clicks that the step counted. */
export interface Progress {
  seq: number
  clicks: number
}

export interface DrainOptions {
  journalPath: string
  databaseUrl: string
  privacy: Privacy
}

/**
 * Moves clicks from a journal into the database, classified, each exactly once even with concurrent
 * drains.
 */
export class Drain {
  readonly #journal: JournalReader
  readonly #recorder: Recorder
  readonly #databaseUrl: string
  readonly #classify: typeof leanClick = (click) => (isClassified(click) ? click : classifyClick(click))
  #position: number | undefined
  #closedBefore = 0
  #rollups: { database: Database<Tables>; summing: RollupJob } | undefined

  constructor({ journalPath, databaseUrl, privacy }: DrainOptions) {
    // The journal may hold clicks from before the setting.
    if (privacy === 'lean') this.#classify = leanClick
    this.#journal = new JournalReader(journalPath)
    this.#recorder = openRecorder(databaseUrl, STATEMENT_LIMIT_MS)
    this.#databaseUrl = databaseUrl
  }

  /**
   * For a drain outside the node that writes the journal: flushes all batches written so far and
   * returns the last, up to which counting is safe.
   */
  syncJournal(): number {
    return this.#journal.sync()
  }

  /** Counts the next batches up to `upTo`. `clicks` is 0 if there are none. */
  async step(upTo = Number.MAX_SAFE_INTEGER): Promise<Progress> {
    this.#position ??= await this.#recorder.position(this.#journal.id)
    const from = this.#position
    const batches = this.#journal.readBatches(from, upTo, BATCHES_PER_STEP)
    const to = batches.at(-1)?.seq
    if (to === undefined) return { seq: from, clicks: 0 }
    const clicks = batches.flatMap((batch) => unpackBatch(batch.clicks).map(this.#classify))
    // Unknown until the commit is confirmed: after an error it may or may not have happened.
    this.#position = undefined
    const isRecorded = await this.#recorder.record(clicks, {
      from: { journalId: this.#journal.id, seq: from },
      to,
    })
    if (!isRecorded) return this.step(upTo)
    this.#position = to
    await this.#closeHours(clicks)
    return { seq: to, clicks: clicks.length }
  }

  /**
   * Closes hours when the first click of a later hour is counted, some with each step. A late click
   * reopens its hour.
   */
  async #closeHours(clicks: readonly ClassifiedClick[]): Promise<void> {
    const newest = hourOf(clicks.reduce((latest, click) => Math.max(latest, click.clickedAt), 0))
    if (newest > this.#closedBefore && !(await this.#recorder.closeHours(newest))) this.#closedBefore = newest
  }

  /**
   * Closes hours that were over at this moment (Unix seconds), deletes salts of earlier days, and
   * rolls up due periods for a limited time. True if work remains.
   */
  async rollUp(now: number): Promise<boolean> {
    await this.#recorder.deleteSalts(oldestSaltedDay(now))
    this.#rollups ??= this.#openRollups()
    const endMs = performance.now() + ROLL_UP_MS
    while (performance.now() < endMs) {
      const hasMore =
        (await this.#recorder.closeHours(hourOf(now))) || (await this.#rollups.summing.step(now))
      if (!hasMore) return false
    }
    return true
  }

  #openRollups() {
    const database = openDatabase<Tables>(this.#databaseUrl)
    const withTimeout =
      database.dialect === 'postgres' ? database.withStatementTimeout(STATEMENT_LIMIT_MS) : database
    return { database, summing: new RollupJob(withTimeout) }
  }

  async close(): Promise<void> {
    await this.#rollups?.database.close()
    this.#journal.close()
    await this.#recorder.close()
  }
}
