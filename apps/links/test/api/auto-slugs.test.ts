import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { randomSlug } from '../../src/links/slugs/generator.ts'
import { insertSlugs } from '../test-database.ts'
import { type TestLinks, startTestLinks } from '../testing.ts'

const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'
/** An eighth of the 32³ slugs of three symbols. */
const EIGHTH = 4096

function allSlugsOfThree(): string[] {
  const symbols = ALPHABET.split('')
  return symbols.flatMap((a) => symbols.flatMap((b) => symbols.map((c) => a + b + c)))
}

async function fill(links: TestLinks, linkId: number, slugs: readonly string[], clicks = 0): Promise<void> {
  await insertSlugs(
    links.database,
    slugs.map((slug) => ({ slug, link_id: linkId, is_custom: 1, created_at: 1, closed_clicks: clicks })),
  )
}

const preferThree = (links: TestLinks) =>
  links.callAdmin('PUT', '/settings', { body: { slug_default_length: 3 } })

test('L9.1: automatic slugs use only the 32 unambiguous symbols, each about equally often', () => {
  const counts = Map.groupBy(randomSlug(32_000), (symbol) => symbol)
  expect([...counts.keys()].toSorted().join('')).toBe(ALPHABET.split('').toSorted().join(''))
  for (const hits of counts.values()) expect(Math.abs(hits.length - 1000)).toBeLessThan(200)
})

/** Creates links and returns the lengths of their automatic slugs. */
const lengthOfNext =
  (links: TestLinks, key: string) =>
  async (fields: Record<string, unknown> = {}): Promise<number> =>
    (await links.createLink(key, fields)).slugs[0].slug.length

