import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { eachDialect } from '@latchkey/database/testing'
import { sqlitePath } from '@latchkey/database/url'
import { sql } from 'kysely'
import { REFOLDING } from '../../src/db/message-words.ts'
import { searchJobs } from '../../src/jobs/search-index.ts'
import { saveState } from '../../src/platform/store.ts'
import { deleteBatch } from '../../src/rooms/store.ts'
import {
  type TestUser,
  createMessage,
  createRoom,
  deleteMessage,
  editMessage,
  member,
  succeed,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { searchTexts } from './actions.ts'

eachDialect((dialect, newUrl) => {
  let url: string
  let rooms: TestRooms
  let olga: TestUser
  let roomId: string
  beforeAll(async () => {
    url = await newUrl()
    rooms = await openRooms({ url, limits: { messages_per_10s: 1_000 } })
    olga = await member(rooms, 'Mélanie İpek')
    ;({ id: roomId } = await createRoom(olga, { name: 'Crème brûlée' }))
  })
  afterAll(() => rooms.close())

  const write = (work: Parameters<typeof rooms.rooms.database.write>[0]) => rooms.rooms.database.write(work)

  async function runJobs(): Promise<void> {
    for (const job of searchJobs.toReversed())
      while ((await rooms.rooms.database.write((tx) => job.run(tx, rooms.clock.ms))) === 'more');
  }

  const findTexts = (q: string) => searchTexts(olga, { q })

  // The first test: an index that was folded again removes words as well.
  if (dialect === 'sqlite')
    test('R32.2, R32.2b: words that are deleted, edited or deleted in bulk are in no file of the database', async () => {
      const deleted = await createMessage(olga, roomId, 'xylophoneone stays not')
      const edited = await createMessage(olga, roomId, 'xylophonetwo stays not')
      for (let n = 0; n < 30; n++) await createMessage(olga, roomId, `xylophonebulk${n} kept for a while`)
      await createMessage(olga, roomId, 'marimba remains')
      expect(await occurrences('xylophone')).toBeGreaterThan(0)
      await succeed(deleteMessage(olga, roomId, deleted.id))
      await succeed(editMessage(olga, roomId, edited.id, 'nothing'))
      expect(await occurrences('xylophoneone')).toBe(0)
      await write((tx) =>
        deleteBatch(tx, 'room_messages', (query) => query.where('content', 'like', 'xylophonebulk%')),
      )
      await runJobs()
      await write((tx) => tx.deleteFrom('room_message_versions').execute())
      expect(await occurrences('xylophone')).toBe(0)
      expect(await occurrences('marimba')).toBeGreaterThan(0)
      expect(await findTexts('marimba')).toEqual(['marimba remains'])
      await write((tx) =>
        sql`insert into message_words (message_words, rank) values ('integrity-check', 1)`.execute(tx),
      )
    })

  test('R32.1b: texts of an earlier version are folded by a job', async () => {
    await createMessage(olga, roomId, 'Café au lait')
    await write(async (tx) => {
      await sql`update message_search set doc = replace(doc, 'cafe', 'café')`.execute(tx)
      await tx.updateTable('users').set({ search_name: 'mélanie', skeleton: '' }).execute()
      await tx.updateTable('rooms').set({ search_name: 'crème' }).execute()
      await saveState(tx, REFOLDING, 'users ', 0)
    })
    expect(await findTexts('cafe')).toEqual([])
    await runJobs()
    expect(await findTexts('cafe')).toEqual(['Café au lait'])
    expect(await findTexts('CAFÉ')).toEqual(['Café au lait'])
    const { read } = rooms.rooms.database
    expect(await read.selectFrom('users').select(['search_name', 'skeleton']).execute()).toEqual([
      { search_name: 'melanie ipek', skeleton: 'meianieipek' },
    ])
    expect(await read.selectFrom('rooms').select('search_name').execute()).toEqual([
      { search_name: 'creme brulee' },
    ])
    expect(
      await read.selectFrom('platform_state').where('key', 'like', 'search.%').select('key').execute(),
    ).toEqual([])
  })

  /** Occurrences of the word in the database and its log, after the log was copied. */
  async function occurrences(word: string): Promise<number> {
    const path = sqlitePath(url)
    await rooms.rooms.database.emptyLog()
    return ['', '-wal']
      .map(
        (end) =>
          readFileSync(path + end)
            .toString('latin1')
            .split(word).length - 1,
      )
      .reduce((sum, count) => sum + count, 0)
  }
})
