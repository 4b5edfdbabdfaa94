import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { createLog } from '@latchkey/http/log'
import { sql } from 'kysely'
import { Stored, closedAfterEach } from '../../test/durability/stored.ts'
import { Labeller } from './labeller.ts'

const { keep } = closedAfterEach()

const log = createLog({ write: () => {} })

eachDialect((_dialect, newUrl) => {
  test('L6.6 a title becomes the label of a link that still has none and the same URL', async () => {
    const stored = keep(await Stored.open(await newUrl()))
    const unlabelled = await stored.link('aaaa')
    const labelled = await stored.link('bbbb')
    const changed = await stored.link('cccc')
    await stored.run(sql`update link set label = 'Own' where id = ${labelled}`)
    const labeller = new Labeller(stored.database, async () => 'Title', log)
    labeller.label(unlabelled, 'https://example.com/aaaa')
    labeller.label(labelled, 'https://example.com/bbbb')
    labeller.label(changed, 'https://example.com/before')
    await labeller.close()
    expect(await stored.rows('select label from link order by id')).toEqual([
      { label: 'Title' },
      { label: 'Own' },
      { label: null },
    ])
  })

  test('while draining nothing more is fetched, and closing ends the fetches that run', async () => {
    const { database } = keep(await Stored.open(await newUrl()))
    const fetches: { url: string; answer: (title: null) => void }[] = []
    const fetchTitle = (url: string, ending?: AbortSignal) => {
      const { promise, resolve } = Promise.withResolvers<null>()
      fetches.push({ url, answer: resolve })
      ending?.addEventListener('abort', () => resolve(null))
      return promise
    }
    const labeller = new Labeller(database, fetchTitle, log)
    for (let n = 0; n < 10; n++) labeller.label(n, `https://example.com/${n}`)
    expect(fetches.map(({ url }) => url)).toEqual(
      Array.from({ length: 8 }, (_, n) => `https://example.com/${n}`),
    )
    labeller.drain()
    fetches[0]?.answer(null)
    labeller.label(10, 'https://example.com/late')
    await new Promise(setImmediate)
    expect(fetches).toHaveLength(8)
    await labeller.close()
  })
})
