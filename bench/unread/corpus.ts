import type { Database } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { type Transaction, sql } from 'kysely'
import { migrations } from '../../apps/rooms/src/db/migrations.ts'
import type { RoomMessageRow, RoomRow, Tables } from '../../apps/rooms/src/db/tables.ts'

/** 2026-11-21 12:00 UTC. */
export const NOW = Date.UTC(2026, 10, 21, 12)
/** A member of every room. */
export const READER = idOf(1, 1)
/** Writes all messages but those of `OWN_ROOM`. */
const AUTHOR = idOf(1, 2)
/** Many messages of the author, of the reader, and deleted ones. */
export const BUSY_ROOM = idOf(2, 1)
export const OWN_ROOM = idOf(2, 2)
export const DELETED_ROOM = idOf(2, 3)
const BATCH = 5_000

function idOf(kind: number, number: number): string {
  return `0000000${kind}-0000-4000-8000-${String(number).padStart(12, '0')}`
}

export function memberId(number: number): string {
  return idOf(3, number)
}

/** Ordinary rooms have equally many messages; the three special ones share a third of all. */
export interface Size {
  rooms: number
  messages: number
  membersOfBusyRoom: number
}

/** Fills an empty database. The reader is a member of every room and has read nothing. */
export async function fill(database: Database<Tables>, size: Size): Promise<void> {
  await migrate(database, migrations)
  const special = new Map([
    [BUSY_ROOM, Math.floor(size.messages / 5)],
    [OWN_ROOM, Math.floor(size.messages / 10)],
    [DELETED_ROOM, Math.floor(size.messages / 20)],
  ])
  const ordinary = size.messages - [...special.values()].reduce((sum, count) => sum + count, 0)
  const perRoom = Math.floor(ordinary / (size.rooms - special.size))
  const members = Array.from({ length: size.membersOfBusyRoom }, (_, number) => memberId(number))
  await database.write(async (tx) => {
    for (const [index, id] of [READER, AUTHOR, ...members].entries()) await insertUser(tx, id, index)
  })
  const rooms = Array.from({ length: size.rooms }, (_, index) => idOf(2, index + 1))
  for (let from = 0; from < rooms.length; from += BATCH)
    await database.write(async (tx) => {
      for (const id of rooms.slice(from, from + BATCH)) await insertRoom(tx, id, special.get(id) ?? perRoom)
    })
  await database.write(async (tx) => {
    for (const id of members) await insertMember(tx, BUSY_ROOM, id)
  })
  for (const id of rooms) await fillRoom(database, id, special.get(id) ?? perRoom)
  await sql.raw(database.dialect === 'postgres' ? 'vacuum analyze' : 'analyze').execute(database.writer)
}

async function insertUser(tx: Transaction<Tables>, id: string, index: number): Promise<void> {
  const nickname = `Person ${index}`
  await tx
    .insertInto('users')
    .values({
      id,
      nickname,
      search_name: nickname.toLowerCase(),
      email: null,
      avatar_color: '#1565c0',
      disabled: 0,
      is_guest: 0,
      created_at: NOW,
      last_seen_at: NOW,
      guest_ended_at: null,
      skeleton: nickname,
    })
    .execute()
}

async function insertRoom(tx: Transaction<Tables>, id: string, messages: number): Promise<void> {
  const room: RoomRow = {
    id,
    kind: 'room',
    topic: null,
    archived_at: null,
    is_default: 0,
    direct_key: null,
    name: `Room ${id.slice(-5)}`,
    search_name: `room ${id.slice(-5)}`,
    created_by: AUTHOR,
    owner_id: AUTHOR,
    owner_since: NOW,
    max_participants: 50,
    visibility: 'private',
    allow_guests: 0,
    default_role: 'speaker',
    history_visibility: 'all',
    retention_days: null,
    max_retention_days: null,
    max_retention_from: null,
    max_retention_before: null,
    voice: 'video',
    voice_screen: 1,
    voice_guests: 'listen',
    last_seq: messages,
    created_at: NOW - Number(id.slice(-5)),
    active_at: NOW - Number(id.slice(-5)),
  }
  await tx.insertInto('rooms').values(room).execute()
  await insertMember(tx, id, READER)
}

async function insertMember(tx: Transaction<Tables>, roomId: string, userId: string): Promise<void> {
  const member = { room_id: roomId, user_id: userId, role: 'speaker' as const, joined_at: NOW, joined_seq: 0 }
  await tx.insertInto('room_members').values(member).execute()
}

async function fillRoom(database: Database<Tables>, roomId: string, count: number): Promise<void> {
  const isDeleted = roomId === DELETED_ROOM
  for (let from = 1; from <= count; from += BATCH) {
    const rows = Array.from({ length: Math.min(BATCH, count - from + 1) }, (_, index): RoomMessageRow => {
      const seq = from + index
      return {
        id: crypto.randomUUID(),
        room_id: roomId,
        seq,
        user_id: roomId === OWN_ROOM && seq > 1 ? READER : AUTHOR,
        author_name: '#0000',
        author_guest: 0,
        content: isDeleted && seq > 1 ? null : `Message ${seq}. ${'Lorem ipsum dolor sit amet. '.repeat(6)}`,
        client_id: null,
        created_at: NOW - count + seq,
        edited_at: null,
        reply_to: null,
        reactions: null,
        pinned_seq: null,
        group_mention: null,
        file_count: null,
        deleted_at: isDeleted && seq > 1 ? NOW : null,
        deleted_by: null,
      }
    })
    await database.write(async (tx) => {
      for (let at = 0; at < rows.length; at += 500)
        await tx
          .insertInto('room_messages')
          .values(rows.slice(at, at + 500))
          .execute()
    })
  }
}
