import { describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { UNKNOWN_PASSWORD, isPassword } from '../links/behaviour/password.ts'
import { findBehaviour, findPasswordHash } from '../links/behaviour/store.ts'
import type { ImportFormat } from './formats.ts'
import { NOW, exportText, importText, openMigrated, rolesOf, readExportedLinks } from './testing.ts'

const JANUARY = Date.UTC(2020, 0, 31, 12) / 1000

eachDialect((_dialect, newUrl, testOnSqlite) => {
  const importAnswer = async (format: ImportFormat, answer: unknown) => {
    const database = await openMigrated(await newUrl())
    const report = await importText(database, typeof answer === 'string' ? answer : JSON.stringify(answer), {
      format,
    })
    const links = await readExportedLinks(database)
    const behaviours = await Promise.all(
      (await database.read.selectFrom('link').select('id').orderBy('id').execute()).map(
        async ({ id }) => (await findBehaviour(database.read, id)).document,
      ),
    )
    await database.close()
    return { report, links, behaviours }
  }

  describe('import of API answers', () => {
    testOnSqlite('takes links of Dub with their passwords, and refuses a slug with a slash', async () => {
      const link = {
        id: 'link_1',
        domain: 'go.example',
        key: 'Launch',
        url: 'https://example.com/launch',
        title: 'Launch',
        archived: true,
        expiresAt: '2030-01-31T12:00:00.000Z',
        password: null,
        geo: { SE: 'https://example.com/se' },
        tags: [{ id: 'tag_1', name: 'news', color: 'red' }],
        clicks: 12,
        shortLink: 'https://go.example/Launch',
        createdAt: '2020-01-31T12:00:00.000Z',
      }
      const { report, links } = await importAnswer('dub', [
        link,
        { ...link, key: 'a/b', shortLink: 'https://go.example/a/b' },
        { ...link, key: 'secret', password: 'x' },
      ])
      expect(report).toMatchObject({ imported: 2, bad: 1, clickTotals: 24 })
      expect(report.rows.map(({ reason }) => reason)).toEqual([
        undefined,
        'slug "a/b": Custom slug must start and end with a letter or number; allowed symbols in the middle: . _ ~ -',
        undefined,
      ])
      expect(links[1]).toMatchObject({ behaviour: { password: true } })
      expect(links[0]).toMatchObject({
        url: 'https://example.com/launch',
        label: 'Launch',
        created_at: JANUARY,
        expires_at: Date.UTC(2030, 0, 31, 12) / 1000,
        disabled_at: null,
      })
      expect(rolesOf(links[0]).primary).toEqual(['launch'])
    })

    testOnSqlite('takes the CSV file of Dub', async () => {
      const { report, links } = await importAnswer(
        'dub',
        'Short link,Destination URL,Clicks,Created at,Tags\nhttps://go.example/one,https://example.com/1,3,2020-01-31T12:00:00.000Z,"a, b"\ngo.example/c/two,https://example.com/2,,,\n',
      )
      expect(report).toMatchObject({ imported: 1, bad: 1, clickTotals: 3 })
      expect(links.map((link) => rolesOf(link).primary)).toEqual([['one']])
    })

    testOnSqlite('takes answers of Kutt, several pages in one file', async () => {
      const page = (address: string, more: object = {}) => ({
        limit: 1,
        skip: 0,
        total: 2,
        data: [
          {
            address,
            target: `https://example.com/${address}`,
            banned: false,
            password: false,
            visit_count: 2,
            ...more,
          },
        ],
      })
      const { report, links } = await importAnswer(
        'kutt',
        [
          page('one', { created_at: '2020-01-31T12:00:00.000Z' }),
          page('two', { banned: true }),
          page('three', { password: true }),
        ]
          .map((each) => JSON.stringify(each))
          .join('\n'),
      )
      expect(report).toMatchObject({ imported: 3, bad: 0, clickTotals: 6, notes: { password_unknown: 1 } })
      expect(links.map(({ created_at }) => created_at)[0]).toBe(JANUARY)
      expect(links.map(({ disabled_at }) => disabled_at === null)).toEqual([true, false, true])
    })

    testOnSqlite(
      'L26.7: takes answers of Shlink with their expiry, and ends links whose visits are used up',
      async () => {
        const { report, links } = await importAnswer('shlink', {
          shortUrls: {
            data: [
              {
                shortCode: 'One',
                shortUrl: 'https://s.test/One',
                longUrl: 'https://example.com/1',
                dateCreated: '2020-01-31T13:00:00+01:00',
                title: null,
                tags: ['a', 'b'],
                meta: { validSince: null, validUntil: '2030-01-31T12:00:00+00:00', maxVisits: 5 },
                visitsSummary: { total: 9, nonBots: 8, bots: 1 },
              },
            ],
            pagination: { currentPage: 1, pagesCount: 1 },
          },
        })
        expect(report).toMatchObject({ imported: 1, clickTotals: 9 })
        expect(report.rows[0]?.reason).toBeUndefined()
        expect(links[0]).toMatchObject({ created_at: JANUARY, expires_at: NOW })
        expect(rolesOf(links[0]).primary).toEqual(['one'])
      },
    )

    testOnSqlite(
      'L26.7b: takes the rules, limits and starts of Shlink, and notes those that cannot be kept',
      async () => {
        const rule = (longUrl: string, priority: number, ...conditions: object[]) => ({
          longUrl,
          priority,
          conditions,
        })
        const link = { longUrl: 'https://example.com/', forwardQuery: true, hasRedirectRules: true }
        const { report, behaviours } = await importAnswer('shlink', {
          shortUrls: {
            data: [
              {
                ...link,
                shortCode: 'one',
                meta: { validSince: '2030-01-31T12:00:00+00:00', maxVisits: 10 },
                visitsSummary: { total: 3 },
                redirectRules: [
                  rule('https://example.com/sv', 2, { type: 'language', matchValue: 'sv' }),
                  rule(
                    'https://example.com/se-phone',
                    1,
                    { type: 'device', matchValue: 'android' },
                    { type: 'geolocation-country-code', matchValue: 'SE' },
                  ),
                  rule('https://example.com/office', 3, { type: 'ip-address', matchValue: '192.0.2.0/24' }),
                ],
              },
              { ...link, shortCode: 'two', forwardQuery: false },
            ],
          },
        })
        expect(report.rows.map(({ reason }) => reason)).toEqual([
          'not imported: redirect rules',
          'not imported: redirect rules',
        ])
        expect(behaviours).toEqual([
          {
            starts_at: Date.UTC(2030, 0, 31, 12) / 1000,
            max_clicks: 7,
            forward_query: 'all',
            rules: [
              { when: { os: ['android'], country: ['SE'] }, to: 'https://example.com/se-phone' },
              { when: { language: ['sv'] }, to: 'https://example.com/sv' },
            ],
          },
          {},
        ])
      },
    )

    test('L26.7c: an export of either format carries behaviours and used places to the next import', async () => {
      const behaviour = {
        rules: [{ when: { os: ['ios' as const] }, to: 'https://example.com/ios?a;=1+1' }],
        max_clicks: 5,
      }
      const first = await openMigrated(await newUrl())
      const lines = [
        { url: 'https://example.com/a', slug: 'a', behaviour: { ...behaviour, clicks_left: 2 } },
        { url: 'https://example.com/b', slug: 'b', behaviour },
        { url: 'https://example.com/c', slug: 'c', behaviour: { max_clicks: 1, clicks_left: 0 } },
        { url: 'https://example.com/d', slug: 'd' },
      ].map((line) => JSON.stringify(line))
      expect(await importText(first, lines.join('\n'), { format: 'ndjson' })).toMatchObject({ imported: 4 })
      for (const format of ['ndjson', 'csv'] as const) {
        const second = await openMigrated(await newUrl())
        expect(await importText(second, await exportText(first, format), { format })).toMatchObject({
          imported: 4,
          bad: 0,
        })
        const ids = await second.read.selectFrom('link').select('id').orderBy('id').execute()
        const stored = await Promise.all(ids.map(({ id }) => findBehaviour(second.read, id)))
        expect([format, stored]).toEqual([
          format,
          [
            { document: behaviour, hasPassword: false, clicksLeft: 2 },
            { document: behaviour, hasPassword: false, clicksLeft: 5 },
            { document: { max_clicks: 1 }, hasPassword: false, clicksLeft: 0 },
            { document: {}, hasPassword: false, clicksLeft: undefined },
          ],
        ])
        await second.close()
      }
      await first.close()
    })

    testOnSqlite(
      'L26.7d: no link arrives open that was protected, or whose behaviour cannot be kept',
      async () => {
        const from = await openMigrated(await newUrl())
        await importText(
          from,
          'url,slug,behaviour\nhttps://example.com/p,p,"{""after_url"":""https://example.com""}"\n',
        )
        await from.write((tx) => tx.insertInto('link_password').values({ link_id: 1, hash: 'x' }).execute())
        for (const format of ['ndjson', 'csv'] as const) {
          const { report, links } = await importAnswer(format, await exportText(from, format))
          expect(report.rows[0]?.reasons).toEqual([{ code: 'password_unknown' }])
          expect(links).toMatchObject([{ behaviour: { after_url: 'https://example.com', password: true } }])
        }
        await from.close()
        const long = { url: `https://example.com/${'x'.repeat(2000)}`, weight: 1 }
        for (const [behaviour, isDisabled, ...fields] of [
          ['{', true, 'behaviour'],
          ['5', true, 'behaviour'],
          ['{"max_clicks":0}', true, 'behaviour.max_clicks'],
          ['{"max_clicks":1,"clicks_left":-1}', true, 'behaviour.clicks_left'],
          ['{"starts_at":"soon","after_url":"https://example.com/"}', true, 'behaviour.starts_at'],
          ['{"after_url":"javascript:alert(1)"}', false, 'behaviour.after_url'],
          ['{"rules":[{}]}', false, 'behaviour.rules'],
          ['{"city":"x"}', false, 'behaviour.city'],
          [JSON.stringify({ split: [long, long, long] }), false, 'behaviour.split'],
        ] as const) {
          const cell = `"${behaviour.replaceAll('"', '""')}"`
          const { report, links } = await importAnswer(
            'csv',
            `url,slug,behaviour\nhttps://example.com/x,x,${cell}\n`,
          )
          expect([
            behaviour,
            report.rows[0]?.reasons?.map(({ code, field }) => field ?? code),
            links[0]?.disabled_at !== null,
          ]).toEqual([behaviour, [...fields, ...(isDisabled ? ['link_disabled'] : [])], isDisabled])
        }
      },
    )

    test('L26.7e: a password in clear is the password of the link, and an unknown one opens it for no one', async () => {
      const database = await openMigrated(await newUrl())
      const links = ['Straße', 'true', `$2b$12$${'x'.repeat(53)}`, '', 'null', null].map((password, at) => ({
        key: `p${at}`,
        url: `https://example.com/${at}`,
        password,
      }))
      expect(await importText(database, JSON.stringify(links), { format: 'dub' })).toMatchObject({
        imported: 6,
        notes: { password_unknown: 2 },
      })
      const rows = await database.read.selectFrom('link').select('id').orderBy('id').execute()
      const hashes = await Promise.all(rows.map(({ id }) => findPasswordHash(database.read, id)))
      const opens = (password: string, at: number) => isPassword(password, hashes[at])
      expect([await opens('Straße', 0), await opens('Strasse', 0)]).toEqual([true, false])
      expect([await opens('true', 1), await opens('*', 1), await opens('', 1)]).toEqual([false, false, false])
      expect(hashes.slice(2)).toEqual([UNKNOWN_PASSWORD, undefined, undefined, undefined])
      const programs = await database.read.selectFrom('link').select('behaviour').orderBy('id').execute()
      expect(programs.map(({ behaviour }) => behaviour?.includes('"password":true') ?? false)).toEqual([
        true,
        true,
        true,
        false,
        false,
        false,
      ])
      await database.close()
    })

    testOnSqlite(
      'L26.7e: a table or lines with passwords of their own open no link without them',
      async () => {
        const links = ['correct horse', true, ''].map((password, at) => ({
          url: `https://example.com/${at}`,
          slug: `own${at}`,
          password,
        }))
        const lines = links.map((link) => JSON.stringify(link)).join('\n')
        const rowsOfTable = links.map((link) => Object.values(link).join())
        const table = ['url,slug,Password', ...rowsOfTable].join('\n')
        for (const [format, text] of [['csv', table] as const, ['ndjson', lines] as const]) {
          const database = await openMigrated(await newUrl())
          expect(await importText(database, text, { format })).toMatchObject({
            imported: 3,
            notes: { password_unknown: 1 },
          })
          const rows = await database.read.selectFrom('link').select('id').orderBy('id').execute()
          const hashes = await Promise.all(rows.map(({ id }) => findPasswordHash(database.read, id)))
          expect(await isPassword('correct horse', hashes[0])).toBe(true)
          expect([format, hashes.slice(1)]).toEqual([format, [UNKNOWN_PASSWORD, undefined]])
          await database.close()
        }
      },
    )

    testOnSqlite(
      'L26.7a: a running test of Dub is a split until it ends, and one that is over leads to its URL',
      async () => {
        const testVariants = [
          { url: 'https://example.com/a', percentage: 70 },
          { url: 'https://example.com/b', percentage: 30 },
        ]
        const link = {
          key: 'a',
          url: 'https://example.com/',
          geo: { SE: 'https://example.com/se' },
          testVariants,
        }
        const ends = NOW + 3600
        const { report, behaviours } = await importAnswer('dub', [
          {
            ...link,
            testStartedAt: '2020-01-31T12:00:00.000Z',
            testCompletedAt: new Date(ends * 1000).toISOString(),
          },
          { ...link, key: 'b', testCompletedAt: new Date((NOW - 60) * 1000).toISOString() },
          { ...link, key: 'c', testCompletedAt: null },
          {
            ...link,
            key: 'd',
            testVariants: [{ url: 'x' }],
            testCompletedAt: new Date(ends * 1000).toISOString(),
          },
          { ...link, key: 'e', rewrite: true },
        ])
        expect(report.rows.map(({ reason }) => reason)).toEqual([
          undefined,
          undefined,
          undefined,
          'not imported: split between destinations',
          'not imported: cloaking',
        ])
        const country = { when: { country: ['SE'] }, to: 'https://example.com/se' }
        const split = testVariants.map(({ url, percentage: weight }) => ({ url, weight }))
        expect(behaviours).toEqual([
          { rules: [country, { when: { before: ends }, to: { split } }] },
          ...Array.from({ length: 4 }, () => ({ rules: [country] })),
        ])
      },
    )

    testOnSqlite(
      'L26.7: takes the targets of Dub and Short.io for systems, countries and after expiry',
      async () => {
        const dub = await importAnswer('dub', [
          {
            key: 'a',
            url: 'https://example.com/',
            ios: 'https://example.com/ios',
            android: 'javascript:alert(1)',
            geo: {
              SE: 'https://example.com/north',
              DE: 'https://example.com/de',
              FI: 'https://example.com/north',
            },
            expiredUrl: 'https://example.com/over',
          },
        ])
        expect(dub.report.rows.map(({ reason }) => reason)).toEqual(['not imported: destination for Android'])
        expect(dub.behaviours).toEqual([
          {
            rules: [
              { when: { os: ['ios'] }, to: 'https://example.com/ios' },
              { when: { country: ['SE', 'FI'] }, to: 'https://example.com/north' },
              { when: { country: ['DE'] }, to: 'https://example.com/de' },
            ],
            after_url: 'https://example.com/over',
          },
        ])
        const short = {
          originalURL: 'https://example.com/b',
          path: 'b',
          title: 'B',
          createdAt: '2020-01-31T12:00:00.000Z',
          expiresAt: 1_900_000_000_000,
          expiredURL: 'https://example.com/over',
          androidURL: 'https://example.com/android',
          splitURL: 'https://example.com/other',
          splitPercent: 30,
          clicksLimit: 50,
          tags: ['news'],
          countries: [
            { id: '1', country: 'SE', originalURL: 'https://example.com/north' },
            { id: '2', country: 'US', originalURL: 'https://example.com/us' },
            { id: '3', country: 'FI', originalURL: 'https://example.com/north' },
          ],
          regions: [
            { id: '4', country: 'US', region: 'NY', name: 'New York', originalURL: 'https://example.com/ny' },
          ],
          cloaking: true,
        }
        const { report, links, behaviours } = await importAnswer('shortio', {
          count: 2,
          links: [short, { ...short, path: 'secret', hasPassword: true }],
        })
        expect(report).toMatchObject({ imported: 2, notes: { features_dropped: 2, password_unknown: 1 } })
        expect(report.rows[0]?.reason).toBe('not imported: destinations by region, cloaking')
        expect(links[0]).toMatchObject({ label: 'B', created_at: JANUARY, expires_at: 1_900_000_000 })
        expect(behaviours.slice(0, 1)).toEqual([
          {
            rules: [
              { when: { os: ['android'] }, to: 'https://example.com/android' },
              { when: { country: ['SE', 'FI'] }, to: 'https://example.com/north' },
              { when: { country: ['US'] }, to: 'https://example.com/us' },
            ],
            split: [
              { url: 'https://example.com/b', weight: 70 },
              { url: 'https://example.com/other', weight: 30 },
            ],
            sticky: 'visit',
            after_url: 'https://example.com/over',
            max_clicks: 50,
          },
        ])
      },
    )

    testOnSqlite('takes answers of Bitly, YOURLS and shrtnr', async () => {
      const bitly = await importAnswer('bitly', {
        links: [
          {
            created_at: '2020-01-31T12:00:00+0000',
            id: 'bit.ly/3xYzAbC',
            link: 'https://bit.ly/3xYzAbC',
            custom_bitlinks: ['https://bit.ly/Summer-Sale'],
            long_url: 'https://example.com/sale',
            title: 'Sale',
            tags: [],
          },
          {
            id: 'bit.ly/4Ab',
            link: 'https://bit.ly/4Ab',
            custom_bitlinks: [],
            long_url: 'https://example.com/b',
          },
        ],
        pagination: { next: '' },
      })
      expect(bitly.links.map((link) => rolesOf(link).custom)).toEqual([['summer-sale'], ['4ab']])
      expect(bitly.links[0]).toMatchObject({ label: 'Sale', created_at: JANUARY })
      const yourls = await importAnswer('yourls', {
        links: {
          link_1: {
            shorturl: 'https://sho.rt/ozh',
            url: 'https://example.com/',
            title: 'Ozh',
            timestamp: '2020-01-31 12:00:00',
            ip: '192.0.2.1',
            clicks: '7',
          },
        },
        statusCode: 200,
      })
      expect(yourls.report).toMatchObject({ imported: 1, clickTotals: 7 })
      expect(rolesOf(yourls.links[0]).primary).toEqual(['ozh'])
      const shrtnr = await importAnswer('shrtnr', [
        {
          id: 1,
          url: 'https://example.com/s',
          slugs: [
            { slug: 'ab3d', is_custom: 0, is_primary: 0 },
            { slug: 'shown', is_custom: 1, is_primary: 1 },
          ],
          created_by: 'bob@example.com',
          created_at: JANUARY,
        },
      ])
      expect(shrtnr.links[0]).toMatchObject({ created_by: 'bob@example.com', created_at: JANUARY })
      expect(rolesOf(shrtnr.links[0])).toEqual({ auto: ['ab3d'], custom: ['shown'], primary: ['shown'] })
    })

    testOnSqlite('an error answer instead of a list stores nothing and is reported', async () => {
      const { report, links } = await importAnswer('kutt', { error: 'Unauthorized' })
      expect(report).toMatchObject({ imported: 0, bad: 1 })
      expect(report.rows[0]?.reason).toBe('the file has no links in this format')
      expect(links).toEqual([])
    })
  })
})
