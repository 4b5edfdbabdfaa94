import type { Db, RoomInvitationRow } from '../db/tables.ts'
import { decideEntry, inviteActionFor, may } from '../rooms/permissions.ts'
import { type UserRoomAccess, findRoomAccess } from '../rooms/access-store.ts'

/**
 * Invitations whose creators may still give that role. An invitation ends with the authority of its
 * creator (R17.6).
 */
export async function filterAuthorized<Row extends RoomInvitationRow>(
  db: Db,
  rows: readonly Row[],
  nowMs: number,
): Promise<Row[]> {
  const creators = new Map<string, UserRoomAccess | undefined>()
  for (const { room_id: roomId, created_by: userId } of rows) {
    const key = `${roomId} ${userId}`
    // The current address of a creator does not affect the invitation.
    const query = { userId, clientPrefix: null, nowMs }
    if (!creators.has(key)) creators.set(key, await findRoomAccess(db, roomId, query))
  }
  return rows.filter(({ room_id, created_by, permission }) => {
    const creator = creators.get(`${room_id} ${created_by}`)
    return (
      creator !== undefined && decideEntry(creator) === 'yes' && may(inviteActionFor(permission), creator)
    )
  })
}

export async function isAuthorized(db: Db, invitation: RoomInvitationRow, nowMs: number): Promise<boolean> {
  return (await filterAuthorized(db, [invitation], nowMs)).length > 0
}
