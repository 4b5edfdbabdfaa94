import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@latchkey/http/duration'
import { deleteAbandonedDirects } from '../directs/deletion.ts'
import { deleteUnattached } from '../files/clean-up.ts'
import { deleteEndedInvitations } from '../invitations/store.ts'
import { addEveryone } from '../members/default-rooms.ts'
import { deleteEndedBans } from '../members/moderation/store.ts'
import { deleteEndedTransfers } from '../members/ownership/transfers.ts'
import { ADDRESS_BAN_MS } from '../rooms/access-store.ts'
import { announceMaxRetention } from '../rooms/retention.ts'
import { deleteOrphanedLog } from '../rooms/store.ts'
import { deletePastRetention, deleteVisitsEndedBefore, endExpiredVisits } from '../rooms/upkeep.ts'
import { NODE_SILENT_MS, deleteSilentNodes } from '../rooms/nodes.ts'
import { deleteEndedTickets } from '../sessions/ticket-store.ts'
import { endUnanswered } from '../voice/alerts/alerts.ts'
import { endEmptyCalls } from '../voice/call.ts'
import type { Job } from './job.ts'

/** Deletes expired data of rooms, and ends the visits of users who vanished. */
export const roomJobs: readonly Job[] = [
  {
    name: 'presence',
    everyMs: 15 * SECOND_MS,
    run: async (tx, nowMs) => {
      await deleteSilentNodes(tx, nowMs - NODE_SILENT_MS)
      return { events: await endExpiredVisits(tx, nowMs) }
    },
  },
  {
    name: 'calls',
    everyMs: 5 * SECOND_MS,
    run: async (tx, nowMs) => ({
      events: [...(await endEmptyCalls(tx, nowMs)), ...(await endUnanswered(tx, nowMs))],
    }),
  },
  { name: 'tickets', everyMs: MINUTE_MS, run: deleteEndedTickets },
  // Reads all direct conversations, for 0.2 s of 100,000.
  { name: 'abandoned-directs', everyMs: HOUR_MS, run: deleteAbandonedDirects },
  { name: 'gone-rooms', everyMs: MINUTE_MS, run: deleteOrphanedLog },
  { name: 'max-retention', everyMs: MINUTE_MS, run: announceMaxRetention },
  { name: 'default-rooms', everyMs: 15 * SECOND_MS, run: addEveryone },
  { name: 'retention', everyMs: 10 * MINUTE_MS, run: deletePastRetention },
  { name: 'unattached-files', everyMs: 10 * MINUTE_MS, run: deleteUnattached },
  {
    name: 'old-visits',
    everyMs: HOUR_MS,
    run: (tx, nowMs) => deleteVisitsEndedBefore(tx, nowMs - ADDRESS_BAN_MS),
  },
  { name: 'invitations', everyMs: HOUR_MS, run: deleteEndedInvitations },
  { name: 'transfers', everyMs: HOUR_MS, run: deleteEndedTransfers },
  { name: 'bans', everyMs: HOUR_MS, run: deleteEndedBans },
]
