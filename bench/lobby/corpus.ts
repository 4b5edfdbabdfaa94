import type { Database } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { type RawBuilder, sql } from 'kysely'
import { migrations } from '../../apps/rooms/src/db/migrations.ts'
import type { Tables } from '../../apps/rooms/src/db/tables.ts'

/** 2026-11-21 12:00 UTC. */
export const NOW = Date.UTC(2026, 10, 21, 12)

export interface Size {
  people: number
  rooms: number
  messagesPerRoom: number
  /** Rooms that each person is a member of. */
  roomsPerPerson: number
}

/** Id of a person (1) or a room (2). */
export function idOf(kind: 1 | 2, number: number): string {
  return `0000000${kind}-0000-4000-8000-${String(number).padStart(12, '0')}`
}

const WORDS = [
  'garden',
  'harbour',
  'meadow',
  'bridge',
  'tower',
  'market',
  'station',
  'forest',
  'river',
  'lake',
]

/** Rows of a batch: few enough for one statement. */
const BATCH = 500

/**
 * Fills an empty database: a tenth of the rooms are private, another tenth unlisted, and a twentieth
 * of the people is present. Memberships are spread by a fixed rule.
 */
export async function fill(database: Database<Tables>, size: Size): Promise<void> {
  await migrate(database, migrations)
  const people = Array.from({ length: size.people }, (_, number) => number)
  const rooms = Array.from({ length: size.rooms }, (_, number) => number)
  await insert(
    database,
    people,
    (number) => {
      const name = `${WORDS[number % WORDS.length] ?? ''} person ${number}`
      return sql`(${idOf(1, number)}, ${name}, ${name}, ${name}, '#1565c0', 0, 0, ${NOW}, ${NOW})`
    },
    sql`insert into users (id, nickname, search_name, skeleton, avatar_color, disabled, is_guest, created_at,
    last_seen_at) values`,
  )
  await insert(
    database,
    rooms,
    (number) => {
      const name = `${WORDS[number % WORDS.length] ?? ''} ${WORDS[Math.floor(number / 10) % WORDS.length] ?? ''} ${number}`
      const visibility = number % 10 === 0 ? 'private' : number % 10 === 1 ? 'unlisted' : 'public'
      return sql`(${idOf(2, number)}, 'room', ${name}, ${name}, ${`About ${name}`}, ${idOf(1, number % size.people)},
      ${NOW}, ${visibility}, 1, 'speaker', 'all', 'video', 1, 'listen', ${size.messagesPerRoom},
      ${NOW - number * 1000}, ${NOW - ((number * 7919) % size.rooms) * 1000})`
    },
    sql`insert into rooms (id, kind, name, search_name, topic, owner_id, owner_since, visibility, allow_guests,
    default_role, history_visibility, voice, voice_screen, voice_guests, last_seq, created_at, active_at) values`,
  )
  const memberships = people
    .flatMap((person) =>
      Array.from(
        { length: size.roomsPerPerson },
        (_, index) => [person, (person * 31 + index * 97) % size.rooms] as const,
      ),
    )
    .filter(([person, room]) => person !== room % size.people)
  await insert(
    database,
    memberships,
    ([person, room]) => sql`(${idOf(2, room)}, ${idOf(1, person)}, 'speaker', ${NOW}, 0)`,
    sql`insert into room_members (room_id, user_id, role, joined_at, joined_seq) values`,
  )
  await insert(
    database,
    memberships,
    ([person, room]) =>
      sql`(${idOf(2, room)}, ${idOf(1, person)}, ${Math.max(0, size.messagesPerRoom - (room % 7))}, ${room % 50 === 0 ? 1 : 0})`,
    sql`insert into room_user_states (room_id, user_id, last_read_seq, starred) values`,
  )
  const messages = rooms.flatMap((room) =>
    Array.from({ length: size.messagesPerRoom }, (_, index) => [room, index + 1] as const),
  )
  await insert(
    database,
    messages,
    ([room, seq]) =>
      sql`(${crypto.randomUUID()}, ${idOf(2, room)}, ${seq}, ${idOf(1, (room + seq) % size.people)}, 'Author', 0,
      ${`Message ${seq} about the ${WORDS[seq % WORDS.length] ?? ''}`}, ${NOW - 1000})`,
    sql`insert into room_messages (id, room_id, seq, user_id, author_name, author_guest, content, created_at) values`,
  )
  const present = people.filter((person) => person % 20 === 0)
  await insert(
    database,
    present,
    (person) =>
      sql`(${idOf(1, person)}, ${idOf(1, person)}, ${`t${person}`}, ${NOW}, ${NOW}, ${NOW}, ${NOW + 1e9}, ${NOW + 1e9}, '', '')`,
    sql`insert into sessions (id, user_id, token_hash, login_at, created_at, last_seen_at, idle_expires_at,
    absolute_expires_at, user_agent, client_ip) values`,
  )
  await insert(
    database,
    present,
    (person) => sql`(${idOf(2, (person * 31) % size.rooms)}, ${idOf(1, person)}, ${NOW}, 0, null)`,
    sql`insert into room_visits (room_id, user_id, started_at, started_seq, ended_at) values`,
  )
  await insert(
    database,
    present,
    (person) =>
      sql`(${`c${person}`}, ${idOf(2, (person * 31) % size.rooms)}, ${idOf(1, person)}, ${idOf(1, person)}, 'n', ${NOW + 1e9})`,
    sql`insert into presence_leases (connection_id, room_id, user_id, session_id, node_id, expires_at) values`,
  )
  await sql.raw(database.dialect === 'postgres' ? 'vacuum analyze' : 'analyze').execute(database.writer)
}

async function insert<Item>(
  database: Database<Tables>,
  items: readonly Item[],
  rowOf: (item: Item) => RawBuilder<unknown>,
  into: RawBuilder<unknown>,
): Promise<void> {
  for (let from = 0; from < items.length; from += BATCH * 20)
    await database.write(async (tx) => {
      for (let at = from; at < Math.min(from + BATCH * 20, items.length); at += BATCH)
        await sql`${into} ${sql.join(items.slice(at, at + BATCH).map(rowOf))}`.execute(tx)
    })
}
