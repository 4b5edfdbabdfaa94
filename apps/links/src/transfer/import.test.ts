import { describe, expect, test } from 'bun:test'
import type { Database } from '@latchkey/database/database'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import { until } from '../../test/test-database.ts'
import type { Tables } from '../db/tables.ts'
import { savePreferences } from '../preferences/store.ts'
import { importLinks } from './import.ts'
import { OWNER, failureOf, importText, openMigrated, rolesOf, readExportedLinks } from './testing.ts'

eachDialect((dialect, newUrl) => {
  const open = async () => openMigrated(await newUrl())

  describe('import', () => {
    test('L24.18: stores the good rows and reports every other one with its line and reason', async () => {
      const database = await open()
      const { rows, ...report } = await importText(
        database,
        `url,slug,label,created_at
https://example.com/1,one,,
javascript:alert(1),js,,
"https://example.com/2
",two,"a
b",
not a url,x,,
https://example.com/3,under_,,
https://example.com/4,favicon.ico,,
https://example.com/5,five,${'x'.repeat(501)},
https://example.com/6,six,,tomorrow
https://example.com/7
data:text/html;x,data,,
https://example.com/8,eight,,
`,
      )
      expect(report).toEqual({
        imported: 5,
        skipped: 0,
        conflicts: 0,
        bad: 6,
        clickTotals: null,
        bundles: 0,
        legacyPaths: 0,
        notes: { field_cut: 1, field_dropped: 1 },
        caseConflicts: { count: 0, first: [] },
      })
      expect(rows.map(({ line, result, reason }) => [line, result, reason])).toEqual([
        [2, 'imported', undefined],
        [3, 'bad', 'url must use http or https'],
        [4, 'imported', undefined],
        [7, 'bad', 'url must be a valid URL'],
        [
          8,
          'bad',
          'slug "under_": Custom slug must start and end with a letter or number; allowed symbols in the middle: . _ ~ -',
        ],
        [9, 'bad', 'slug "favicon.ico": Slug is reserved'],
        [10, 'imported', 'label: was cut to 500'],
        [11, 'imported', 'created_at: is not valid, and was left out'],
        [12, 'bad', 'has 1 fields, but the header has 4'],
        [13, 'bad', 'url must use http or https'],
        [14, 'imported', undefined],
      ])
      const urls = (await readExportedLinks(database)).map(({ url }) => url)
      expect(urls).toEqual([1, 2, 5, 6, 8].map((at) => `https://example.com/${at}`))
      await database.close()
    })

    test('L21.3: the same file again adds nothing, with rows of any kind', async () => {
      const database = await open()
      const csv = `url,slug,auto_slug,custom_slugs,disabled_slugs,expires_at,disabled_at
https://example.com/slug,one,,,,,
https://example.com/all,two,ab3d,two three,three,,
https://example.com/auto,,cd4e,,,,
https://example.com/none,,,,,,
https://example.com/none,,,,,,
https://example.com/expired,,,,,0,
https://example.com/disabled,,,,,,5
https://example.com/off,off,,,off,,
`
      expect(await importText(database, csv)).toMatchObject({ imported: 7, skipped: 1, conflicts: 0, bad: 0 })
      const before = await readExportedLinks(database)
      expect(await importText(database, csv)).toMatchObject({ imported: 0, skipped: 8, conflicts: 0, bad: 0 })
      expect(await readExportedLinks(database)).toEqual(before)
      await database.close()
    })

    test('a slug with another destination is a conflict, also one that differs only in case, and changes nothing', async () => {
      const database = await open()
      await importText(database, 'url,slug\nhttps://example.com/first,Promo\n')
      const before = await readExportedLinks(database)
      const { rows, ...report } = await importText(
        database,
        'url,slug,custom_slugs\nhttps://example.com/x,PROMO,\nhttps://example.com/first/,promo,\nhttps://example.com/y,new,new promo\n',
        { owner: 'bob@example.com' },
      )
      expect(report).toMatchObject({ imported: 0, skipped: 1, conflicts: 2, bad: 0 })
      expect(rows[0]).toEqual({
        line: 2,
        result: 'conflict',
        slug: 'promo',
        url: 'https://example.com/x',
        reason:
          'slug "promo" already redirects to https://example.com/first; "PROMO" differs from "promo" only in case: its visitors land at https://example.com/first',
        reasons: [
          { code: 'slug_taken', slug: 'promo', url: 'https://example.com/first' },
          { code: 'slug_case', slug: 'PROMO', other_slug: 'promo', url: 'https://example.com/first' },
        ],
      })
      expect(await readExportedLinks(database)).toEqual(before)
      await database.close()
    })

    test('L21.13: short URLs that differ only in case are listed with where their visitors would land', async () => {
      const file = `keyword,url
aB1,https://example.com/first
ab1,https://example.com/second
AB1,https://example.com/third
AB1,https://example.com/first
cD,https://example.com/same
Cd,https://example.com/same
ef,https://example.com/plain
ef,https://example.com/other
`
      const expected = {
        count: 2,
        first: [
          { line: 3, slug: 'ab1', other_slug: 'aB1', url: 'https://example.com/first' },
          { line: 4, slug: 'AB1', other_slug: 'aB1', url: 'https://example.com/first' },
        ],
      }
      const database = await open()
      for (const dryRun of [true, false])
        expect(await importText(database, file, { format: 'yourls', dryRun })).toMatchObject({
          imported: 3,
          skipped: 2,
          conflicts: 3,
          caseConflicts: expected,
        })
      expect(await importText(database, file, { format: 'yourls' })).toMatchObject({
        imported: 0,
        caseConflicts: expected,
      })
      await database.close()
    })

    test('L26.7f, L26.5: rows that would lead visitors back to themselves are refused, by a dry run as well', async () => {
      const database = await open()
      const domains = { hosts: ['l.example'], defaultHost: 'go.example', target: null }
      await importText(database, 'url,slug\nhttps://go.example/free,old\n', { domains })
      const csv = `url,slug,behaviour
https://example.com/,plain,
https://go.example/b,a,
https://example.com/,b,"{""after_url"":""https://go.example/A?x=1""}"
https://go.example/old,free,
https://go.example/plain,longer,
https://go.example/self,self,
https://l.example/self,other,
`
      for (const dryRun of [true, false]) {
        const { rows, imported } = await importText(database, csv, { domains, dryRun })
        expect(imported).toBe(3)
        expect(rows.map(({ line, result }) => [line, result])).toEqual([
          [2, 'imported'],
          [3, 'bad'],
          [4, 'bad'],
          [5, 'bad'],
          [6, 'imported'],
          [7, 'bad'],
          [8, 'imported'],
        ])
        expect(rows[1]).toMatchObject({
          reason: 'The link would lead visitors back to itself',
          reasons: [{ code: 'redirect_loop' }],
        })
      }
      const slugs = (await readExportedLinks(database)).flatMap((link) => rolesOf(link).primary)
      expect(slugs).toEqual(['old', 'plain', 'longer', 'other'])
      await database.close()
    })

    test('slugs of one file that differ only in case collide and are reported', async () => {
      const database = await open()
      const report = await importText(
        database,
        'keyword,url\nabc,https://example.com/1\naBc,https://example.com/2\nABC,https://example.com/3\n',
        { format: 'yourls' },
      )
      expect(report).toMatchObject({ imported: 1, conflicts: 2 })
      await database.close()
    })

    test('an automatic slug that is taken is replaced with a new one, which is reported', async () => {
      const database = await open()
      await importText(database, 'url,auto_slug\nhttps://example.com/x,ab3d\n')
      const { rows } = await importText(database, 'url,slug,auto_slug\nhttps://example.com/y,promo,ab3d\n')
      expect(rows[0]).toMatchObject({
        result: 'imported',
        slug: 'promo',
        reason: 'automatic slug "ab3d" is taken, the link gets a new one',
      })
      const [, second] = await readExportedLinks(database)
      expect(rolesOf(second).auto).toHaveLength(1)
      expect(rolesOf(second).auto).not.toEqual(['ab3d'])
      await database.close()
    })

    test('rows without slugs get slugs of the length that the owner prefers', async () => {
      const database = await open()
      await importText(database, 'url\nhttps://example.com/a\n')
      await database.write((tx) => savePreferences(tx, OWNER, { slug_default_length: 7 }))
      await importText(database, 'url\nhttps://example.com/b\n')
      expect((await readExportedLinks(database)).map(({ slugs }) => slugs[0]?.slug.length)).toEqual([4, 7])
      await database.close()
    })

    test('a dry run reports the results of a run, across batches, and stores nothing', async () => {
      const database = await open()
      await importText(database, 'url,slug\nhttps://example.com/there,there\n')
      const before = await readExportedLinks(database)
      const many = Array.from({ length: 600 }, (_, at) => `https://example.com/${at},s${at}`).join('\n')
      const csv = `url,slug\nhttps://example.com/there,there\nhttps://example.com/x,there\n${many}\nhttps://example.com/y,s0\nhttps://example.com/1,S1\nftp://example.com,z\n`
      const dry = await importText(database, csv, { dryRun: true, pieceBytes: 1000 })
      expect(dry).toMatchObject({ imported: 600, skipped: 2, conflicts: 2, bad: 1 })
      expect(await readExportedLinks(database)).toEqual(before)
      const run = await importText(database, csv, { pieceBytes: 1000 })
      expect(run).toEqual(dry)
      expect(await readExportedLinks(database)).toHaveLength(601)
      await database.close()
    })

    test('two imports of one file at once store each row once', async () => {
      const url = await newUrl()
      const [first, second] = [await openMigrated(url), await openMigrated(url)]
      // The hyphen excludes a match with a generated slug.
      const rows = Array.from({ length: 1500 }, (_, at) =>
        at % 3 === 0 ? `https://example.com/${at},` : `https://example.com/${at},s-${at}`,
      )
      const csv = `url,slug\n${rows.join('\n')}\n`
      const reports = await Promise.all([
        importText(first, csv, { pieceBytes: 5000 }),
        importText(second, csv, { pieceBytes: 5000 }),
      ])
      expect(reports.map(({ conflicts, bad }) => [conflicts, bad])).toEqual([
        [0, 0],
        [0, 0],
      ])
      expect(reports.reduce((sum, { imported }) => sum + imported, 0)).toBe(1500)
      expect(reports.reduce((sum, { skipped }) => sum + skipped, 0)).toBe(1500)
      expect(await readExportedLinks(first)).toHaveLength(1500)
      await Promise.all([first.close(), second.close()])
    })

    // SQLite has one writer, so this moment does not exist.
    const onPostgres = dialect === 'postgres' ? test : () => undefined
    onPostgres(
      'a slug that another writer takes while its batch is stored is a conflict, and the rest is stored',
      async () => {
        const url = await newUrl()
        const [database, rival] = [await openMigrated(url), await openMigrated(url)]
        const [slugTaken, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
        const rivalry = rival.write(async (tx) => {
          await sql`insert into link (url, url_key, created_by, created_at, primary_slug, search_text)
            values ('https://rival.test', 1, 'bob', 1, 'promo', '')`.execute(tx)
          await sql`insert into slug (slug, link_id, is_custom, created_at) select 'promo', id, 1, 1 from link`.execute(
            tx,
          )
          slugTaken.resolve()
          await gate.promise
        })
        await slugTaken.promise
        const importing = importText(
          database,
          'url,slug\nhttps://example.com/a,a\nhttps://example.com/b,promo\n',
        )
        await until('the import waits', () => isWaiting(database))
        gate.resolve()
        await rivalry
        expect(await importing).toMatchObject({ imported: 1, conflicts: 1, bad: 0 })
        expect((await readExportedLinks(database)).map(({ url: target }) => target)).toEqual([
          'https://rival.test',
          'https://example.com/a',
        ])
        await Promise.all([database.close(), rival.close()])
      },
    )

    test('a file that breaks off keeps the stored rows, and importing it again adds the rest', async () => {
      const database = await open()
      const lines = Array.from({ length: 1200 }, (_, at) => `https://example.com/${at},s${at}\n`)
      async function* breaking() {
        yield new TextEncoder().encode(`url,slug\n${lines.slice(0, 700).join('')}`)
        throw new Error('the disk is gone')
      }
      const options = { database, source: breaking(), format: 'csv', owner: OWNER, now: 1 } as const
      expect(await failureOf(importLinks(options))).toContain('the disk is gone')
      expect((await readExportedLinks(database)).length).toBe(500)
      const report = await importText(database, `url,slug\n${lines.join('')}`, { pieceBytes: 10_000 })
      expect(report).toMatchObject({ imported: 700, skipped: 500, conflicts: 0, bad: 0 })
      await database.close()
    })

    test('every imported link redirects with exactly one automatic and one primary slug', async () => {
      const database = await open()
      const rows = Array.from(
        { length: 1000 },
        (_, at) => `https://example.com/${at},${at % 2 ? `S${at}` : ''},${at % 5 ? '' : `a${at}`}`,
      )
      await importText(database, `url,slug,auto_slug\n${rows.join('\n')}\n`, { pieceBytes: 10_000 })
      for (const link of await readExportedLinks(database)) {
        const { auto, primary } = rolesOf(link)
        expect([auto.length, primary.length]).toEqual([1, 1])
      }
      await database.close()
    })
  })
})

async function isWaiting(database: Database<Tables>): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like 'insert into "slug"%'`.execute(
    database.read,
  )
  return rows.length > 0
}
