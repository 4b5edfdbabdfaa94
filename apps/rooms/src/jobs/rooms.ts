import { ADDRESS_BARRED_MS } from '../rooms/standing.ts'
import { deletePastRetention, deleteVisitsEndedBefore, endExpiredVisits } from '../rooms/upkeep.ts'
import type { Job } from './job.ts'

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS

/** What rooms forget, and who has left them without a word. */
export const roomJobs: readonly Job[] = [
  {
    name: 'presence',
    everyMs: 15 * SECOND_MS,
    run: async (tx, nowMs) => ({ news: await endExpiredVisits(tx, nowMs) }),
  },
  { name: 'retention', everyMs: 10 * MINUTE_MS, run: deletePastRetention },
  {
    name: 'old-visits',
    everyMs: 60 * MINUTE_MS,
    run: (tx, nowMs) => deleteVisitsEndedBefore(tx, nowMs - ADDRESS_BARRED_MS),
  },
]
