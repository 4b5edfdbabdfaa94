import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import { DAY, HOUR } from './time/window.ts'
import type { Privacy } from './clicks/click.ts'
import { eraseDetails, forgetProgress } from './counting/lean-clicks.ts'
import { RETENTION_EVERY_HOURS, deleteClicksBefore } from './counting/old-clicks.ts'
import type { Tables } from './db/tables.ts'
import { deleteOldEvents } from './events/store.ts'
import { deleteChangesBefore } from './changes/store.ts'
import { deleteExpiredAnswers } from './idempotency/store.ts'
import { mergeIndex } from './links/merge-index.ts'
import { refoldTexts } from './links/refold.ts'
import { deleteOldPlans } from './plans/store.ts'

interface RetentionSettings {
  /** Null without an age limit. */
  retentionDays: number | null
  auditDays: number | null
  privacy: Privacy
}

interface Step {
  /** Names the step in the log. */
  readonly name: string
  run(): Promise<unknown>
}

/**
 * Deletes what is not to be kept, now and every hour, also from the index and the log of SQLite, and
 * folds texts of an earlier version for search. A step that fails is logged, and stops no
 * other. Returns a function that stops it, after the step that runs.
 */
export function startRetention(
  database: Database<Tables>,
  settings: RetentionSettings,
  log: Log,
  now: () => number,
): () => Promise<void> {
  let isStopped = false
  const run = async () => {
    for (const step of stepsOf(database, settings, Math.floor(now() / 1000))) {
      if (isStopped) return
      await step
        .run()
        .catch((error: unknown) => log.error('retention: cannot delete old data', { step: step.name, error }))
    }
  }
  let running = run()
  const timer = setInterval(() => void (running = run()), RETENTION_EVERY_HOURS * HOUR * 1000)
  return () => {
    isStopped = true
    clearInterval(timer)
    return running
  }
}

/** The rules: L28.2, L30.1, L29.3, L29.1, L13.6 and L37.6. */
function stepsOf(
  database: Database<Tables>,
  { retentionDays, auditDays, privacy }: RetentionSettings,
  now: number,
): readonly Step[] {
  const historyStart = auditDays === null ? undefined : now - auditDays * DAY
  return [
    { name: 'texts of earlier versions', run: async () => refoldTexts(database) },
    { name: 'repeated requests', run: async () => deleteExpiredAnswers(database, now) },
    { name: 'events', run: async () => deleteOldEvents(database, now) },
    { name: 'plans', run: async () => deleteOldPlans(database, { now, historyStart }) },
    {
      name: 'history',
      run: async () => historyStart !== undefined && deleteChangesBefore(database, historyStart),
    },
    {
      name: 'clicks',
      run: async () => retentionDays !== null && deleteClicksBefore(database, now - retentionDays * DAY),
    },
    {
      name: 'details of clicks',
      run: async () => (privacy === 'lean' ? eraseDetails(database) : forgetProgress(database)),
    },
    { name: 'index', run: async () => mergeIndex(database, now) },
    { name: 'log of SQLite', run: async () => database.emptyLog() },
  ]
}
