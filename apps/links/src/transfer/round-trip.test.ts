import { describe, expect, test } from 'bun:test'
import type { Database } from '@latchkey/database/database'
import { eachDialect } from '@latchkey/database/testing'
import type { Insertable } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { type ExportedLink, exportText, importText, openMigrated, readExportedLinks } from './testing.ts'

const LABELS = [
  null,
  'Plain',
  'Commas, "quotes" and\nlines',
  '=1+1',
  "'=1+1",
  "it's",
  '−',
  '🔑 ключ',
  '-5 %',
  '\ufffd',
  'semicolon;=1+1',
  "semicolon;'=1+1",
  'tab\t@SUM(A1);;"-1',
]
const OWNERS = ['ada@example.com', 'admin@localhost', '+bob', 'Åsa Öberg']

/** Links in every possible state, written without the import. */
async function fill(database: Database<Tables>, count: number): Promise<void> {
  const links: Insertable<Tables['link']>[] = []
  const slugs: Insertable<Tables['slug']>[] = []
  for (let id = 1; id <= count; id++) {
    const created_at = 1_600_000_000 + (id % 1000)
    const custom = Array.from({ length: id % 4 }, (_, at) => `c${at}.${id}`)
    const isOff = (at: number) => at === 1 && id % 3 === 0
    links.push({
      id,
      url: `https://example.com/${id % 100 === 0 ? 'same' : id}?q=${id % 7};=1#f`,
      url_key: id,
      host: '',
      label: LABELS[id % LABELS.length] ?? null,
      expires_at: [null, 0, 1_700_000_000, 4_000_000_000][id % 4] ?? null,
      disabled_at: id % 5 === 0 ? created_at + 9 : null,
      created_via: 'api',
      created_by: OWNERS[id % OWNERS.length] ?? '',
      created_at,
      primary_slug: custom[id % 11 === 0 ? 9 : 0] ?? `a${id}`,
      search_text: '',
    })
    slugs.push({
      slug: `a${id}`,
      link_id: id,
      is_custom: 0,
      created_at,
      disabled_at: null,
      closed_clicks: id % 3,
    })
    custom.forEach((slug, at) =>
      slugs.push({
        slug,
        link_id: id,
        is_custom: 1,
        created_at: created_at + at,
        disabled_at: isOff(at) ? created_at + 5 : null,
        closed_clicks: at,
      }),
    )
  }
  await database.write(async (tx) => {
    for (let at = 0; at < links.length; at += 1000)
      await tx
        .insertInto('link')
        .values(links.slice(at, at + 1000))
        .execute()
    for (let at = 0; at < slugs.length; at += 1000)
      await tx
        .insertInto('slug')
        .values(slugs.slice(at, at + 1000))
        .execute()
  })
}

/** CSV contains whether a slug is disabled, but not when it was created or disabled. */
function withoutSlugTimes(links: readonly ExportedLink[]) {
  return links.map(({ created_via: _, ...link }) => ({
    ...link,
    slugs: link.slugs
      .map(({ slug, is_custom, is_primary, disabled_at }) => ({
        slug,
        is_custom,
        is_primary,
        isDisabled: disabled_at !== null,
      }))
      .toSorted((a, b) => a.is_custom - b.is_custom || (a.slug < b.slug ? -1 : 1)),
  }))
}

eachDialect((dialect, newUrl) => {
  // PostgreSQL answers each statement of a row over a connection.
  const count = dialect === 'sqlite' ? 10_000 : 2_000

  describe('export, then import into an empty instance', () => {
    test(`L21.7 preserves ${count} links with their slugs, states and owners`, async () => {
      const from = await openMigrated(await newUrl())
      await fill(from, count)
      const expected = await readExportedLinks(from)
      expect(expected).toHaveLength(count)

      const ndjson = await exportText(from)
      const byNdjson = await openMigrated(await newUrl())
      const report = await importText(byNdjson, ndjson, {
        format: 'ndjson',
        owner: 'nobody',
        pieceBytes: 65_536,
      })
      expect(report).toMatchObject({ imported: count, skipped: 0, conflicts: 0, bad: 0 })
      expect(await readExportedLinks(byNdjson)).toEqual(
        expected.map((link) => ({ ...link, created_via: 'import' })),
      )
      const again = await importText(byNdjson, ndjson, { format: 'ndjson', pieceBytes: 65_536 })
      expect(again).toMatchObject({ imported: 0, skipped: count, conflicts: 0, bad: 0 })
      await byNdjson.close()

      const byCsv = await openMigrated(await newUrl())
      const csv = await exportText(from, 'csv')
      expect(await importText(byCsv, csv, { owner: 'nobody', pieceBytes: 65_536 })).toMatchObject({
        imported: count,
        skipped: 0,
        conflicts: 0,
        bad: 0,
      })
      expect(withoutSlugTimes(await readExportedLinks(byCsv))).toEqual(withoutSlugTimes(expected))
      await Promise.all([from.close(), byCsv.close()])
    }, 60_000)
  })
})