eachDialect((_dialect, newUrl, testOnSqlite) => {
  /**
   * Three is the default length. Four slugs of its eighth are free, too few to be drawn by chance.
   */
  async function nearlyFull() {
    const links = await startTestLinks(await newUrl())
    const admin = await links.key('admin@localhost')
    await preferThree(links)
    const { id } = await links.createLink(admin, { slug_length: 20 })
    const chosen = allSlugsOfThree().map(([, b, c], at) => `${'01lo'[at >> 10]}${b}${c}`)
    await fill(links, id, chosen.slice(0, EIGHTH - 4))
    return { links, admin, id, createdLength: lengthOfNext(links, admin) }
  }

  testOnSqlite(
    'L9.1: the length is the requested one, or else the default of the owner, or else four',
    async () => {
      const links = await startTestLinks(await newUrl())
      const admin = await links.key('admin@localhost')
      const createdLength = lengthOfNext(links, admin)
      expect(await createdLength()).toBe(4)
      await links.callAdmin('PUT', '/settings', { body: { slug_default_length: 11 } })
      expect(await createdLength()).toBe(11)
      expect(await createdLength({ slug_length: 6 })).toBe(6)
      const other = await links.key('ben@example.com')
      expect((await links.createLink(other)).slugs[0].slug).toHaveLength(4)
    },
  )

  test('L9.2: a default length is used while at most an eighth of it is takenSlugs, and skipped beyond', async () => {
    const links = await startTestLinks(await newUrl())
    const admin = await links.key('admin@localhost')
    await preferThree(links)
    const { id } = await links.createLink(admin, { slug_length: 20 })
    await fill(links, id, allSlugsOfThree().slice(0, EIGHTH))
    const createdLength = lengthOfNext(links, admin)
    // Two creations, because four collisions in a row, in one of 4096, also lead to four symbols.
    expect([await createdLength(), await createdLength()]).toContain(3)
    for (let made = 0; made < 5; made++) expect(await createdLength()).toBe(4)
  })

  testOnSqlite('custom slugs fill a default length as well, however they are created', async () => {
    const { links, admin, id, createdLength } = await nearlyFull()
    expect(await createdLength()).toBe(3)
    // The link has an automatic slug as well.
    await links.createLink(admin, { slug: 'a00' })
    await links.call('POST', `/links/${id}/slugs`, { key: admin, body: { slug: 'a01' } })
    await links.call('PUT', `/links/${id}`, { key: admin, body: { slug: 'a10' } })
    expect(await createdLength()).toBe(4)
  })

  testOnSqlite(
    'slugs of an import fill a default length at once, and those of a dry run do not',
    async () => {
      const { links, createdLength } = await nearlyFull()
      expect(await createdLength()).toBe(3)
      const importing = async (query: string) => {
        const rows = [
          'url,slug',
          'https://example.com/1,',
          'https://example.com/2,',
          'https://example.com/3,a00',
        ]
        const body = [...rows, 'https://example.com/4,a01'].join('\n')
        const response = await links.fetch(`/_/admin/api/import?format=csv${query}`, { method: 'POST', body })
        expect(await response.json()).toMatchObject({ imported: 4 })
      }
      await importing('&dry_run=true')
      expect(await createdLength()).toBe(3)
      await importing('')
      expect(await createdLength()).toBe(4)
    },
  )

  testOnSqlite(
    'L9.2: a requested length is not skipped, and creation continues when it is used up',
    async () => {
      const links = await startTestLinks(await newUrl())
      const key = await links.key('ann@example.com')
      const { id } = await links.createLink(key, { slug_length: 20 })
      await fill(links, id, allSlugsOfThree().slice(0, 2 * EIGHTH))
      const lengths = []
      for (let made = 0; made < 8; made++)
        lengths.push((await links.createLink(key, { slug_length: 3 })).slugs[0].slug.length)
      expect(lengths).toContain(3)
      await fill(links, id, await unusedOfThree(links))
      expect((await links.createLink(key, { slug_length: 3 })).slugs[0].slug).toHaveLength(4)
    },
  )

  test('L9.3: a clicked slug is never generated again after a forced delete, but a person may choose it', async () => {
    const links = await startTestLinks(await newUrl())
    const key = await links.key('ann@example.com')
    const all = allSlugsOfThree()
    const [clicked, takenSlugs] = [all.slice(0, all.length / 2), all.slice(all.length / 2)]
    const gone = await links.createLink(key, { slug_length: 20 })
    await fill(links, gone.id, clicked, 1)
    await fill(links, (await links.createLink(key, { slug_length: 20 })).id, takenSlugs)
    await links.call('DELETE', `/links/${gone.id}?force=true`, { key })
    // Half of all slugs of three symbols are taken, and half were clicked once.
    for (let made = 0; made < 5; made++)
      expect((await links.createLink(key, { slug_length: 3 })).slugs[0].slug).toHaveLength(4)
    const chosen = await links.createLink(key, { slug: clicked[0] as string })
    expect(chosen.slugs[1]).toMatchObject({ slug: clicked[0], click_count: 0 })
  })

  testOnSqlite(
    'a clicked slug is not generated again after its own removal, also if it was automatic',
    async () => {
      const links = await startTestLinks(await newUrl())
      const key = await links.key('ann@example.com')
      const { id, slugs } = await links.createLink(key, { slug: 'single' })
      for (const slug of ['single', slugs[0].slug]) await links.fetch(`/${slug}`)
      await links.call('DELETE', `/slugs/single?force=true`, { key })
      await links.call('DELETE', `/links/${id}?force=true`, { key })
      const retired = await links.rows<{ slug: string }>('select slug from retired_slug')
      expect(new Set(retired.map((row) => row.slug))).toEqual(new Set(['single', slugs[0].slug]))
    },
  )
})

async function unusedOfThree(links: TestLinks): Promise<string[]> {
  const takenSlugs = await links.rows<{ slug: string }>('select slug from slug where length(slug) = 3')
  const names = new Set(takenSlugs.map((row) => row.slug))
  return allSlugsOfThree().filter((slug) => !names.has(slug))
}
