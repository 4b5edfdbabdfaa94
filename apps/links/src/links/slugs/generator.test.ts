import { afterEach, expect, mock, spyOn, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { type KyselyPlugin } from 'kysely'
import { TestDatabase, closeAfterEach, insertSlugs } from '../../../test/test-database.ts'
import { SlugSpace } from './generator.ts'

const { closeLater } = closeAfterEach()

afterEach(() => mock.restore())

eachDialect((_dialect, newUrl) => {
  test('few slugs are counted again after a minute, many after longer, and sooner near the limit', async () => {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const linkId = await stored.createLink('auto')
    const addSlugs = (length: number, count: number, first = 0) =>
      insertSlugs(
        stored.database,
        Array.from({ length: count }, (_, n) => ({
          link_id: linkId,
          is_custom: 1,
          created_at: 1,
          slug: (first + n).toString(36).padStart(length, '0'),
        })),
      )
    const use = new SlugSpace()
    let nowMs = 0
    spyOn(performance, 'now').mockImplementation(() => nowMs)
    /** Returns the chosen length, and the number of counts that this took. */
    const roomy = (length: number) =>
      stored.database.write(async (tx) => {
        let counts = 0
        const counting: KyselyPlugin = {
          transformQuery: ({ node }) => node,
          async transformResult({ result }) {
            counts++
            return result
          },
        }
        const freeLength = await use.findLength(tx.withPlugin(counting), null, length)
        return [freeLength, counts]
      })
    await addSlugs(3, 4_000)
    await addSlugs(4, 40_000)
    expect([await roomy(3), await roomy(4)]).toEqual([
      [3, 1],
      [4, 1],
    ])
    // Another process adds some.
    await addSlugs(3, 97, 4_000)
    nowMs = 59_000
    expect(await roomy(3)).toEqual([3, 0])
    nowMs = 61_000
    expect([await roomy(3), await roomy(4)]).toEqual([
      [4, 1],
      [4, 0],
    ])
    nowMs = 60_000 + 40_000 * 4 + 1_000
    expect(await roomy(4)).toEqual([4, 1])
  })
})
