import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '@latchkey/database/database'
import { eachDialect } from '@latchkey/database/testing'
import type { Tables } from '../db/tables.ts'
import { importClicks } from './clicks.ts'
import { isLegacyCode } from './legacy-paths.ts'
import { NOW, exportText, importText, openMigrated } from './testing.ts'

/** The answer of a Kutt with these codes, each of which leads to its own destination. */
const kutt = (codes: readonly string[], host = 'example.com') =>
  JSON.stringify({
    data: codes.map((code, at) => ({ address: code, target: `https://${host}/${at}`, created_at: NOW })),
  })

eachDialect((_dialect, newUrl, testOnSqlite) => {
  let url: string
  let database: Database<Tables>
  beforeAll(async () => {
    url = await newUrl()
    database = await openMigrated(url)
  })
  afterAll(() => database.close())

  /** The slugs, `auto` for an automatic one, and the legacy paths of the links of a host. */
  async function addressesOf(host: string): Promise<Record<string, string[]>> {
    const links = await database.read
      .selectFrom('link')
      .select(['id', 'url'])
      .where('url', 'like', `https://${host}/%`)
      .execute()
    const slugs = await database.read.selectFrom('slug').selectAll().execute()
    const paths = await database.read.selectFrom('legacy_path').selectAll().orderBy('path').execute()
    return Object.fromEntries(
      links.map(({ id, url: destination }) => [
        destination.slice(`https://${host}/`.length),
        [
          ...slugs.filter((slug) => slug.link_id === id && slug.is_custom === 1).map(({ slug }) => slug),
          ...paths.filter((path) => path.link_id === id).map(({ path, source }) => `/${path} of ${source}`),
        ],
      ]),
    )
  }

  describe('codes of another program', () => {
    test('L43.4a: each code that a slug would not keep becomes a legacy path', async () => {
      const codes = ['2BG', '2bg', '2Bg', 'docs/May', '_draft', 'résumé', 'launch', 'Launch']
      const { rows, ...report } = await importText(database, kutt(codes, 'a.example'), {
        format: 'kutt',
        legacy: 'auto',
      })
      expect(report).toMatchObject({ imported: 8, conflicts: 0, bad: 0, legacyPaths: 6 })
      expect(report.caseConflicts.count).toBe(0)
      expect(await addressesOf('a.example')).toEqual({
        0: ['/2BG of kutt'],
        1: ['2bg'],
        2: ['/2Bg of kutt'],
        3: ['/docs/May of kutt'],
        4: ['/_draft of kutt'],
        5: ['/résumé of kutt'],
        6: ['launch'],
        7: ['/Launch of kutt'],
      })
      expect(rows.map((row) => row.legacy_path)).toEqual([
        '2BG',
        undefined,
        '2Bg',
        'docs/May',
        '_draft',
        'résumé',
        undefined,
        'Launch',
      ])
    })

    test('L43.4b: the order of the rows does not matter, and importing again adds nothing', async () => {
      const codes = ['Abc', 'abc', 'ABC']
      await importText(database, kutt(codes.toReversed(), 'b.example'), { format: 'kutt', legacy: 'auto' })
      expect(await addressesOf('b.example')).toEqual({
        0: ['/ABC of kutt'],
        1: ['abc'],
        2: ['/Abc of kutt'],
      })
      const again = await importText(database, kutt(codes.toReversed(), 'b.example'), {
        format: 'kutt',
        legacy: 'auto',
      })
      expect(again).toMatchObject({ imported: 0, skipped: 3, conflicts: 0, bad: 0 })
      expect(again.rows[0]?.reason).toBe('slug "ABC" already redirects to this URL')
    })

    test('L43.4b: a dry run says what the import will do', async () => {
      const file = kutt(['Dry', 'dry', 'DRY', 'Dry'], 'c.example')
      const dry = await importText(database, file, { format: 'kutt', legacy: 'auto', dryRun: true })
      expect(await addressesOf('c.example')).toEqual({})
      expect(dry).toMatchObject({ imported: 3, conflicts: 1, legacyPaths: 2 })
      const done = await importText(database, file, { format: 'kutt', legacy: 'auto' })
      const resultsOf = ({ rows }: typeof dry) => rows.map(({ result, legacy_path }) => [result, legacy_path])
      expect(resultsOf(done)).toEqual(resultsOf(dry))
    })

    test('L43.4c: a taken legacy path is a conflict, or replaces the destination of its link', async () => {
      await importText(database, kutt(['Taken'], 'd.example'), { format: 'kutt', legacy: 'auto' })
      const other = kutt(['Taken'], 'e.example')
      const refused = await importText(database, other, { format: 'kutt', legacy: 'auto' })
      expect(refused.rows).toMatchObject([
        {
          result: 'conflict',
          reason: 'slug "Taken" already redirects to https://d.example/0',
          reasons: [{ code: 'slug_taken', slug: 'Taken', url: 'https://d.example/0' }],
        },
      ])
      const policy = { onConflict: 'overwrite', sameUrl: 'keep' } as const
      expect(
        (
          await importText(database, other, {
            format: 'kutt',
            legacy: 'auto',
            owner: 'ben@example.com',
            policy,
          })
        ).conflicts,
      ).toBe(1)
      const replaced = await importText(database, other, { format: 'kutt', legacy: 'auto', policy })
      expect(replaced).toMatchObject({ imported: 1, conflicts: 0 })
      expect(await addressesOf('d.example')).toEqual({})
      expect(await addressesOf('e.example')).toEqual({ 0: ['/Taken of kutt'] })
    })

    test('L43.4d: no legacy path takes the visitors of another person’s slug', async () => {
      await importText(database, 'url,slug\nhttps://f.example/0,theirs\n', { owner: 'ben@example.com' })
      const { rows } = await importText(database, kutt(['Theirs'], 'f.example'), {
        format: 'kutt',
        legacy: 'auto',
      })
      expect(rows).toMatchObject([{ result: 'conflict', reasons: [{ code: 'slug_taken', slug: 'theirs' }] }])
      const own = await importText(database, kutt(['x', 'Theirs'], 'f2.example'), {
        format: 'kutt',
        legacy: 'auto',
        owner: 'ben@example.com',
      })
      expect(own).toMatchObject({ imported: 2 })
      for (const path of ['theirs/', 'THEIRS/']) {
        const file = JSON.stringify({
          url: 'https://f3.example/',
          legacy_paths: [{ path, source: 'kutt', created_at: 1 }],
        })
        const listed = await importText(database, file, { format: 'ndjson', legacy: 'auto' })
        expect(listed.rows).toMatchObject([
          { result: 'conflict', reasons: [{ code: 'slug_taken', slug: 'theirs' }] },
        ])
      }
    })
  })

  describe('own files', () => {
    test('L43.4e: csv keeps only what cannot be a slug, and with exact also the case', async () => {
      const file = (host: string) =>
        `url,slug\nhttps://${host}/0,Upper${host[0]}\nhttps://${host}/1,deep/Path${host[0]}\n`
      await importText(database, file('g.example'), { legacy: 'auto' })
      expect(await addressesOf('g.example')).toEqual({ 0: ['upperg'], 1: ['/deep/Pathg of csv'] })
      await importText(database, file('h.example'), { legacy: 'exact' })
      expect(await addressesOf('h.example')).toEqual({
        0: ['/Upperh of csv'],
        1: ['/deep/Pathh of csv'],
      })
      const off = await importText(database, file('i.example'), { legacy: 'off' })
      expect(off).toMatchObject({ imported: 1, bad: 1 })
      expect(await addressesOf('i.example')).toEqual({ 0: ['upperi'] })
    })

    for (const format of ['ndjson', 'csv'] as const)
      test(`L43.4f L21.7: ${format} takes legacy paths to another instance`, async () => {
        const exported = await exportText(database, format)
        const other = await openMigrated(await newUrl())
        const report = await importText(other, exported, { format, legacy: 'auto', pieceBytes: 65_536 })
        expect(report).toMatchObject({ conflicts: 0, bad: 0 })
        const pathsOf = (db: Database<Tables>) =>
          db.read
            .selectFrom('legacy_path')
            .innerJoin('link', 'link.id', 'link_id')
            .select(['path', 'source', 'legacy_path.created_at', 'url'])
            .orderBy('path')
            .execute()
        const paths = await pathsOf(database)
        expect(paths.length).toBeGreaterThan(10)
        expect(await pathsOf(other)).toEqual(paths)
        await other.close()
      })
  })

  testOnSqlite('L43.4g: clicks of a file that name an old code count for its link', async () => {
    await importText(database, kutt(['Clicks', 'clicks'], 'j.example'), { format: 'kutt', legacy: 'auto' })
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-legacy-'))
    const path = join(folder, 'clicks.ndjson')
    const domains = { hosts: ['go.example.org'], defaultHost: null, target: null }
    await importText(database, 'url,slug,domain\nhttps://j2.example/,far,go.example.org\n', { domains })
    // The last one names no slug of another domain.
    const lines = ['Clicks', 'clicks', 'CLICKS', 'no/Such', 'go.example.org/far']
    await Bun.write(path, lines.map((slug) => `${JSON.stringify({ slug, clicked_at: NOW - 60 })}\n`).join(''))
    const problems: string[] = []
    const onProblem = (_: number, reason: string) => void problems.push(reason)
    await importClicks({
      database,
      databaseUrl: url,
      path,
      again: false,
      now: NOW,
      ownHost: null,
      privacy: 'full',
      onProblem,
    })
    rmSync(folder, { recursive: true })
    const clicks = await database.read
      .selectFrom('click')
      .innerJoin('link', 'link.id', 'link_id')
      .select(['link.url', 'legacy_path'])
      .orderBy('click.id')
      .execute()
    expect(clicks).toEqual([
      { url: 'https://j.example/0', legacy_path: 'Clicks' },
      { url: 'https://j.example/1', legacy_path: null },
      { url: 'https://j.example/1', legacy_path: null },
    ])
    expect(problems).toEqual(['there is no slug "no/Such"', 'there is no slug "go.example.org/far"'])
  })

  test('L43.4h: a source that cannot be stored makes its row invalid, and not the others', async () => {
    const row = (slug: string, source: string) =>
      `${JSON.stringify({ url: `https://s.example/${slug}`, slug, legacy_paths: [{ path: `S/${slug}`, source, created_at: 1 }] })}\n`
    const sources = ['', 'x'.repeat(33), 'a\0b', 'x'.repeat(32)]
    const file = sources.map((source, at) => row(`s${at}`, source)).join('')
    expect(await importText(database, file, { format: 'ndjson', legacy: 'auto' })).toMatchObject({
      imported: 1,
      bad: 3,
    })
    expect(await addressesOf('s.example')).toEqual({ s3: ['s3', `/S/s3 of ${'x'.repeat(32)}`] })
  })

  testOnSqlite('L43.1j: a row with more legacy paths than a link may have is invalid', async () => {
    const paths = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ slug: `Many/${at}`, is_custom: true }))
    const file = (count: number) => JSON.stringify({ url: 'https://many.example/', slugs: paths(count) })
    const { rows } = await importText(database, file(1_001), { format: 'ndjson', legacy: 'auto' })
    expect(rows).toMatchObject([{ result: 'bad', reasons: [{ code: 'too_many_slugs', max: 1_000 }] }])
    expect(await importText(database, file(1_000), { format: 'ndjson', legacy: 'auto' })).toMatchObject({
      imported: 1,
      bad: 0,
    })
  })

  testOnSqlite('L43.4h: a legacy path of a file that none can be makes its row invalid', async () => {
    const row = (legacyPaths: unknown) =>
      `${JSON.stringify({ url: 'https://k.example/', slug: 'k', legacy_paths: legacyPaths })}\n`
    for (const legacyPaths of [[{ path: '_/admin', source: 'x', created_at: 1 }], [{ path: 'A' }], 'A', 7])
      expect(
        await importText(database, row(legacyPaths), { format: 'ndjson', legacy: 'auto' }),
      ).toMatchObject({ imported: 0, bad: 1 })
    expect(await addressesOf('k.example')).toEqual({})
  })
})

test('L43.4a: the mode and the program decide which codes become legacy paths', () => {
  const foreign = (mode: 'auto' | 'exact' | 'off') => ({ mode, distinguishesCase: true })
  const own = (mode: 'auto' | 'exact' | 'off') => ({ mode, distinguishesCase: false })
  for (const [code, ...expected] of [
    ['launch', false, false, false, false],
    ['Launch', true, true, false, true],
    ['a/b', true, true, true, true],
    ['robots.txt', false, false, false, false],
    ['_/x', false, false, false, false],
  ] as const)
    expect([
      code,
      isLegacyCode(code, foreign('auto')),
      isLegacyCode(code, foreign('exact')),
      isLegacyCode(code, own('auto')),
      isLegacyCode(code, own('exact')),
    ]).toEqual([code, ...expected])
  expect(isLegacyCode('a/b', foreign('off'))).toBe(false)
})
