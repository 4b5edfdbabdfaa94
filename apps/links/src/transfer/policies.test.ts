import { describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import type { Database } from '@latchkey/database/database'
import type { Tables } from '../db/tables.ts'
import { importLinks } from './import.ts'
import type { ImportOptions } from './import-job.ts'
import { NOW, OWNER, fileOf, openMigrated, rolesOf, readExportedLinks } from './testing.ts'

type RunOptions = Partial<Omit<ImportOptions, 'database' | 'source'>>

async function run(database: Database<Tables>, csv: string, options: RunOptions = {}) {
  const rows: string[] = []
  const report = await importLinks({
    database,
    source: fileOf(csv, 65_536),
    format: 'csv',
    owner: OWNER,
    now: NOW,
    onRow: ({ result, slug, reason }) => void rows.push([result, slug, reason].filter(Boolean).join(': ')),
    ...options,
  })
  return { report, rows }
}

const policy = (onConflict: 'skip' | 'rename' | 'overwrite') => ({
  policy: { onConflict, sameUrl: 'keep' as const },
})

eachDialect((_dialect, newUrl) => {
  const withPromo = async () => {
    const database = await openMigrated(await newUrl())
    await run(database, 'url,slug,label\nhttps://example.com/old,promo,Old\n')
    return database
  }
  const FILE = 'url,slug,label\nhttps://example.com/new,promo,New\nhttps://example.com/more,PROMO,\n'

  describe('a row whose slug has another destination', () => {
    test('is skipped with the policy skip', async () => {
      const database = await withPromo()
      const { report } = await run(database, FILE, policy('skip'))
      expect(report).toMatchObject({ imported: 0, skipped: 2, conflicts: 0 })
      expect(await readExportedLinks(database)).toHaveLength(1)
      await database.close()
    })

    test('is renamed with the policy rename, and gets the same slug in a second run', async () => {
      const database = await withPromo()
      const first = await run(database, FILE, policy('rename'))
      expect(first.rows).toEqual([
        'imported: promo-2: slug "promo" is taken, the link gets "promo-2"',
        'imported: promo-3: slug "promo" is taken, the link gets "promo-3"; "PROMO" differs from "promo" only in case: its visitors land at https://example.com/old',
      ])
      const links = await readExportedLinks(database)
      expect(links.map((link) => [link.url, rolesOf(link).primary])).toEqual([
        ['https://example.com/old', ['promo']],
        ['https://example.com/new', ['promo-2']],
        ['https://example.com/more', ['promo-3']],
      ])
      expect((await run(database, FILE, policy('rename'))).report).toMatchObject({ imported: 0, skipped: 2 })
      expect(await readExportedLinks(database)).toEqual(links)
      await database.close()
    })

    test('gets a slug that neither the row nor any link has, and the rows after it are imported', async () => {
      const database = await withPromo()
      await run(database, 'url,slug\nhttps://example.com/other,spring-2-2\nhttps://example.com/old,spring\n')
      const file = [
        'url,custom_slugs,auto_slug',
        'https://example.com/a,promo promo-2,',
        'https://example.com/b,promo,promo-4',
        'https://example.com/c,spring,',
        'https://example.com/d,spring-2,',
        'https://example.com/e,good,',
      ].join('\n')
      const { report } = await run(database, file, policy('rename'))
      expect(report).toMatchObject({ imported: 5 })
      const links = (await readExportedLinks(database)).slice(3)
      expect(links.map((link) => rolesOf(link).custom)).toEqual([
        ['promo-2', 'promo-3'],
        ['promo-5'],
        ['spring-2'],
        ['spring-2-3'],
        ['good'],
      ])
      expect((await run(database, file, policy('rename'))).report).toMatchObject({ imported: 0, skipped: 5 })
      await database.close()
    })

    test('overwrites the link with the policy overwrite, unless it has another owner', async () => {
      const database = await withPromo()
      await run(database, 'url,slug,created_by\nhttps://example.com/bob,bobs,bob@example.com\n')
      const file = 'url,slug,label\nhttps://example.com/new,promo,New\nhttps://example.com/x,bobs,\n'
      const { report, rows } = await run(database, file, policy('overwrite'))
      expect(report).toMatchObject({ imported: 1, conflicts: 1 })
      expect(rows[0]).toBe('imported: promo: slug "promo" redirected to https://example.com/old before')
      expect(rows[1]).toEndWith(`and its link is not owned by ${OWNER}`)
      const links = await readExportedLinks(database)
      expect(links.map(({ url, label }) => [url, label])).toEqual([
        ['https://example.com/new', 'New'],
        ['https://example.com/bob', null],
      ])
      expect(rolesOf(links[0])).toMatchObject({ custom: ['promo'], primary: ['promo'] })
      expect((await run(database, file, policy('overwrite'))).report).toMatchObject({
        imported: 0,
        skipped: 1,
      })
      await database.close()
    })

    test('changes nothing in a dry run, with any policy', async () => {
      const database = await withPromo()
      const before = await readExportedLinks(database)
      for (const onConflict of ['skip', 'rename', 'overwrite'] as const) {
        const dry = await run(database, FILE, { ...policy(onConflict), dryRun: true, bundlesFromTags: true })
        expect(dry.report.imported + dry.report.skipped).toBe(2)
        expect(await readExportedLinks(database)).toEqual(before)
      }
      await database.close()
    })
  })

  test('a row with a free slug whose owner has a link to its URL is skipped with the policy skip', async () => {
    const database = await withPromo()
    const file = 'url,slug\nhttps://example.com/old,other\nhttps://example.com/new,free\n'
    const chosen = { policy: { onConflict: 'report', sameUrl: 'skip' } } as const
    expect((await run(database, file, chosen)).report).toMatchObject({ imported: 1, skipped: 1 })
    expect((await run(database, file)).report).toMatchObject({ imported: 1, skipped: 1 })
    await database.close()
  })

  const readMembers = async (database: Database<Tables>) => {
    const members = await database.read
      .selectFrom('bundle')
      .innerJoin('bundle_link', 'bundle_id', 'bundle.id')
      .innerJoin('link', 'link.id', 'bundle_link.link_id')
      .select(['bundle.name', 'bundle.created_by', 'link.primary_slug'])
      .orderBy('bundle.name')
      .orderBy('link.primary_slug')
      .execute()
    return members.map((each) => `${each.name} ${each.created_by} ${each.primary_slug}`)
  }

  test('tags become bundles only on request', async () => {
    const database = await openMigrated(await newUrl())
    expect((await run(database, 'url,tags\nhttps://example.com/a,news\n')).report.bundles).toBe(0)
    expect(await database.read.selectFrom('bundle').selectAll().execute()).toEqual([])
    await database.close()
  })

  test('L21.21: a tag becomes one bundle of the importing person, regardless of the owners of the links', async () => {
    const database = await openMigrated(await newUrl())
    const bundlesFromTags = true
    const first = [
      'url,slug,created_by,tags',
      'https://example.com/a,a,,"news, spring"',
      'https://example.com/b,b,bob@example.com,news',
    ].join('\n')
    const dry = await run(database, first, { bundlesFromTags, dryRun: true })
    expect(dry.report.bundles).toBe(2)
    expect((await run(database, first, { bundlesFromTags })).report).toMatchObject({
      imported: 2,
      bundles: 2,
    })
    const second = 'url,slug,tags\nhttps://example.com/c,c,news|spring\n'
    expect((await run(database, second, { bundlesFromTags, dryRun: true })).report.bundles).toBe(0)
    expect((await run(database, second, { bundlesFromTags })).report.bundles).toBe(0)
    expect(await readMembers(database)).toEqual([
      `news ${OWNER} a`,
      `news ${OWNER} b`,
      `news ${OWNER} c`,
      `spring ${OWNER} a`,
      `spring ${OWNER} c`,
    ])
    await database.close()
  })

  test('two imports at the same time create one bundle per tag, and each person has bundles of their own', async () => {
    const url = await newUrl()
    const nodes = await Promise.all([openMigrated(url), openMigrated(url)])
    const file = (name: string) =>
      [
        'url,slug,tags',
        ...Array.from({ length: 40 }, (_, n) => `https://example.com/${n},${name}-${n},t${n % 4}`),
      ].join('\n')
    const reports = await Promise.all(
      [...nodes, ...nodes].map((database, n) =>
        run(database, file(`import-${n}`), { bundlesFromTags: true }),
      ),
    )
    expect(reports.reduce((sum, { report }) => sum + report.bundles, 0)).toBe(4)
    const [database] = nodes
    await run(database, file('bob'), { bundlesFromTags: true, owner: 'bob@example.com' })
    const bundles = await database.read.selectFrom('bundle').select(['name', 'created_by']).execute()
    expect(bundles.map(({ name, created_by }) => `${name} ${created_by}`).toSorted()).toEqual(
      ['t0', 't1', 't2', 't3'].flatMap((name) => [`${name} ${OWNER}`, `${name} bob@example.com`]),
    )
    expect(await readMembers(database)).toHaveLength(200)
    await Promise.all(nodes.map((node) => node.close()))
  })

  test('fields are read from mapped columns, and a slug from its short URL', async () => {
    const database = await openMigrated(await newUrl())
    const file = 'Ziel;x,Kurz,Name\nhttps://example.com/a,https://go.example/AbC,Eins\n'
    const columnOf = { url: 'ziel;x', slug: 'Kurz', label: 'NAME' }
    expect((await run(database, file, { columnOf })).report).toMatchObject({ imported: 1 })
    const [link] = await readExportedLinks(database)
    expect(link).toMatchObject({ url: 'https://example.com/a', label: 'Eins' })
    expect(rolesOf(link).primary).toEqual(['abc'])
    const missing = await run(database, file, { columnOf: { ...columnOf, tags: 'Etikett' } })
    expect(missing.rows).toEqual(['bad: the file has no column "Etikett", only: Ziel;x, Kurz, Name'])
    await database.close()
  })
})
