import { DAY_MS, HOUR_MS, MINUTE_MS } from '@latchkey/http/duration'
import { sweepErasedIds } from '../account/erased-ids.ts'
import { continueErasure } from '../account/store.ts'
import { purgeGuests } from '../guests/operations.ts'
import { deleteEndedStatuses } from '../people/store.ts'
import { deleteOfEndedSessions } from '../notifications/push/store.ts'
import type { Job } from './job.ts'
import {
  deleteAuditBefore,
  deleteEndedLoginStates,
  deleteEndedLogoutMarkers,
  deleteEndedLogoutTokens,
  deleteSessionsEndedBefore,
  markExpiredSessions,
} from './store.ts'

const SESSION_RETENTION_MS = 30 * DAY_MS
const AUDIT_RETENTION_MS = 365 * DAY_MS

/**
 * Deletes expired data of users and sessions. Expired sessions are marked before the jobs that read
 * how sessions ended.
 */
export const identityJobs: readonly Job[] = [
  { name: 'login-states', everyMs: MINUTE_MS, run: deleteEndedLoginStates },
  { name: 'logout-tokens', everyMs: MINUTE_MS, run: deleteEndedLogoutTokens },
  { name: 'logout-markers', everyMs: MINUTE_MS, run: deleteEndedLogoutMarkers },
  { name: 'expired-sessions', everyMs: HOUR_MS, run: markExpiredSessions },
  {
    name: 'old-sessions',
    everyMs: HOUR_MS,
    run: (tx, nowMs) => deleteSessionsEndedBefore(tx, nowMs - SESSION_RETENTION_MS),
  },
  { name: 'push-subscriptions', everyMs: HOUR_MS, run: deleteOfEndedSessions },
  {
    name: 'statuses',
    everyMs: MINUTE_MS,
    async run(tx, nowMs) {
      const userIds = await deleteEndedStatuses(tx, nowMs)
      return { events: userIds.length === 0 ? [] : [{ kind: 'people', userIds }], isMore: userIds.length > 0 }
    },
  },
  { name: 'guests', everyMs: HOUR_MS, run: purgeGuests },
  { name: 'erased-accounts', everyMs: MINUTE_MS, run: continueErasure },
  { name: 'erased-ids', everyMs: HOUR_MS, run: sweepErasedIds },
  { name: 'audit', everyMs: DAY_MS, run: (tx, nowMs) => deleteAuditBefore(tx, nowMs - AUDIT_RETENTION_MS) },
]
