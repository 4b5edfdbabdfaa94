import type { ClassifiedClick } from '../clicks/click.ts'

/** The position of a journal in the database that counts. */
export interface Cursor {
  journalId: string
  seq: number
}

/**
 * Stores classified clicks with their counts, in one transaction. It bypasses Kysely, because it
 * runs for every click; `bench/redirect` measures its cost.
 */
export interface Recorder {
  /** The last counted batch of this journal; 0 for an unknown journal. */
  position(journalId: string): Promise<number>
  /**
   * Stores the clicks and moves the journal's cursor from `from` to `to`. Returns false, without
   * changes, if the cursor is at another position: another process has then counted them. Clicks of
   * removed slugs are dropped.
   */
  record(clicks: readonly ClassifiedClick[], move?: { from: Cursor; to: number }): Promise<boolean>
  /** Closes some of the hours before this one (Unix seconds). True if more may remain. */
  closeHours(before: number): Promise<boolean>
  /**
   * Deletes the visitor salts of days that began before this moment (Unix seconds), also from the
   * files, where deleted rows would stay. Anything blocked at the moment is left to the next call.
   */
  deleteSalts(before: number): Promise<void>
  close(): Promise<void>
}
