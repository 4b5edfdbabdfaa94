import { z } from 'zod'
import type { Db, ReadDatabase } from '../db/tables.ts'
import { toRoomFile } from '../files/schema.ts'
import type { FileWithContent } from '../files/store.ts'
import { findDirectPeople, namedFor } from '../rooms/direct-people.ts'
import { Moment, toMoment, toMomentOrNull } from '../api/wire.ts'
import type { OwnMessage, ReactionWithRoom } from './store.ts'

/**
 * Data of a user in rooms. Names are included only for rooms that the user belongs to: the user may
 * not be allowed to know that other rooms still exist.
 */
export const ExportedRooms = z
  .object({
    owned: z.array(z.object({ roomId: z.string(), name: z.string(), since: Moment })),
    memberships: z.array(
      z.object({
        roomId: z.string(),
        kind: z.string(),
        name: z.string(),
        role: z.string(),
        joinedAt: Moment,
        group: z.string().nullable().meta({ description: 'The group that gives the role.' }),
      }),
    ),
    visits: z.array(z.object({ roomId: z.string(), startedAt: Moment, endedAt: Moment.nullable() })),
    readMarks: z
      .array(
        z.object({
          roomId: z.string(),
          readSeq: z.int(),
          notificationLevel: z.string(),
          hidden: z.boolean(),
        }),
      )
      .meta({ description: 'Numbers of the events up to which the person has read.' }),
    drafts: z.array(z.object({ roomId: z.string(), content: z.string(), updatedAt: Moment })),
    messages: z.array(
      z.object({
        roomId: z.string(),
        id: z.string(),
        content: z.string().nullable().meta({ description: 'Null if it was deleted.' }),
        createdAt: Moment,
        deletedAt: Moment.nullable(),
        earlierTexts: z.array(z.object({ content: z.string(), at: Moment })).meta({
          description: 'The texts before edits, oldest first, with the times at which they were written.',
        }),
        files: z.array(
          z.object({
            name: z.string(),
            type: z.string(),
            bytes: z.int(),
            sha256: z.string(),
            url: z.string(),
          }),
        ),
      }),
    ),
    reactions: z.array(
      z.object({ roomId: z.string(), messageId: z.string(), emoji: z.string(), createdAt: Moment }),
    ),
    invitations: z.array(
      z.object({
        id: z.string(),
        roomId: z.string(),
        received: z.boolean().meta({ description: 'If false, the person created it.' }),
        role: z.string(),
        createdAt: Moment,
        expiresAt: Moment,
      }),
    ),
    usedInvitations: z.array(z.object({ id: z.string(), roomId: z.string(), usedAt: Moment })),
    rolesSetByHand: z
      .array(z.object({ roomId: z.string(), role: z.string().nullable(), setAt: Moment }))
      .meta({ description: 'Roles that a user with that right set explicitly; null after a removal.' }),
    bans: z.array(
      z.object({ roomId: z.string(), kind: z.string(), createdAt: Moment, expiresAt: Moment.nullable() }),
    ),
    transfers: z.array(
      z.object({ roomId: z.string(), received: z.boolean(), createdAt: Moment, expiresAt: Moment }),
    ),
  })
  .meta({ id: 'ExportedRooms' })
type ExportedRooms = z.output<typeof ExportedRooms>

export function toExportedMessage({
  room_id,
  id,
  content,
  created_at,
  deleted_at,
  versions,
  files,
}: OwnMessage): ExportedRooms['messages'][number] {
  return {
    roomId: room_id,
    id,
    content,
    createdAt: toMoment(created_at),
    deletedAt: toMomentOrNull(deleted_at),
    earlierTexts: versions.map((version) => ({ content: version.content, at: toMoment(version.created_at) })),
    files: files.map(toExportedFile),
  }
}

function toExportedFile(file: FileWithContent) {
  const { name, type, bytes, url } = toRoomFile(file)
  return { name, type, bytes, sha256: file.sha256, url }
}

export function toExportedReaction(row: ReactionWithRoom): ExportedRooms['reactions'][number] {
  const { room_id: roomId, message_id: messageId, emoji, created_at } = row
  return { roomId, messageId, emoji, createdAt: toMoment(created_at) }
}

/** All of this data except messages and reactions, of which there can be many. */
export async function exportRooms(
  database: ReadDatabase,
  userId: string,
): Promise<Omit<ExportedRooms, 'messages' | 'reactions'>> {
  const { read: db } = database
  return {
    ...(await exportMemberships(database, userId)),
    ...(await exportVisits(db, userId)),
    ...(await exportInvitationsAndBans(db, userId)),
    ...(await exportDecisions(db, userId)),
  }
}

