import { openDatabase } from '@latchkey/database/database'
import { openBulk } from '@latchkey/database/archive/bulk'
import { migrate } from '@latchkey/database/migrate'
import { sql } from 'kysely'
import { migrations } from '../../apps/rooms/src/db/migrations.ts'
import type { Tables } from '../../apps/rooms/src/db/tables.ts'
import { findHits } from '../../apps/rooms/src/messages/search/store.ts'
import { searchedWords } from '../../apps/rooms/src/messages/search/words.ts'
import { buildSearchIndex } from '../../apps/rooms/src/transfer/search-index.ts'
import { FIRST_GUEST, NOW, fill, roomId, userId } from './corpus.ts'
const url = process.argv[2]!, count = Number(process.argv[3])
const database0 = openDatabase<Tables>(url)
await migrate(database0, migrations)
const isFilled = (await sql`select 1 from rooms limit 1`.execute(database0.read)).rows.length > 0
await database0.close()
if (!isFilled) {
  const bulk = await openBulk(url); let t = performance.now()
  await fill(bulk, count); console.log('filled', performance.now() - t); t = performance.now()
  await buildSearchIndex(bulk); console.log('indexed', performance.now() - t)
  await bulk.commit(); await bulk.close()
}
const database = openDatabase<Tables>(url)
if (!isFilled) await sql.raw(database.dialect === 'postgres' ? 'vacuum analyze' : 'analyze').execute(database.writer)
const cases: [string, string, any][] = [
  ['member', 'the', {}], ['member', 'friday', {}], ['member', 'fri', {}], ['member', 'f', {}], ['member', 'needlefish', {}], ['member', 'zebra', {}], ['member', 'oldword', {}],
  ['member', 'friday black', {}], ['member', 'alphaone betatwo', {}], ['member', 'the friday alphaone', {}], ['member', 'apollo', {}], ['member', 'apollo friday', {}],
  ['guest', 'the', {}], ['guest', 'friday', {}], ['guest', 'zebra', {}], ['guest', 'oldword', {}], ['guest', 'apollo', {}],
  ['member', 'friday', { room: 0 }], ['member', 'the', { room: 4000 }], ['member', 'oldword', { room: 0 }], ['member', 'zebra', { room: 0 }], ['member', 'friday black', { room: 0 }],
  ['member', 'the', { from: 1500 }], ['member', '', { from: 1 }], ['member', '', { has: 'link' }], ['member', 'friday', { beforeMs: NOW - 400 * 86400000 }], ['member', 'oldword', { afterMs: NOW - 100 * 86400000 }],
]
for (const [who, q, f] of cases) {
  const listed = { userId: userId(who === 'guest' ? FIRST_GUEST : 77), isGuest: who === 'guest', isAdmin: false, clientPrefix: '192.0.2.1', nowMs: NOW }
  const scope = f.room === undefined ? { listed } : { range: { roomId: roomId(f.room), afterSeq: 0, retainedAfterMs: 0 } }
  const filter = { words: searchedWords(q), fromUserId: f.from === undefined ? undefined : userId(f.from), has: f.has, beforeMs: f.beforeMs, afterMs: f.afterMs }
  const times: number[] = []; let n = 0
  for (let i = 0; i < 12; i++) { const t = performance.now(); n = (await findHits(database, scope, filter, { cursor: undefined, limit: 51 })).length; if (i > 1) times.push(performance.now() - t) }
  times.sort((a, b) => a - b)
  console.log(`${who} ${q} ${JSON.stringify(f)}`.padEnd(60), n, 'min', times[0]!.toFixed(1), 'p50', times[5]!.toFixed(1), 'max', times.at(-1)!.toFixed(1))
}
await database.close()
