import type { Kysely } from 'kysely'
import type { RoomInvitationRow, Tables } from '../db/tables.ts'
import { entryOf, invitingAs, may } from '../rooms/room-access.ts'
import { type FoundStanding, findStanding } from '../rooms/standing.ts'

/** Those whose creators may still give that role: an invitation dies with their authority (R17.6). */
export async function vouchedFor<Row extends RoomInvitationRow>(
  db: Kysely<Tables>,
  rows: readonly Row[],
  nowMs: number,
): Promise<Row[]> {
  const creators = new Map<string, FoundStanding | undefined>()
  for (const { room_id: roomId, created_by: userId } of rows) {
    const key = `${roomId} ${userId}`
    // A creator's own address says nothing about what they have made.
    const whose = { userId, clientPrefix: null, nowMs }
    if (!creators.has(key)) creators.set(key, await findStanding(db, roomId, whose))
  }
  return rows.filter(({ room_id, created_by, permission }) => {
    const creator = creators.get(`${room_id} ${created_by}`)
    return creator !== undefined && entryOf(creator) === 'yes' && may(invitingAs(permission), creator)
  })
}

export async function isVouchedFor(
  db: Kysely<Tables>,
  invitation: RoomInvitationRow,
  nowMs: number,
): Promise<boolean> {
  return (await vouchedFor(db, [invitation], nowMs)).length > 0
}
