import type { Transaction } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { ClusterEvent } from '../cluster-events.ts'

/** What a job may return for others to hear, once its transaction is committed; and that it has more to do, in another. */
export type JobResult =
  | { readonly events: readonly ClusterEvent[]; readonly isMore?: boolean }
  | 'more'
  | void

/** Something that has to be done now and then, once in the whole cluster, in a transaction of its own or in several (R21.1). */
export interface Job {
  /** Also the label in the metrics. */
  readonly name: string
  readonly everyMs: number
  /** Must be safe to run again, and await nothing but the database. */
  run(tx: Transaction<Tables>, nowMs: number): Promise<JobResult>
}
