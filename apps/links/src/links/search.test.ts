import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import * as fc from 'fast-check'
import { sql } from 'kysely'
import { NOW, TestDatabase, closeAfterEach } from '../../test/test-database.ts'
import { addMembers, deleteBundleRow, insertBundle, removeMember, updateBundleRow } from '../bundles/store.ts'
import { listLinkPositions, resolveSearch, selectByWords } from './list.ts'
import { insertSlug, removeSlug, setPrimarySlug } from './slugs/store.ts'
import { deleteLinkRow, lockLinkForWrite, updateLinkRow } from './store.ts'

const { closeLater } = closeAfterEach()

const WORDS = ['black', 'friday', 'Österlånggatan', 'a', '北京', 'ba-na']
const QUERIES = [
  ...WORDS,
  'ack rid',
  'friday black',
  'na österlång',
  'example.com fri',
  'zzz',
  '京',
  'bl fr ba',
]
const SLUGS = ['black-friday', 'banana', 'fri.day']
const LINKS = 4

type Write = (stored: TestDatabase) => Promise<unknown>

const linkIds = fc.integer({ min: 1, max: LINKS })
const bundleIds = fc.integer({ min: 1, max: 2 })
const texts = fc.array(fc.constantFrom(...WORDS), { maxLength: 3 }).map((words) => words.join(' '))

/** Writes of every kind that changes what a search finds. */
const writes: fc.Arbitrary<Write> = fc.oneof(
  fc.tuple(linkIds, texts).map(
    ([id, label]) =>
      (stored: TestDatabase) =>
        change(stored, id, async (tx, row) => updateLinkRow(tx, row, { label: label || null }, NOW)),
  ),
  fc.tuple(linkIds, fc.constantFrom(...SLUGS)).map(
    ([id, slug]) =>
      (stored: TestDatabase) =>
        change(stored, id, (tx) =>
          insertSlug(tx, { slug, link_id: id, is_custom: 1, created_at: NOW, disabled_at: null }),
        ),
  ),
  fc.constantFrom(...SLUGS).map((slug) => async (stored: TestDatabase) => {
    const [row] = await stored.rows<{ link_id: number }>(`select link_id from slug where slug = '${slug}'`)
    if (row)
      await stored.database.write((tx) => removeSlug(tx, stored.database, { link_id: row.link_id, slug }))
  }),
  fc.tuple(bundleIds, texts, fc.boolean()).map(
    ([id, name, isArchived]) =>
      (stored: TestDatabase) =>
        stored.recorded.write((tx) =>
          updateBundleRow(tx, id, { name, archived_at: isArchived ? NOW : null }),
        ),
  ),
  fc.tuple(bundleIds, linkIds).map(
    ([bundle, id]) =>
      (stored: TestDatabase) =>
        change(stored, id, (tx) => addMembers(tx, [{ bundle_id: bundle, link_id: id }])),
  ),
  fc.tuple(bundleIds, linkIds).map(
    ([bundle, id]) =>
      (stored: TestDatabase) =>
        stored.recorded.write((tx) => removeMember(tx, bundle, id)),
  ),
  linkIds.map(
    (id) => (stored: TestDatabase) => change(stored, id, (tx) => deleteLinkRow(tx, stored.database, id)),
  ),
)

type Tx = Parameters<Parameters<TestDatabase['database']['write']>[0]>[0]

/** Changes the link if it is still there. */
function change(
  { database, recorded }: TestDatabase,
  id: number,
  work: (tx: Tx, row: NonNullable<Awaited<ReturnType<typeof lockLinkForWrite>>>) => Promise<unknown>,
) {
  return recorded.write(async (tx) => {
    const row = await lockLinkForWrite(tx, database, id)
    if (row) await work(tx, row)
  })
}

/** The ids of the links that match, found by reading everything. Newest first. */
async function scan(stored: TestDatabase, search: string): Promise<number[]> {
  const links = await stored.rows<{ id: number; url: string; about: string }>(
    `select id, url, coalesce(label, '') || ' ' || created_by as about from link`,
  )
  const slugs = await stored.rows<{ link_id: number; slug: string }>('select link_id, slug from slug')
  const bundles = await stored.rows<{ link_id: number; name: string }>(`select link_id, name from bundle_link
    join bundle on bundle.id = bundle_id where archived_at is null`)
  const matches = links.filter(({ id, ...fields }) => {
    const parts = [
      ...Object.values(fields),
      ...slugs.filter(({ link_id }) => link_id === id).map(({ slug }) => slug),
      ...bundles.filter(({ link_id }) => link_id === id).map(({ name }) => name),
    ].map((part) => part.toLowerCase())
    return search.split(' ').every((word) => parts.some((part) => part.includes(word.toLowerCase())))
  })
  return matches.map(({ id }) => id).toSorted((a, b) => b - a)
}

