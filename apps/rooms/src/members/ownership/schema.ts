import { z } from 'zod'
import { text } from '@latchkey/http/text'
import type { RoomOwnershipTransferRow, RoomRow } from '../../db/tables.ts'
import { NextCursor, PageQuery } from '../../api/paging.ts'
import { trimmedText } from '../../api/text.ts'
import { Id, Moment, Success, toMoment } from '../../api/wire.ts'
import { ownerOf } from './owner.ts'

const Transfer = z
  .object({
    roomId: z.string(),
    fromUserId: z.string(),
    toUserId: z.string(),
    expiresAt: Moment,
    createdAt: Moment,
  })
  .meta({ id: 'OwnershipTransfer' })

export function toTransfer(row: RoomOwnershipTransferRow): z.output<typeof Transfer> {
  return {
    roomId: row.room_id,
    fromUserId: row.from_user_id,
    toUserId: row.to_user_id,
    expiresAt: toMoment(row.expires_at),
    createdAt: toMoment(row.created_at),
  }
}

const PendingTransfer = Transfer.extend({ roomName: z.string(), fromNickname: z.string() }).meta({
  id: 'PendingTransfer',
})

/** Transfer with the names that both sides see. */
export interface TransferWithNames extends RoomOwnershipTransferRow {
  /** The room, of which there is one transfer. */
  id: string
  room_name: string
  from_nickname: string
}

export function toPendingTransfer(row: TransferWithNames): z.output<typeof PendingTransfer> {
  return { ...toTransfer(row), roomName: row.room_name, fromNickname: row.from_nickname }
}

export const NewOwner = z.object({ userId: Id })
export const TransferAnswer = z.object({ transfer: Transfer })
export const PendingTransfers = z.object({
  transfers: z.array(PendingTransfer),
  nextCursor: NextCursor,
})

export const TakeoverParams = z.object({ roomId: Id })
export const Takeover = z.object({
  reason: trimmedText(3, 1000).meta({ description: 'Kept in the audit log.' }),
})
export const TakeoverAnswer = Success.extend({ ownerId: z.string(), previousOwnerId: z.string() })

const ManagedRoom = z
  .object({
    id: z.string(),
    name: z.string(),
    createdBy: z.string().nullable(),
    visibility: z.enum(['public', 'unlisted', 'private']),
    allowGuests: z.boolean(),
    maxParticipants: z.int().nullable(),
    archived: z.boolean(),
    default: z.boolean().meta({ description: 'New member accounts join it.' }),
    createdAt: Moment,
    ownerId: z.string(),
    memberCount: z.int().meta({ description: 'The number of members, including the owner.' }),
    participantCount: z.int().meta({ description: 'The number of participants now.' }),
  })
  .meta({ id: 'ManagedRoom' })

export interface RoomWithCounts extends RoomRow {
  members: number | null
  present: number | null
}

export function toManagedRoom(row: RoomWithCounts): z.output<typeof ManagedRoom> {
  return {
    id: row.id,
    name: row.name,
    createdBy: row.created_by,
    visibility: row.visibility,
    allowGuests: row.allow_guests === 1,
    maxParticipants: row.max_participants,
    archived: row.archived_at !== null,
    default: row.is_default === 1,
    createdAt: toMoment(row.created_at),
    ownerId: ownerOf(row),
    memberCount: (row.members ?? 0) + 1,
    participantCount: row.present ?? 0,
  }
}

export const ManagedRoomPage = z.object({ rooms: z.array(ManagedRoom), nextCursor: NextCursor })
export const ManagedRoomQuery = PageQuery.extend({
  q: text().trim().optional().meta({ description: 'An id or a part of the name.' }),
})
