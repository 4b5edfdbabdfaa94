import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { createLog } from '@latchkey/http/log'
import { NOW, TestDatabase, closeAfterEach } from '../../test/test-database.ts'
import { FaviconQueue, type FaviconQueueOptions } from './favicon-queue.ts'
import { type Icon } from './fetch-favicon.ts'
import { findFavicons } from './store.ts'

const { closeLater } = closeAfterEach()
const log = createLog({ write: () => {} })
const ICON: Icon = { type: 'image/png', bytes: Buffer.from('89504e470d0a1a0a', 'hex') }

/** A fetcher whose fetches the test answers. */
function heldFetcher() {
  const fetches: { origin: string; answer: (icon: Icon | null) => void }[] = []
  const fetchFavicon: FaviconQueueOptions['fetchFavicon'] = (origin, abort) => {
    const { promise, resolve } = Promise.withResolvers<Icon | null>()
    fetches.push({ origin, answer: resolve })
    abort?.addEventListener('abort', () => resolve(null))
    return promise
  }
  return { fetches, fetchFavicon }
}

const findStored = async ({ read }: TestDatabase['database'], host: string) =>
  (await findFavicons(read, [host])).get(host)

eachDialect((_dialect, newUrl) => {
  const open = async (options: Pick<FaviconQueueOptions, 'fetchFavicon'> & Partial<FaviconQueueOptions>) => {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const { database } = stored
    const newQueue = (more: Partial<FaviconQueueOptions> = {}) =>
      new FaviconQueue({ database, log, now: () => NOW, ...options, ...more })
    return { stored, database, newQueue, queue: newQueue() }
  }
  const fetchAll = async (queue: FaviconQueue, ...urls: string[]) => {
    for (const url of urls) {
      queue.enqueue('ann', new URL(url))
      await Bun.sleep(0)
    }
  }

  test('L39.2: a host that is requested often is fetched once, from its origin alone', async () => {
    const { fetches, fetchFavicon } = heldFetcher()
    const { database, queue } = await open({ fetchFavicon })
    await fetchAll(
      queue,
      'https://user:secret@a.example:8443/x?y#z',
      'https://a.example:8443/',
      'http://b.example/',
    )
    expect(fetches.map(({ origin }) => origin)).toEqual(['https://a.example:8443', 'http://b.example'])
    for (const { answer } of fetches) answer(ICON)
    await queue.close()
    expect(await findStored(database, 'a.example:8443')).toEqual({
      icon: { type: 'image/png', bytes: expect.any(Uint8Array) },
      fetchedAt: NOW,
    })
    const stored = await findStored(database, 'a.example:8443')
    expect(Buffer.from(stored?.icon?.bytes ?? [])).toEqual(Buffer.from(ICON.bytes))
  })

  test('L39.2: that a site has no icon is stored, but never over an icon that it had', async () => {
    const answers: (Icon | null)[] = [null, ICON, null]
    const { database, newQueue } = await open({ fetchFavicon: async () => answers.shift() ?? null })
    const after = async (now: number) => {
      const queue = newQueue({ now: () => now })
      queue.enqueue('ann', new URL('https://a.example/'))
      await new Promise(setImmediate)
      await queue.close()
      const { icon, fetchedAt } = (await findStored(database, 'a.example')) ?? {}
      return [icon?.type, fetchedAt]
    }
    expect([await after(NOW), await after(NOW + 1), await after(NOW + 2)]).toEqual([
      [undefined, NOW],
      ['image/png', NOW + 1],
      ['image/png', NOW + 2],
    ])
  })

  test('L39.2: beyond the bound, the hosts that were fetched the longest time ago are deleted', async () => {
    const { stored, newQueue } = await open({ fetchFavicon: async () => ICON })
    for (let n = 0; n < 5; n++) {
      const queue = newQueue({ maxHosts: 3, now: () => NOW + n })
      queue.enqueue('ann', new URL(`https://${n}.example/`))
      await new Promise(setImmediate)
      await queue.close()
    }
    expect(await stored.rows('select host from favicon order by host')).toEqual(
      ['2.example', '3.example', '4.example'].map((host) => ({ host })),
    )
  })

  test('L39.2: a fetch that a stop aborts stores nothing', async () => {
    const { fetches, fetchFavicon } = heldFetcher()
    const { stored, queue } = await open({ fetchFavicon })
    queue.enqueue('ann', new URL('https://a.example/'))
    await queue.close()
    queue.enqueue('ann', new URL('https://b.example/'))
    expect([fetches.length, await stored.rows('select * from favicon')]).toEqual([1, []])
  })

  test('L39.2: the database refuses an icon of more than 16 KiB, and one without a type', async () => {
    const { database } = await open({ fetchFavicon: async () => null })
    const insert = (type: string | null, bytes: Uint8Array | null) =>
      database.write((tx) =>
        tx.insertInto('favicon').values({ host: 'a.example', type, bytes, fetched_at: NOW }).execute(),
      )
    expect(insert('image/png', Buffer.alloc(16_385))).rejects.toThrow()
    expect(insert(null, Buffer.alloc(1))).rejects.toThrow()
    expect(insert('image/png', null)).rejects.toThrow()
    await insert('image/png', Buffer.alloc(16_384))
  })
})
