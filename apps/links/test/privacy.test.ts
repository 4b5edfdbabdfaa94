import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { type PrivacyStatement, describePrivacy } from '../src/http/privacy/statement.ts'
import { items } from '../src/http/privacy/stored-fields.ts'
import { readSettings } from '../src/settings/settings.ts'
import { closeAfterEach, until } from './test-database.ts'
import { TestLinks } from './testing.ts'

const { closeLater } = closeAfterEach()

const ADDRESS = '198.51.100.7'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'
const PAGE = 'https://www.news.example/people/ann?id=secret'
const VISIT = { 'User-Agent': FIREFOX, Referer: PAGE }

eachDialect((dialect, newUrl, testOnSqlite) => {
  async function start(environment: Record<string, string> = {}): Promise<TestLinks> {
    const links = closeLater(new TestLinks())
    await links.start(await newUrl(), environment)
    await links.createLink(await links.key('ann@example.com'), { slug: 'talk' })
    return links
  }

  /** The stored click of a request. */
  async function visit(links: TestLinks, headers: Record<string, string>, query = '', path = '/talk') {
    await links.fetch(`${path}${query}`, { headers }, ADDRESS)
    await links.databaseState()
    const [row] = await links.rows<Record<string, unknown>>('select * from click order by id desc limit 1')
    return row ?? {}
  }

  const statementOf = async (links: TestLinks) =>
    (await (await links.fetch('/_/privacy.json')).json()) as PrivacyStatement
  const pageOf = async (links: TestLinks, language: string) =>
    (await links.fetch('/_/privacy', { headers: { 'Accept-Language': language } })).text()

  /** All bytes of the journal's files. */
  const journalBytes = ({ folder }: TestLinks) =>
    Buffer.concat(readdirSync(folder).map((name) => readFileSync(join(folder, name))))

  describe('the privacy statement', () => {
    test('L37.2: names every column of every table of clicks, and no other', async () => {
      const links = await start()
      const rows = await links.rows<{ tab: string; col: string }>(
        dialect === 'sqlite'
          ? `select t.name as tab, c.name as col from sqlite_master as t, pragma_table_info(t.name) as c where t.type = 'table'`
          : `select c.table_name as tab, column_name as col from information_schema.columns as c
              join information_schema.tables as t using (table_schema, table_name)
              where table_schema = current_schema() and table_type = 'BASE TABLE'`,
      )
      const stored = rows
        .filter(({ tab }) => tab === 'click' || tab.startsWith('click_') || tab === 'visitor_salt')
        .map(({ tab, col }) => `${tab}.${col}`)
      const { clicks, rollups, visitor_salts: salts } = await statementOf(links)
      const named = [
        ...clicks.fields.map(({ name }) => `click.${name}`),
        ...Object.entries({ ...rollups.tables, visitor_salt: salts.columns }).flatMap(([table, columns]) =>
          Object.keys(columns).map((column) => `${table}.${column}`),
        ),
      ]
      expect(named.toSorted()).toEqual(stored.toSorted())
    })

    testOnSqlite('L37.2: names every value that the journal holds of a click', async () => {
      for (const LINKS_PRIVACY of ['full', 'lean']) {
        const links = await start({ LINKS_PRIVACY })
        const { journal } = await statementOf(links)
        await links.fetch('/talk', { headers: VISIT }, ADDRESS)
        const text = journalBytes(links).toString('latin1')
        const holds = (value: string) => text.includes(value)
        const names = journal.fields.map(({ name }) => name.toLowerCase().replaceAll('_', ''))
        expect([LINKS_PRIVACY, holds(FIREFOX), holds(PAGE)]).toEqual([
          LINKS_PRIVACY,
          names.includes('useragent'),
          names.includes('referrer'),
        ])
      }
    })

    testOnSqlite(
      'L37.2: is a page in the visitor’s language without script, and the same for programs',
      async () => {
        const links = await start()
        for (const [language, title] of [
          ['en-GB,en', 'Privacy'],
          ['sv', 'Integritet'],
          ['id-ID', 'Privasi'],
          ['xx', 'Privacy'],
        ] as const) {
          const html = await pageOf(links, language)
          expect(html).toContain(`<h1>${title}</h1>`)
          expect(html).not.toContain('<script')
          expect(html).not.toContain('undefined')
          expect(html).not.toContain('{{')
          expect(html.match(/scope="row"/g)).toHaveLength(items.length)
        }
        for (const path of ['/_/privacy', '/_/privacy.json']) {
          const { status, headers } = await links.fetch(path)
          expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=3600'])
          expect(headers.get('set-cookie')).toBeNull()
          expect((await links.fetch(path, { method: 'POST' })).status).toBe(404)
        }
        expect((await links.fetch('/_/privacy')).headers.get('vary')).toBe('Accept-Language')
      },
    )

    testOnSqlite('L37.2: follows from the settings', async () => {
      const full = await start()
      const lean = await start({
        LINKS_PRIVACY: 'lean',
        LINKS_HONOR_GPC: 'on',
        LINKS_RETENTION_DAYS: '30',
        LINKS_ACCESS: 'header',
        LINKS_ACCESS_HEADER: 'X-User',
        TRUSTED_PROXIES: '10.0.0.1',
        LINKS_COUNTRY_HEADER: 'CF-IPCountry',
      })
      expect(await statementOf(full)).toMatchObject({
        privacy: 'full',
        honors_gpc: false,
        cookies: [],
        country_from: ['embedded_database'],
        clicks: { kept_days: null, deleted_within_hours: null },
        seen_by: { people_at_the_server: expect.any(String), assistants: 'counts' },
        fetched_from_destinations: { titles: false, icons: false, on_click: false },
      })
      expect(await statementOf(lean)).toMatchObject({
        privacy: 'lean',
        honors_gpc: true,
        country_from: ['proxy_header', 'embedded_database'],
        clicks: { kept_days: 30, deleted_within_hours: 1 },
        seen_by: { people_admitted_by_the_operator: expect.any(String) },
      })
      expect((await statementOf(lean)).seen_by).not.toHaveProperty('assistants')
      const [fullPage, leanPage] = [await pageOf(full, 'en'), await pageOf(lean, 'en')]
      for (const [text, pages] of [
        ['Totals are kept indefinitely', [fullPage, leanPage]],
        ['Individual clicks are kept indefinitely', [fullPage]],
        ['Individual clicks are deleted 30 days after', [leanPage]],
        ['up to 1,000 characters', [fullPage]],
        ['without the page', [leanPage]],
        ['Not stored with Global Privacy Control', [leanPage]],
        ['ignores this browser signal', [fullPage]],
        ['The network in front of this server', [leanPage]],
        ['AI assistants', [fullPage]],
        ['titles or icons', []],
      ] as const)
        expect([text, [fullPage, leanPage].filter((page) => page.includes(text))]).toEqual([text, [...pages]])
    })

    testOnSqlite(
      'L37.7: with the setting, every domain states that it honors Global Privacy Control',
      async () => {
        const on = await start({ LINKS_HONOR_GPC: 'on', LINKS_DOMAINS: 'go.example.org' })
        for (const host of ['localhost:8080', 'go.example.org', 'unknown.example']) {
          const response = await on.fetch('/.well-known/gpc.json', { headers: { Host: host } })
          expect([response.status, response.headers.get('content-type'), await response.json()]).toEqual([
            200,
            expect.stringMatching(/^application\/json/),
            { gpc: true },
          ])
          expect(response.headers.get('cache-control')).toBe('public, max-age=3600')
        }
        expect((await on.fetch('/.well-known/gpc.json', { method: 'POST' })).status).toBe(405)
        const off = await start()
        expect((await off.fetch('/.well-known/gpc.json')).status).toBe(404)
      },
    )

    testOnSqlite('L37.2: says with each value whether it is stored, as clicks prove', async () => {
      for (const environment of [{}, { LINKS_PRIVACY: 'lean', LINKS_HONOR_GPC: 'on' }]) {
        const links = await start({
          ...environment,
          TRUSTED_PROXIES: ADDRESS,
          LINKS_COUNTRY_HEADER: 'CF-IPCountry',
        })
        const split = ['a', 'b'].map((name) => ({ url: `https://example.com/${name}`, weight: 1 }))
        const [link] = await links.rows<{ id: number }>('select id from link')
        await links.call('PUT', `/links/${link?.id}/behaviour`, {
          key: await links.key('ann@example.com'),
          body: { split },
        })
        const legacyPath = { domain: '', path: 'Talk', link_id: link?.id ?? 0, source: 'cli', created_at: 1 }
        await links.database.write((tx) => tx.insertInto('legacy_path').values(legacyPath).execute())
        const headers = { ...VISIT, 'CF-IPCountry': 'SE' }
        const utm = 'source medium campaign term content'.split(' ').map((name) => `utm_${name}=x`)
        const { clicks } = await statementOf(links)
        const stored = (row: Record<string, unknown>) =>
          Object.keys(row).filter((name) => row[name] !== null && name !== 'is_self_referrer')
        const stated = (isGpc: boolean) =>
          clicks.fields
            .filter(({ name, with_gpc: withGpc }) => name !== 'is_self_referrer' && (!isGpc || withGpc))
            .map(({ name }) => name)
        const query = `?${utm.join('&')}`
        expect(stored(await visit(links, headers, query, '/Talk')).toSorted()).toEqual(
          stated(false).toSorted(),
        )
        const gpc = await visit(links, { ...headers, 'Sec-GPC': '1' }, query, '/Talk')
        expect(stored(gpc).toSorted()).toEqual(stated(true).toSorted())
      }
    })

    testOnSqlite('L37.2: contains no secret, name, address or path of the settings', () => {
      const secrets = {
        LINKS_DATABASE_URL: 'postgres://links:hunter2@db.internal/links',
        LINKS_JOURNAL: 'sqlite:/var/lib/hidden/journal.db',
        LINKS_METRICS_TOKEN: 'a-token-of-some-length',
        TRUSTED_PROXIES: '10.11.12.13',
        PROXY_HEADER: 'X-Hidden-For',
        LINKS_COUNTRY_HEADER: 'X-Hidden-Country',
        LINKS_ACCESS: 'jwt',
        LINKS_ACCESS_JWKS_URL: 'https://hidden.example/certs',
        LINKS_ACCESS_ISSUER: 'https://hidden.example',
        LINKS_ACCESS_AUDIENCE: 'hidden-audience',
      }
      const text = JSON.stringify(describePrivacy(readSettings(secrets))).toLowerCase()
      for (const secret of ['hunter2', 'internal', 'hidden', 'a-token', '10.11', 'sqlite', 'postgres'])
        expect([secret, text.includes(secret)]).toEqual([secret, false])
    })
  })

  describe('a click', () => {
    test('L37.3: stores no address as a whole, whatever value of the request is one', async () => {
      const links = await start()
      const plain = await visit(links, { 'User-Agent': ADDRESS, Referer: `http://${ADDRESS}/page` })
      expect(plain).toMatchObject({ user_agent: null, is_bot: 1, referrer_host: null, channel: 'referral' })
      const utm = await visit(
        links,
        { 'User-Agent': `${FIREFOX} Chrome/131.0.0.0`, Referer: ADDRESS },
        `?utm_source=${ADDRESS}&utm_medium=[2001:db8::7]:80&utm_campaign=2001:DB8::7&utm_term=spring&utm_content=${ADDRESS}:8080`,
      )
      expect(utm).toMatchObject({
        user_agent: `${FIREFOX} Chrome/131.0.0.0`,
        referrer: null,
        utm_source: null,
        utm_medium: null,
        utm_campaign: null,
        utm_term: 'spring',
        utm_content: null,
        channel: 'direct',
      })
    })

    test('L37.6: with lean has neither user agent nor full referrer, in the database and in the journal', async () => {
      const links = await start({ LINKS_PRIVACY: 'lean', LINKS_BASE_URL: 'https://go.example' })
      const expected = {
        referrer: null,
        user_agent: null,
        referrer_host: 'news.example',
        channel: 'referral',
        device_type: 'desktop',
        os: 'linux',
        browser: 'Firefox',
        is_bot: 0,
        is_self_referrer: 0,
        visitor_fp: expect.stringMatching(/^[\w-]{43}$/),
      }
      expect(await visit(links, VISIT, '?private=hidden-value')).toMatchObject(expected)
      expect(await visit(links, { ...VISIT, 'User-Agent': 'Googlebot/2.1' })).toMatchObject({ is_bot: 1 })
      expect(await visit(links, { ...VISIT, Referer: 'https://go.example/talk' })).toMatchObject({
        referrer_host: 'go.example',
        is_self_referrer: 1,
        referrer: null,
      })
      for (const part of [FIREFOX, 'Googlebot', '/people/ann', 'hidden-value', ADDRESS])
        expect([part, journalBytes(links).includes(part)]).toEqual([part, false])
      expect(journalBytes(links).includes('news.example')).toBe(true)
    })

    test('L37.6: that was stored before lean loses its details when the service starts with lean', async () => {
      const before = await start()
      expect(await visit(before, VISIT)).toMatchObject({ user_agent: FIREFOX, referrer: PAGE })
      const links = closeLater(new TestLinks())
      await links.start(before.url, { LINKS_PRIVACY: 'lean' })
      const stored = () =>
        links.rows<object>('select user_agent, referrer, referrer_host, browser from click')
      await until('they are erased', async () => JSON.stringify(await stored()).includes('"user_agent":null'))
      expect(await stored()).toEqual([
        { user_agent: null, referrer: null, referrer_host: 'news.example', browser: 'Firefox' },
      ])
    })

    testOnSqlite(
      'L37.7: with Sec-GPC counts without visitor, country and referrer, if the setting is on',
      async () => {
        const links = await start({
          LINKS_HONOR_GPC: 'on',
          TRUSTED_PROXIES: ADDRESS,
          LINKS_COUNTRY_HEADER: 'CF-IPCountry',
        })
        const headers = { ...VISIT, 'CF-IPCountry': 'SE' }
        const anonymous = { visitor_fp: null, country: null, referrer: null, referrer_host: null }
        const gpc = await visit(links, { ...headers, 'Sec-GPC': '1' })
        expect(gpc).toMatchObject({
          ...anonymous,
          channel: 'direct',
          is_self_referrer: 0,
          user_agent: FIREFOX,
        })
        expect([journalBytes(links).includes(PAGE), journalBytes(links).includes('"SE"')]).toEqual([
          false,
          false,
        ])
        for (const value of ['0', 'true', ''])
          expect(await visit(links, { ...headers, 'Sec-GPC': value })).toMatchObject({
            country: 'SE',
            referrer: PAGE,
            visitor_fp: expect.any(String),
          })
      },
    )

    testOnSqlite('L37.7: with Sec-GPC is stored like any other by default', async () => {
      const links = await start()
      const { visitor_fp: plain } = await visit(links, VISIT)
      const { visitor_fp: gpc, referrer } = await visit(links, { ...VISIT, 'Sec-GPC': '1' })
      expect([gpc, referrer]).toEqual([plain, PAGE])
    })
  })
})
