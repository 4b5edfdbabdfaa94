import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Database, openDatabase } from '@latchkey/database/database'
import { sql } from 'kysely'
import pg from 'pg'
import type { Context } from '../../apps/rooms/src/api/context.ts'
import type { Tables } from '../../apps/rooms/src/db/tables.ts'
import { findAccessOfUsers, findAccessToRooms } from '../../apps/rooms/src/rooms/access-store.ts'
import { listRooms } from '../../apps/rooms/src/lobby/operations.ts'
import { RoomQuery } from '../../apps/rooms/src/lobby/schema.ts'
import { advanceReadMark } from '../../apps/rooms/src/unread/store.ts'
import { findUnread } from '../../apps/rooms/src/unread/unread.ts'
import { BUSY_ROOM, DELETED_ROOM, NOW, OWN_ROOM, READER, fill, memberId } from './corpus.ts'

/**
 * Measures counts of unread messages on both engines: `bun bench/unread/run.ts`. PostgreSQL is
 * measured only if `LATCHKEY_TEST_POSTGRES` names a server. `--keep <file>` keeps the SQLite
 * database and measures an existing one.
 */
const { values } = parseArgs({
  options: {
    rooms: { type: 'string', default: '10000' },
    messages: { type: 'string', default: '1000000' },
    members: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '50' },
    engine: { type: 'string', default: 'sqlite,postgres' },
    keep: { type: 'string' },
  },
})
const size = {
  rooms: Number(values.rooms),
  messages: Number(values.messages),
  membersOfBusyRoom: Number(values.members),
}
const rounds = Number(values.rounds)

async function measure(run: () => Promise<unknown>): Promise<string> {
  const times: number[] = []
  let cpu = process.cpuUsage()
  for (let round = -3; round < rounds; round++) {
    if (round === 0) cpu = process.cpuUsage()
    const startedMs = performance.now()
    await run()
    if (round >= 0) times.push(performance.now() - startedMs)
  }
  const { user, system } = process.cpuUsage(cpu)
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => (sorted[Math.floor(part * sorted.length)] ?? 0).toFixed(1)
  return `${at(0.5)} | ${at(0.95)} | ${((user + system) / 1000 / rounds).toFixed(1)}`
}

function contextOf(database: Database<Tables>): Context {
  const actor = { user: { id: READER, is_guest: 0 }, platformAdmin: false }
  return { database, now: NOW, clientPrefix: '192.0.2.1', actor } as unknown as Context
}

/** Pages of 100 rooms of the reader, a different one each time. */
function pages(database: Database<Tables>): () => Promise<unknown> {
  let cursor: string | undefined
  return async () => {
    const query = RoomQuery.parse({ limit: '100', ...(cursor !== undefined && { cursor }) })
    const page = await listRooms.handler(contextOf(database), { query, params: undefined, body: undefined })
    cursor = page.nextCursor ?? undefined
  }
}

function countIn(database: Database<Tables>, roomId: string): () => Promise<unknown> {
  return async () => {
    const accesses = await findAccessToRooms(database, { userId: READER, roomIds: [roomId], nowMs: NOW })
    return findUnread(database, accesses, NOW)
  }
}

function countForMembers(database: Database<Tables>): () => Promise<unknown> {
  const userIds = Array.from({ length: size.membersOfBusyRoom }, (_, number) => memberId(number))
  return async () => {
    const accesses = await findAccessOfUsers(database, { roomId: BUSY_ROOM, userIds, nowMs: NOW })
    return findUnread(database, accesses, NOW)
  }
}

function markInTurn(database: Database<Tables>): () => Promise<unknown> {
  let seq = 0
  return () =>
    database.write((tx) => advanceReadMark(tx, { roomId: BUSY_ROOM, userId: memberId(0), seq: ++seq }))
}

/** Marks all rooms of a user, or all users of a room, as read up to the last event but `left`. */
async function markAll(database: Database<Tables>, where: 'room_id' | 'user_id', id: string, left: number) {
  await database.write((tx) =>
    sql`insert into room_user_states (room_id, user_id, last_read_seq)
      select room_id, user_id, last_seq - ${sql.lit(left)} from room_members join rooms on rooms.id = room_id
      where ${sql.ref(where)} = ${id}
      on conflict (room_id, user_id) do update set last_read_seq = excluded.last_read_seq`.execute(tx),
  )
}

async function report(url: string, engine: string, isFilled: boolean): Promise<void> {
  const database = openDatabase<Tables>(url)
  const startedMs = performance.now()
  if (!isFilled) await fill(database, size)
  else await database.write((tx) => tx.deleteFrom('room_user_states').execute())
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0)
  console.log(`\n## ${engine}, ${size.rooms} rooms, ${size.messages} messages, stored in ${seconds} s\n`)
  console.log('| Counts | p50 ms | p95 ms | CPU ms here |\n|---|---|---|---|')
  const print = async (name: string, run: () => Promise<unknown>) =>
    console.log(`| ${name} | ${await measure(run)} |`)
  await print('page of 100 rooms, nothing read', pages(database))
  await print('a room with many messages of others', countIn(database, BUSY_ROOM))
  await print('a room with many own messages', countIn(database, OWN_ROOM))
  await print('a room with many deleted messages', countIn(database, DELETED_ROOM))
  await print(`${size.membersOfBusyRoom} members of a room, nothing read`, countForMembers(database))
  await markAll(database, 'user_id', READER, 3)
  await print('page of 100 rooms, 3 messages unread in each', pages(database))
  await markAll(database, 'user_id', READER, 0)
  await print('page of 100 rooms, everything read', pages(database))
  await markAll(database, 'room_id', BUSY_ROOM, 3)
  await print(`${size.membersOfBusyRoom} members of a room, 3 messages unread`, countForMembers(database))
  await print('storing a mark', markInTurn(database))
  await database.close()
}

console.log(
  `${new Date().toISOString().slice(0, 10)}, ${cpus()[0]?.model} x ${cpus().length}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()}, Bun ${Bun.version}, ${rounds} rounds`,
)
if (values.engine.includes('sqlite')) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-unread-'))
  const file = values.keep ?? join(folder, 'rooms.db')
  await report(`sqlite:${file}`, 'SQLite', existsSync(file))
  rmSync(folder, { recursive: true })
}
const server = process.env['LATCHKEY_TEST_POSTGRES']
if (values.engine.includes('postgres') && server) {
  const name = `latchkey_unread_${process.pid}`
  const admin = new pg.Client(server)
  await admin.connect()
  await admin.query(`create database ${name}`)
  try {
    const url = new URL(server)
    url.pathname = `/${name}`
    await report(url.href, 'PostgreSQL', false)
  } finally {
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  }
}
