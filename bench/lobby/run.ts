import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Database, openDatabase } from '@latchkey/database/database'
import pg from 'pg'
import type { Context } from '../../apps/rooms/src/api/context.ts'
import type { Tables } from '../../apps/rooms/src/db/tables.ts'
import { listRooms } from '../../apps/rooms/src/lobby/operations.ts'
import { RoomQuery } from '../../apps/rooms/src/lobby/schema.ts'
import { listPeople } from '../../apps/rooms/src/people/operations.ts'
import { PeopleQuery } from '../../apps/rooms/src/people/schema.ts'
import { NOW, fill, idOf } from './corpus.ts'

/**
 * Measures the lobby and the jump list of a large instance on both engines: `bun bench/lobby/run.ts`.
 * PostgreSQL is measured only if `LATCHKEY_TEST_POSTGRES` names a server.
 */
const { values } = parseArgs({
  options: {
    people: { type: 'string', default: '10000' },
    rooms: { type: 'string', default: '2000' },
    messages: { type: 'string', default: '50' },
    memberships: { type: 'string', default: '30' },
    rounds: { type: 'string', default: '200' },
    engine: { type: 'string', default: 'sqlite,postgres' },
  },
})
const size = {
  people: Number(values.people),
  rooms: Number(values.rooms),
  messagesPerRoom: Number(values.messages),
  roomsPerPerson: Number(values.memberships),
}
const rounds = Number(values.rounds)

/** Another person each time. */
function contextOf(database: Database<Tables>, round: number): Context {
  const id = idOf(1, (round * 137) % size.people)
  return {
    database,
    now: NOW,
    clientPrefix: '192.0.2.1',
    actor: { user: { id, is_guest: 0 }, platformAdmin: false },
    rates: { take: () => {} },
  } as unknown as Context
}

async function measure(run: (round: number) => Promise<unknown>): Promise<string> {
  const times: number[] = []
  let cpu = process.cpuUsage()
  for (let round = -5; round < rounds; round++) {
    if (round === 0) cpu = process.cpuUsage()
    const startedMs = performance.now()
    await run(Math.abs(round))
    if (round >= 0) times.push(performance.now() - startedMs)
  }
  const { user, system } = process.cpuUsage(cpu)
  const sorted = times.toSorted((a, b) => a - b)
  const at = (part: number) => (sorted[Math.floor(part * sorted.length)] ?? 0).toFixed(1)
  return `${at(0.5)} | ${at(0.95)} | ${((user + system) / 1000 / rounds).toFixed(1)}`
}

async function report(url: string, engine: string): Promise<void> {
  const database = openDatabase<Tables>(url)
  const startedMs = performance.now()
  await fill(database, size)
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0)
  console.log(`\n## ${engine}, ${size.people} people, ${size.rooms} rooms, stored in ${seconds} s\n`)
  console.log('| Request | p50 ms | p95 ms | CPU ms here |\n|---|---|---|---|')
  const rooms = (query: Record<string, string>) => (round: number) =>
    listRooms.handler(contextOf(database, round), {
      query: RoomQuery.parse(query),
      params: undefined,
      body: undefined,
    })
  const people = (q: string) => (round: number) =>
    listPeople.handler(contextOf(database, round), {
      query: PeopleQuery.parse({ q, limit: '20' }),
      params: undefined,
      body: undefined,
    })
  const cases: [string, (round: number) => Promise<unknown>][] = [
    ['the lobby: 50 rooms with people and last messages', rooms({ preview: 'true' })],
    ['the lobby, part of a name: gard', rooms({ q: 'gard', preview: 'true' })],
    ['the lobby, part of no name: zebra', rooms({ q: 'zebra', preview: 'true' })],
    ['the navigation: the 100 followed rooms', rooms({ followed: 'true', limit: '100' })],
    ['the jump list, rooms: harb', rooms({ q: 'harb', limit: '20' })],
    ['the jump list, people: mead', people('mead')],
    ['the jump list, people of no name: zebra', people('zebra')],
  ]
  for (const [name, run] of cases) console.log(`| ${name} | ${await measure(run)} |`)
  await database.close()
}

console.log(
  `${new Date().toISOString().slice(0, 10)}, ${cpus()[0]?.model} x ${cpus().length}, ${Math.round(totalmem() / 2 ** 30)} GiB, ${type()}, Bun ${Bun.version}, ${rounds} rounds`,
)
if (values.engine.includes('sqlite')) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-lobby-'))
  await report(`sqlite:${join(folder, 'rooms.db')}`, 'SQLite')
  rmSync(folder, { recursive: true })
}
const server = process.env['LATCHKEY_TEST_POSTGRES']
if (values.engine.includes('postgres') && server) {
  const name = `latchkey_lobby_${process.pid}`
  const admin = new pg.Client(server)
  await admin.connect()
  await admin.query(`create database ${name}`)
  try {
    const url = new URL(server)
    url.pathname = `/${name}`
    await report(url.href, 'PostgreSQL')
  } finally {
    await admin.query(`drop database ${name} with (force)`)
    await admin.end()
  }
}
