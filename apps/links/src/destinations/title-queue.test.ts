import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { createLog } from '@latchkey/http/log'
import { sql } from 'kysely'
import { TestDatabase, closeAfterEach } from '../../test/test-database.ts'
import { createTitleQueue } from './title-queue.ts'

const { closeLater } = closeAfterEach()

const log = createLog({ write: () => {} })
const now = () => 1_795_000_000

eachDialect((_dialect, newUrl) => {
  test('L6.6 a title becomes the label of a link that still has no label and the same URL', async () => {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const unlabelledId = await stored.createLink('aaaa')
    const labelledId = await stored.createLink('bbbb')
    const changed = await stored.createLink('cccc')
    await stored.run(sql`update link set label = 'Own' where id = ${labelledId}`)
    const titleQueue = createTitleQueue({
      database: stored.database,
      fetchTitle: async () => 'Title',
      log,
      now,
    })
    titleQueue.enqueue('ann', { linkId: unlabelledId, url: 'https://example.com/aaaa' })
    titleQueue.enqueue('ann', { linkId: labelledId, url: 'https://example.com/bbbb' })
    titleQueue.enqueue('ann', { linkId: changed, url: 'https://example.com/before' })
    await titleQueue.close()
    expect(await stored.rows('select label from link order by id')).toEqual([
      { label: 'Title' },
      { label: 'Own' },
      { label: null },
    ])
    expect(await stored.rows('select link_id, via, identity, kind, after_values from history')).toEqual([
      {
        link_id: unlabelledId,
        via: 'watch',
        identity: 'operator',
        kind: 'link.updated',
        after_values: '{"label":"Title"}',
      },
    ])
  })

  test('while draining, no more fetches start, and closing aborts those that run', async () => {
    const { database } = closeLater(await TestDatabase.open(await newUrl()))
    const fetches: { url: string; answer: (title: null) => void }[] = []
    const fetchTitle = (url: string, ending?: AbortSignal) => {
      const { promise, resolve } = Promise.withResolvers<null>()
      fetches.push({ url, answer: resolve })
      ending?.addEventListener('abort', () => resolve(null))
      return promise
    }
    const titleQueue = createTitleQueue({ database, fetchTitle, log, now })
    for (let n = 0; n < 10; n++) titleQueue.enqueue('ann', { linkId: n, url: `https://example.com/${n}` })
    expect(fetches.map(({ url }) => url)).toEqual(
      Array.from({ length: 4 }, (_, n) => `https://example.com/${n}`),
    )
    titleQueue.drain()
    fetches[0]?.answer(null)
    titleQueue.enqueue('ann', { linkId: 10, url: 'https://example.com/late' })
    await new Promise(setImmediate)
    expect(fetches).toHaveLength(4)
    await titleQueue.close()
  })
})
