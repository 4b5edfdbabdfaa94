import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import type { KyselyPlugin } from 'kysely'
import { NOW, Stored, closedAfterEach } from '../../test/durability/stored.ts'
import { unfiltered } from '../analytics/filters.ts'
import { removeSlug, setPrimarySlug } from '../slugs/store.ts'
import { readLinks } from './store.ts'

const { keep } = closedAfterEach()

eachDialect((_dialect, newUrl) => {
  test('a link that changes while it is read has exactly one primary slug', async () => {
    const stored = keep(await Stored.open(await newUrl()))
    const id = await stored.link('auto', 'mine')
    await stored.database.write((tx) => setPrimarySlug(tx, id, 'mine'))
    // Somebody removes the primary slug between the statements.
    let removal: Promise<void> | undefined
    const between: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (result.rows.length > 0)
          await (removal ??= stored.database.write(async (tx) => {
            await setPrimarySlug(tx, id, 'auto')
            await removeSlug(tx, stored.database, { link_id: id, slug: 'mine' })
          }))
        return result
      },
    }
    const database = { ...stored.database, read: stored.database.read.withPlugin(between) }
    const sight = { now: NOW, filters: unfiltered }
    const [torn] = await readLinks(database, [id], sight)
    expect(removal).toBeDefined()
    expect(torn?.slugs.filter((slug) => slug.is_primary === 1)).toHaveLength(1)
    const [after] = await readLinks(stored.database, [id], sight)
    expect(after?.slugs.map(({ slug, is_primary }) => [slug, is_primary])).toEqual([['auto', 1]])
  })
})
