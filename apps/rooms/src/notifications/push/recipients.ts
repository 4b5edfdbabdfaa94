import type { ReadDatabase } from '../../db/tables.ts'
import { countNotifying } from '../notifying.ts'
import { type UserRoomAccess, findAccessOfUsers } from '../../rooms/access-store.ts'
import { decideOrdinaryEntry } from '../../rooms/permissions.ts'
import { findUnread, readSeqOf } from '../../unread/unread.ts'
import { findQuietAmong } from '../../users/quiet-people.ts'
import { listSubscribedFollowers } from './store.ts'

export interface Recipient {
  userId: string
  access: UserRoomAccess
  readSeq: number
  isMentioned: boolean
}

/** Messages of a room from `fromSeq` on. */
export interface NewMessages {
  roomId: string
  fromSeq: number
  nowMs: number
}

/** Users with a browser that shows pushes whom to notify of these messages now. */
export async function findRecipients(database: ReadDatabase, messages: NewMessages): Promise<Recipient[]> {
  const { roomId, nowMs } = messages
  return filterRecipients(database, await listSubscribedFollowers(database.read, roomId, nowMs), messages)
}

/** Undefined for a user who is not to be notified of these messages, or not any more. */
export async function findRecipient(
  database: ReadDatabase,
  userId: string,
  messages: NewMessages,
): Promise<Recipient | undefined> {
  return (await filterRecipients(database, [userId], messages))[0]
}

/**
 * Users who follow the room, may read these messages now, have not read them, and want to be
 * notified of them at this time. The right of an administrator does not count: it needs a session.
 */
async function filterRecipients(
  database: ReadDatabase,
  userIds: readonly string[],
  { roomId, fromSeq, nowMs }: NewMessages,
): Promise<Recipient[]> {
  if (userIds.length === 0) return []
  const all = await findAccessOfUsers(database, { roomId, userIds, nowMs })
  const accesses = all
    .map((access) => ({ ...access, isAdmin: false, needsSignIn: false }))
    .filter((access) => decideOrdinaryEntry(access) === 'yes')
    .flatMap((access) => {
      const readSeq = readSeqOf(access)
      return readSeq === null ? [] : [{ ...access, lastReadSeq: Math.max(readSeq, fromSeq - 1) }]
    })
  const unread = await findUnread(database, accesses, nowMs)
  const recipients = accesses.flatMap((access): Recipient[] => {
    const counts = unread.get(access)
    const { userId, notificationLevel } = access
    if (!counts || countNotifying({ ...counts, notificationLevel }) === 0) return []
    const readSeq = all.find((stored) => stored.userId === userId)?.lastReadSeq ?? access.joinedSeq ?? 0
    // Messages of a direct conversation count as mentions, and are none.
    const isMentioned = access.kind === 'room' && counts.mentions > 0
    return [{ userId, access, readSeq, isMentioned }]
  })
  const ids = recipients.map(({ userId }) => userId)
  const quiet = await findQuietAmong(database.read, database.dialect, ids, nowMs)
  return recipients.filter(({ userId }) => !quiet.has(userId))
}