async function exportMemberships(database: ReadDatabase, userId: string) {
  const { read: db } = database
  const owned = await db
    .selectFrom('rooms')
    .select(['id', 'name', 'owner_since'])
    .where('owner_id', '=', userId)
    .orderBy('id')
    .execute()
  const memberships = await db
    .selectFrom('room_members')
    .innerJoin('rooms', 'rooms.id', 'room_members.room_id')
    .select([
      'rooms.id',
      'rooms.kind',
      'rooms.name',
      'room_members.role',
      'room_members.joined_at',
      'room_members.group_name',
    ])
    .where('user_id', '=', userId)
    .orderBy('rooms.id')
    .execute()
  const everyone = await findDirectPeople(database, memberships)
  return {
    owned: owned.map(({ id, name, owner_since }) => ({ roomId: id, name, since: toMoment(owner_since) })),
    memberships: memberships.map((room) => ({
      roomId: room.id,
      kind: room.kind,
      name: namedFor(userId, room, everyone).name,
      role: room.role,
      joinedAt: toMoment(room.joined_at),
      group: room.group_name,
    })),
  }
}

async function exportVisits(db: Db, userId: string) {
  const visits = await db
    .selectFrom('room_visits')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('room_id')
    .execute()
  const marks = await db
    .selectFrom('room_user_states')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('room_id')
    .execute()
  const drafts = await db
    .selectFrom('room_drafts')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('room_id')
    .execute()
  return {
    readMarks: marks.map(({ room_id, last_read_seq, level, starred, left_at, hidden_seq }) => ({
      roomId: room_id,
      readSeq: last_read_seq,
      notificationLevel: level,
      starred: starred === 1,
      leftAt: toMomentOrNull(left_at),
      hidden: hidden_seq !== null,
    })),
    drafts: drafts.map(({ room_id, content, updated_at }) => ({
      roomId: room_id,
      content,
      updatedAt: toMoment(updated_at),
    })),
    visits: visits.map(({ room_id, started_at, ended_at }) => ({
      roomId: room_id,
      startedAt: toMoment(started_at),
      endedAt: toMomentOrNull(ended_at),
    })),
  }
}

async function exportDecisions(db: Db, userId: string) {
  const uses = await db
    .selectFrom('room_invitation_uses')
    .innerJoin('room_invitations', 'room_invitations.id', 'room_invitation_uses.invitation_id')
    .select(['room_invitations.id', 'room_invitations.room_id', 'room_invitation_uses.used_at'])
    .where('room_invitation_uses.user_id', '=', userId)
    .orderBy('room_invitations.id')
    .execute()
  const roles = await db
    .selectFrom('room_manual_roles')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('room_id')
    .execute()
  return {
    usedInvitations: uses.map(({ id, room_id, used_at }) => ({
      id,
      roomId: room_id,
      usedAt: toMoment(used_at),
    })),
    rolesSetByHand: roles.map(({ room_id, role, set_at }) => ({
      roomId: room_id,
      role,
      setAt: toMoment(set_at),
    })),
  }
}

async function exportInvitationsAndBans(db: Db, userId: string) {
  const invitations = await db
    .selectFrom('room_invitations')
    .selectAll()
    .where((eb) => eb.or([eb('invited_user_id', '=', userId), eb('created_by', '=', userId)]))
    .orderBy('id')
    .execute()
  const bans = await db.selectFrom('room_bans').selectAll().where('user_id', '=', userId).execute()
  const transfers = await db
    .selectFrom('room_ownership_transfers')
    .selectAll()
    .where((eb) => eb.or([eb('to_user_id', '=', userId), eb('from_user_id', '=', userId)]))
    .execute()
  return {
    invitations: invitations.map(({ id, room_id, invited_user_id, permission, created_at, expires_at }) => ({
      id,
      roomId: room_id,
      received: invited_user_id === userId,
      role: permission,
      createdAt: toMoment(created_at),
      expiresAt: toMoment(expires_at),
    })),
    bans: bans.map(({ room_id, kind, created_at, expires_at }) => ({
      roomId: room_id,
      kind,
      createdAt: toMoment(created_at),
      expiresAt: toMomentOrNull(expires_at),
    })),
    transfers: transfers.map(({ room_id, to_user_id, created_at, expires_at }) => ({
      roomId: room_id,
      received: to_user_id === userId,
      createdAt: toMoment(created_at),
      expiresAt: toMoment(expires_at),
    })),
  }
}
