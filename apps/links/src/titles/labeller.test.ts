import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { createLog } from '@latchkey/http/log'
import { Stored, closedAfterEach } from '../../test/durability/stored.ts'
import { Labeller } from './labeller.ts'

const { keep } = closedAfterEach()

eachDialect((_dialect, newUrl) => {
  test('while draining nothing more is fetched, and closing ends the fetches that run', async () => {
    const { database } = keep(await Stored.open(await newUrl()))
    const fetches: { url: string; answer: (title: null) => void }[] = []
    const fetchTitle = (url: string, ending?: AbortSignal) => {
      const { promise, resolve } = Promise.withResolvers<null>()
      fetches.push({ url, answer: resolve })
      ending?.addEventListener('abort', () => resolve(null))
      return promise
    }
    const labeller = new Labeller(database, fetchTitle, createLog({ write: () => {} }))
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
