import { z } from 'zod'
import { findDraft } from '../drafts/store.ts'
import type { Db, ReadDatabase } from '../db/tables.ts'
import { toPending } from '../invitations/schema.ts'
import { findInvitation, findRoomOf } from '../invitations/store.ts'
import type { ClusterEvent, Notice } from '../api/cluster-events.ts'
import { toPendingTransfer } from '../members/ownership/schema.ts'
import { listTransfers } from '../members/ownership/store.ts'
import { findRoomAccess } from '../rooms/access-store.ts'
import { decideEntry } from '../rooms/permissions.ts'
import { findUnreadOf } from '../unread/unread.ts'
import { Id } from '../api/wire.ts'
import { findCallAlert } from '../voice/alerts/store.ts'

const endedData = {
  blocked: z.object({ userId: Id }),
  unblocked: z.object({ userId: Id }),
  call_ended: z.object({
    roomId: Id,
    callId: z.string(),
    userId: Id,
    reason: z.enum(['answered', 'missed', 'declined', 'ended']),
  }),
  invitation_revoked: z.object({ id: Id, roomId: Id }),
  transfer_ended: z.object({ roomId: Id, fromUserId: Id, toUserId: Id }),
}

/**
 * Data of a notice from another node, as the database has it for this user; undefined if it was
 * deleted meanwhile.
 */
export async function readNotice(
  database: ReadDatabase,
  { userId, notice, ids }: Extract<ClusterEvent, { kind: 'notice_ref' }>,
  nowMs: number,
): Promise<Notice['data'] | undefined> {
  const { read: db } = database
  if (notice === 'read' || notice === 'preferences')
    return readOwnState(database, { notice, userId, roomId: Id.parse(ids['roomId']) }, nowMs)
  if (notice === 'draft') return readDraft(db, { userId, roomId: Id.parse(ids['roomId']) })
  if (notice === 'call') return findCallAlert(db, { userId, roomId: Id.parse(ids['roomId']), nowMs })
  if (notice === 'invitation') {
    const row = await findInvitation(db, Id.parse(ids['id']))
    const room = row?.invited_user_id === userId ? await findRoomOf(db, row) : undefined
    return row && room && { invitation: toPending(row, room.name) }
  }
  if (notice === 'transfer') {
    const [row] = await listTransfers(db, { userId, roomId: Id.parse(ids['roomId']), nowMs }, undefined, 1)
    return row?.to_user_id === userId ? { transfer: toPendingTransfer(row) } : undefined
  }
  // The other kinds have no data in the database any more.
  return endedData[notice].parse(ids)
}

async function readDraft(db: Db, key: { userId: string; roomId: string }): Promise<Notice['data']> {
  return { roomId: key.roomId, content: await findDraft(db, key) }
}

/** What the user keeps about a room that they may enter. */
async function readOwnState(
  database: ReadDatabase,
  { notice, userId, roomId }: { notice: 'read' | 'preferences'; userId: string; roomId: string },
  nowMs: number,
): Promise<Notice['data'] | undefined> {
  const access = await findRoomAccess(database.read, roomId, { userId, clientPrefix: null, nowMs })
  if (!access || decideEntry(access) !== 'yes') return undefined
  if (notice === 'preferences') return { roomId, starred: access.isStarred }
  const unread = await findUnreadOf(database, access, nowMs)
  return unread && { roomId, ...unread }
}
