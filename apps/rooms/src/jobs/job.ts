import type { Tx } from '../db/tables.ts'
import type { ClusterEvent } from '../api/cluster-events.ts'

/**
 * Result of a job: events to publish after the commit, and whether more work remains for another
 * transaction.
 */
export type JobResult =
  | {
      readonly events: readonly ClusterEvent[]
      readonly isMore?: boolean
      /** Runs after the commit, before the next transaction of the job. Ends soon once stopped. */
      readonly afterCommit?: (isStopped: () => boolean) => Promise<void>
    }
  | 'more'
  | void

/**
 * Background work that runs periodically, once in the whole cluster, in one transaction or several
 * (R21.1).
 */
export interface Job {
  /** Name of the job in the log and in the metrics. */
  readonly name: string
  readonly everyMs: number
  /** Must be repeatable and await nothing but the database. */
  run(tx: Tx, nowMs: number): Promise<JobResult>
}
