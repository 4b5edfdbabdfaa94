import { describe, expect, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { exportText, importText, openMigrated, rolesOf, readExportedLinks } from './testing.ts'

const JANUARY = 1_580_472_000 // 2020-01-31 12:00:00 UTC
const BOM = '\ufeff'

onSqlite((newUrl) => {
  async function importRows(text: string, format: Parameters<typeof importText>[2]) {
    const database = await openMigrated(await newUrl())
    const report = await importText(database, text, format)
    const links = await readExportedLinks(database)
    await database.close()
    return { report, links }
  }

  describe('import', () => {
    test('L21.10, L21.14: takes a YOURLS export: keyword, title and timestamp; ip is dropped and clicks are reported', async () => {
      const { report, links } = await importRows(
        `keyword,url,title,timestamp,ip,clicks
Ozh,https://example.com/blog/,"Planet, Ozh",2020-01-31 12:00:00,192.0.2.1,41
a1,https://example.com/#top,,2020-01-31 12:00:00,192.0.2.1,1
`,
        { format: 'yourls' },
      )
      expect(report).toMatchObject({ imported: 2, skipped: 0, conflicts: 0, bad: 0, clickTotals: 42 })
      const [first, second] = links
      expect(first).toMatchObject({
        url: 'https://example.com/blog',
        label: 'Planet, Ozh',
        created_at: JANUARY,
        created_by: 'ada@example.com',
        created_via: 'import',
        expires_at: null,
        disabled_at: null,
      })
      expect(second).toMatchObject({ url: 'https://example.com/#top', label: null })
      expect(rolesOf(first)).toMatchObject({ custom: ['ozh'], primary: ['ozh'] })
      expect(first?.slugs[0]?.slug).toMatch(/^[a-km-np-z2-9]{4,}$/)
      expect(JSON.stringify(links)).not.toContain('192.0.2.1')
    })

    test('a row nested too deep, or with more slugs than a link may have, affects no other row', async () => {
      const line = (slug: string, more: object = {}) =>
        JSON.stringify({ url: `https://example.com/${slug}`, slug, ...more })
      const customSlugs = (count: number) => ({
        custom_slugs: Array.from({ length: count }, (_slug, at) => `s-${at}`),
      })
      const lines = [line('one', customSlugs(4_999)), line('two', customSlugs(5_001)), line('three')]
      const ndjson = await importRows(lines.join('\n'), { format: 'ndjson' })
      expect(ndjson.report).toMatchObject({ imported: 2, bad: 1 })
      expect(ndjson.report.rows).toContainEqual({
        line: 2,
        result: 'bad',
        reason: 'has more than 5000 slugs',
        reasons: [{ code: 'too_many_slugs', max: 5000 }],
      })

      const link = (slug: string, tags: string) =>
        `{"shortCode":"${slug}","longUrl":"https://example.com/${slug}","tags":${tags}}`
      const deep = '['.repeat(200_000) + ']'.repeat(200_000)
      const answer = `{"shortUrls":{"data":[${link('one', '[]')},${link('two', deep)},${link('three', '[]')}]}}`
      const shlink = await importRows(answer, { format: 'shlink' })
      expect(shlink.report).toMatchObject({ imported: 2, bad: 1 })
      expect(shlink.report.rows).toContainEqual(
        expect.objectContaining({ result: 'bad', reason: 'is nested more than 32 levels deep' }),
      )
    })

    test('L21.10: takes a Kutt table: expiry is kept, banned links are imported as disabled', async () => {
      const { report, links } = await importRows(
        `id,address,banned,created_at,description,expire_in,password,target,visit_count
1,abCd12,f,2020-01-31 12:00:00.123+00,Docs,2030-01-31 12:00:00+00,,https://example.com/docs,7
2,spam,t,2020-01-31 12:00:00+00,,,,https://example.com/spam,3
`,
        { format: 'kutt' },
      )
      expect(report).toMatchObject({ imported: 2, bad: 0, clickTotals: 10 })
      expect(links[0]).toMatchObject({
        label: 'Docs',
        created_at: JANUARY,
        expires_at: Date.UTC(2030, 0, 31, 12) / 1000,
        disabled_at: null,
      })
      expect(rolesOf(links[0])).toMatchObject({ custom: ['abcd12'], primary: ['abcd12'] })
      expect(links[1]?.disabled_at).toBe(1_795_000_000)
    })

    test('locks a Kutt link with a password, of which the file has only a hash', async () => {
      const { report, links } = await importRows(
        `address,target,password
open,https://example.com/open,false
secret,https://example.com/secret,$2a$12$abc
`,
        { format: 'kutt' },
      )
      expect(report).toMatchObject({ imported: 2, bad: 0, notes: { password_unknown: 1 } })
      expect(report.rows[1]?.reason).toContain('password')
      expect(links).toMatchObject([
        { url: 'https://example.com/open' },
        { url: 'https://example.com/secret', behaviour: { password: true } },
      ])
      expect(links[0]).not.toHaveProperty('behaviour')
    })

    test('L21.10: takes a Shlink export: the short code, else the last segment of the short URL; tags are dropped', async () => {
      const { report, links } = await importRows(
        `${BOM}createdAt,title,longUrl,shortUrl,shortCode,tags,visits\r
2020-01-31T13:00:00+01:00,Hi,https://example.com/a?x=1,https://s.test/one,One,"a,b",5\r
2020-01-31T12:00:00+00:00,,https://example.com/b,https://s.test/deep/Two?x=1#y,,,0\r
`,
        { format: 'shlink' },
      )
      expect(report).toMatchObject({ imported: 2, bad: 0, clickTotals: 5 })
      expect(links[0]).toMatchObject({ url: 'https://example.com/a?x=1', label: 'Hi', created_at: JANUARY })
      expect(links.map((link) => rolesOf(link).primary)).toEqual([['one'], ['two']])
    })

    test('takes a Shlink export without a column of short codes', async () => {
      const { report, links } = await importRows(
        'Long URL,Short URL\nhttps://example.com/a,https://s.test/abc/\n',
        { format: 'shlink' },
      )
      expect(report).toMatchObject({ imported: 1, clickTotals: null })
      expect(rolesOf(links[0]).primary).toEqual(['abc'])
    })

    test('L21.10: takes a Bitly export: the custom back-half, else the Bitlink, else the link', async () => {
      const { report, links } = await importRows(
        `Title,Long URL,Bitlink,Link,Custom Back-Half,Created,Tags,Total Clicks
Sale,https://example.com/sale,bit.ly/3xYzAbC,,https://bit.ly/Summer-Sale,2020-01-31T12:00:00+0000,x|y,"1,234"
,https://example.com/b,bit.ly/4AbCdEf,,,2020-01-31,,0
,https://example.com/c,,https://bit.ly/5GhIjKl,,2020-01-31,,
`,
        { format: 'bitly' },
      )
      expect(report).toMatchObject({ imported: 3, bad: 0, clickTotals: 1234 })
      expect(links.map((link) => rolesOf(link).custom)).toEqual([['summer-sale'], ['4abcdef'], ['5ghijkl']])
      expect(links[0]).toMatchObject({ label: 'Sale', created_at: JANUARY })
    })

    test('text that is not a slug as a whole is refused, and no part of it becomes one', async () => {
      const cells = ['summer sale', '1,234', 'a|b', 'team/jobs']
      const rows = cells.map((cell, at) => `https://example.com/${at},"${cell}"\n`).join('')
      const whole = 'https://go.example'
      const addresses = [`${whole}/team/jobs`, `${whole}/`, `${whole}/a b`]
      const mapped = addresses.map((cell, at) => `https://example.com/m${at},"${cell}"\n`).join('')
      for (const [text, options, customSlug] of [
        [`url,slug\n${rows}https://example.com/good,jobs\n`, { format: 'csv' }, 'jobs'],
        [`url,slug\n${rows}https://example.com/good,jobs\n`, { format: 'shrtnr' }, 'jobs'],
        [
          `Target,Short\n${rows}${mapped}https://example.com/good,${whole}/Jobs?x=1\n`,
          { format: 'csv', columnOf: { url: 'Target', slug: 'Short' } },
          'jobs',
        ],
      ] as const) {
        const { report, links } = await importRows(text, options)
        expect(report).toMatchObject({ imported: 1, bad: text.split('\n').length - 3, conflicts: 0 })
        expect(links.map((link) => [link.url, rolesOf(link).custom])).toEqual([
          ['https://example.com/good', [customSlug]],
        ])
      }
    })

    test('takes CSV and shrtnr files with all slugs, times, state and owner', async () => {
      const text = `URL,Slug,AUTO SLUG,custom-slugs,Label,CreatedAt,expires_at,disabled_at,created_by
https://example.com/a,launch,ab3d,launch start kick-off,Launch,1580472000,1900000000,1600000000,bob@example.com
https://example.com/b,,cd4e,,,2020-01-31T12:00:00Z,,,
`
      for (const format of ['csv', 'shrtnr'] as const) {
        const { report, links } = await importRows(text, { format })
        expect(report).toMatchObject({ imported: 2, bad: 0 })
        expect(links[0]).toMatchObject({
          label: 'Launch',
          created_at: JANUARY,
          expires_at: 1_900_000_000,
          disabled_at: 1_600_000_000,
          created_by: 'bob@example.com',
        })
        expect(rolesOf(links[0])).toEqual({
          auto: ['ab3d'],
          custom: ['kick-off', 'launch', 'start'],
          primary: ['launch'],
        })
        expect(links[1]).toMatchObject({ created_by: 'ada@example.com', created_at: JANUARY })
        expect(rolesOf(links[1])).toEqual({ auto: ['cd4e'], custom: [], primary: ['cd4e'] })
      }
    })

    test('takes Link objects with the state of every slug', async () => {
      const link = {
        id: 77,
        url: 'https://example.com/a',
        label: 'A',
        expires_at: 0,
        disabled_at: null,
        created_via: 'api',
        created_by: 'bob@example.com',
        created_at: 5,
        slugs: [
          {
            link_id: 77,
            slug: 'ab3d',
            is_custom: 0,
            is_primary: 0,
            click_count: 1,
            created_at: 5,
            disabled_at: null,
          },
          {
            link_id: 77,
            slug: 'off',
            is_custom: 1,
            is_primary: 0,
            click_count: 2,
            created_at: 6,
            disabled_at: 9,
          },
          {
            link_id: 77,
            slug: 'on',
            is_custom: 1,
            is_primary: 1,
            click_count: 3,
            created_at: 7,
            disabled_at: null,
          },
        ],
        total_clicks: 6,
      }
      const { report, links } = await importRows(`${JSON.stringify(link)}\n\n`, { format: 'ndjson' })
      expect(report).toMatchObject({ imported: 1, clickTotals: 6 })
      expect(links).toEqual([
        {
          url: 'https://example.com/a',
          label: 'A',
          expires_at: 0,
          disabled_at: null,
          created_via: 'import',
          created_by: 'bob@example.com',
          created_at: 5,
          slugs: [
            { slug: 'ab3d', is_custom: 0, is_primary: 0, created_at: 5, disabled_at: null },
            { slug: 'off', is_custom: 1, is_primary: 0, created_at: 6, disabled_at: 9 },
            { slug: 'on', is_custom: 1, is_primary: 1, created_at: 7, disabled_at: null },
          ],
        },
      ])
    })

    test('a disabled primary slug stays disabled, and the automatic slug becomes primary', async () => {
      const slugs = [
        { slug: 'ab3d', is_custom: 0, is_primary: 0 },
        { slug: 'off', is_custom: 1, is_primary: 1, disabled_at: 9 },
      ]
      const { links } = await importRows(JSON.stringify({ url: 'https://example.com/a', slugs }), {
        format: 'ndjson',
      })
      expect(rolesOf(links[0])).toEqual({ auto: ['ab3d'], custom: ['off'], primary: ['ab3d'] })
      expect(links[0]?.slugs[1]?.disabled_at).toBe(9)
    })

    test('a file without the columns of its format stores nothing, and its columns are reported', async () => {
      for (const [format, missing] of [
        ['yourls', 'keyword'],
        ['kutt', 'target'],
        ['shlink', 'longUrl'],
        ['bitly', 'Long URL'],
      ] as const) {
        const { report, links } = await importRows('url,name\nhttps://example.com/a,b\n', { format })
        expect(report).toMatchObject({ imported: 0, bad: 1 })
        expect(report.rows).toEqual([
          {
            line: 1,
            result: 'bad',
            reason: `the file has no column "${missing}", only: url, name`,
            reasons: [{ code: 'column_missing', missing: [missing], columns: ['url', 'name'] }],
          },
        ])
        expect(links).toEqual([])
      }
    })

    test('a row of another program without its slug is bad, because its short URL would be lost silently', async () => {
      const { report } = await importRows('url,keyword\nhttps://example.com/a,\n', { format: 'yourls' })
      expect(report.rows).toEqual([
        { line: 2, result: 'bad', reason: 'slug is required', reasons: [{ code: 'slug_required' }] },
      ])
    })
  })

  describe('export', () => {
    test('of an empty instance is a header as CSV and nothing as NDJSON', async () => {
      const database = await openMigrated(await newUrl())
      expect(await exportText(database)).toBe('')
      expect(await exportText(database, 'csv')).toBe(
        'url,slug,auto_slug,custom_slugs,disabled_slugs,label,created_at,expires_at,disabled_at,created_by,behaviour\n',
      )
      await database.close()
    })

    test('as CSV shows labels as text that a spreadsheet would execute', async () => {
      const database = await openMigrated(await newUrl())
      const run = 'HYPERLINK("https://evil.test")'
      const line = { url: 'https://example.com/a;=1', label: `=${run};=${run}\t=${run}`, slugs: [] }
      await importText(database, JSON.stringify(line), { format: 'ndjson' })
      const csv = await exportText(database, 'csv')
      expect(csv).toContain(`"'=HYPERLINK(""https://evil.test"");'=HYPERLINK(`)
      for (const separator of [',', ';', '\t'])
        expect(csv).not.toMatch(new RegExp(`(^|${separator})"*=`, 'm'))
      expect((await importText(database, csv)).skipped).toBe(1)
      await database.close()
    })
  })
})