eachDialect((dialect, newUrl) => {
  async function open(): Promise<TestDatabase> {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    await stored.recorded.write(async (tx) => {
      for (const name of ['Black', 'friday sale'])
        await insertBundle(tx, { name, accent: 'red', created_by: 'ann', created_at: NOW, updated_at: NOW })
    })
    for (let n = 1; n <= LINKS; n++) await stored.createLink(`auto${n}`, `own-${n}`)
    return stored
  }

  test('L6.9: a search finds exactly the links that match, after any writes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(writes, { minLength: 1, maxLength: 12 }), async (list) => {
        const stored = await open()
        for (const write of list) await write(stored)
        for (const search of QUERIES) {
          const expected = await scan(stored, search)
          const filter = { search, status: 'all' } as const
          const listed = await listLinkPositions(stored.database, { ...filter, limit: 10 }, NOW)
          expect([search, listed.map(({ id }) => id)]).toEqual([search, expected])
          const resolved = await resolveSearch(stored.database, { ...filter, limit: 10 }, NOW)
          const few = await listLinkPositions(stored.database, resolved, NOW)
          expect([search, few.map(({ id }) => id)]).toEqual([search, expected])
          const indexed = await selectByWords(stored.database, filter, NOW)
          const rows = await indexed.select('link.id').execute()
          expect([search, rows.map(({ id }) => id).toSorted((a, b) => b - a)]).toEqual([search, expected])
        }
        if (dialect === 'sqlite')
          await stored.run(sql`insert into link_trigram (link_trigram, rank) values ('integrity-check', 1)`)
        await stored.database.close()
      }),
      { numRuns: dialect === 'sqlite' ? 20 : 6 },
    )
  }, 60_000)

  test('concurrent additions of slugs to one link are all found', async () => {
    const stored = await open()
    const slugs = Array.from({ length: 8 }, (_, n) => `together-${n}`)
    const add = (slug: string) =>
      stored.database.write((tx) =>
        insertSlug(tx, { slug, link_id: 1, is_custom: 1, created_at: NOW, disabled_at: null }),
      )
    await Promise.all(slugs.map(add))
    for (const search of slugs) {
      const listed = await listLinkPositions(stored.database, { search, status: 'all', limit: 2 }, NOW)
      expect([search, listed.map(({ id }) => id)]).toEqual([search, [1]])
    }
  })

  test('a word is found through the index, without a scan of all documents', async () => {
    const stored = await open()
    const search = await selectByWords(stored.database, { search: 'friday', status: 'all' }, NOW)
    const query = search.select('link.id').compile()
    const explained = { ...query, sql: `explain ${dialect === 'sqlite' ? 'query plan ' : ''}${query.sql}` }
    const { rows } = await stored.database.read.executeQuery(explained)
    const plan = JSON.stringify(rows)
    expect(plan).toMatch(/SCAN link_trigram VIRTUAL TABLE INDEX|Bitmap Index Scan on link_trigram/)
    expect(plan).not.toMatch(/SCAN link_search|Seq Scan on link_search/)
  })

  if (dialect === 'sqlite')
    test('a slug that is added is indexed without the other slugs of its link', async () => {
      const stored = await open()
      const add = (slugs: string[]) =>
        stored.database.write(async (tx) => {
          for (const slug of slugs)
            await insertSlug(tx, { slug, link_id: 1, is_custom: 1, created_at: NOW, disabled_at: null })
        })
      const size = async () =>
        (await stored.rows<{ bytes: number }>('select sum(length(block)) as bytes from link_trigram_data'))[0]
          ?.bytes ?? 0
      await add(Array.from({ length: 300 }, (_, n) => `${(n * 7919).toString(36)}-slug-${n}`))
      await stored.run(sql`insert into link_trigram (link_trigram) values ('optimize')`)
      const before = await size()
      expect(before).toBeGreaterThan(5_000)
      await add(['added-last'])
      expect((await size()) - before).toBeLessThan(500)
      await stored.run(sql`insert into link_trigram (link_trigram, rank) values ('integrity-check', 1)`)
      await stored.run(sql`delete from slug where slug = 'added-last'`)
      expect(
        await listLinkPositions(stored.database, { search: 'added-la', status: 'all', limit: 2 }, NOW),
      ).toEqual([])
      await stored.run(sql`insert into link_trigram (link_trigram, rank) values ('integrity-check', 1)`)
    })

  test('a link that is deleted leaves nothing in the index', async () => {
    const stored = await open()
    await stored.recorded.write(async (tx) => {
      await lockLinkForWrite(tx, stored.database, 1)
      await setPrimarySlug(tx, 1, 'own-1')
      await deleteLinkRow(tx, stored.database, 1)
      await deleteBundleRow(tx, 1)
    })
    expect(await stored.rows('select link_id from link_search where link_id = 1')).toEqual([])
    if (dialect === 'sqlite')
      await stored.run(sql`insert into link_trigram (link_trigram, rank) values ('integrity-check', 1)`)
  })
})
