import { beforeEach, expect, test } from 'bun:test'
import type { Database } from '@latchkey/database/database'
import { eachDialect } from '@latchkey/database/testing'
import type { Tables } from '../db/tables.ts'
import { writeExport } from './export.ts'
import type { ImportFormat } from './formats.ts'
import { importLinks } from './import.ts'
import type { RowOutcome } from './report.ts'
import type { Policy } from './plan.ts'
import { NOW, OWNER, fileOf, openMigrated } from './testing.ts'

const L = 'l.example.org'
const DOMAINS = { hosts: [L, 'xn--lnk-qla.example'], defaultHost: 'go.example.com', target: null }

eachDialect((_dialect, newUrl) => {
  let database: Database<Tables>
  beforeEach(async () => {
    database = await openMigrated(await newUrl())
    return () => database.close()
  })

  async function run(
    text: string,
    options: { format?: ImportFormat; domains?: typeof DOMAINS | { target: string }; policy?: Policy } = {},
  ): Promise<string[]> {
    const rows: RowOutcome[] = []
    await importLinks({
      database,
      source: fileOf(text),
      format: options.format ?? 'csv',
      owner: OWNER,
      now: NOW,
      domains: { ...DOMAINS, ...options.domains },
      ...(options.policy && { policy: options.policy }),
      onRow: (row) => void rows.push(row),
    })
    return rows.map(({ result, slug = '', reasons = [] }) =>
      [result, slug, ...reasons.map(({ code }) => code)].join(' '),
    )
  }
  const read = async (format: 'ndjson' | 'csv') => {
    let text = ''
    for await (const part of writeExport(database, format, NOW)) text += part
    return text
  }

  test('L31.4a: rows go to the domain that they name, and equal slugs of two domains are no conflict', async () => {
    const file = [
      'url,slug,domain',
      'https://example.com/a,promo,',
      'https://example.com/b,promo,L.Example.org',
      'https://example.com/c,idn,länk.example',
      'https://example.com/d,own,go.example.com',
      'https://example.com/e,lost,lost.example',
      'https://example.com/f,promo,l.example.org',
    ].join('\n')
    expect(await run(file)).toEqual([
      'imported promo',
      `imported ${L}/promo`,
      'imported xn--lnk-qla.example/idn',
      'imported own',
      'imported lost domain_dropped',
      `conflict ${L}/promo slug_taken`,
    ])
    const rename = { onConflict: 'rename', sameUrl: 'keep' } as const
    expect((await run(file, { policy: rename })).at(-1)).toBe(`imported ${L}/promo-2 slug_renamed`)
    const repeated = await run(file, { policy: rename })
    expect(repeated.filter((row) => row.startsWith('imported'))).toEqual([])
  })

  test('L31.4a: Link objects of a domain that the instance does not have are refused', async () => {
    const link = { url: 'https://example.com/e', slug: 'lost', domain: 'lost.example' }
    expect(await run(JSON.stringify(link), { format: 'ndjson' })).toEqual(['bad  domain_unknown'])
  })

  test('L31.4a: a domain may be written as an address', async () => {
    expect(await run(`url,slug,domain\nhttps://example.com/a,one,https://${L}/\n`)).toEqual([
      `imported ${L}/one`,
    ])
  })

  test('L31.4b: rows that name no domain go to the one of the import', async () => {
    const file = 'url,slug\nhttps://example.com/a,promo\nhttps://example.com/b,\n'
    expect(await run(file)).toEqual(['imported promo', expect.stringMatching(/^imported [a-z2-9]{4}$/)])
    expect(await run(file, { domains: { target: L } })).toEqual([
      `imported ${L}/promo`,
      expect.stringMatching(/^imported l\.example\.org\/[a-z2-9]{4}$/),
    ])
    // Links without a slug exist per domain.
    expect((await run(file, { domains: { target: L } }))[1]).toBe('skipped  url_exists')
  })

  test('L31.4a: files of other programs go to a domain of theirs only if it is one of the instance', async () => {
    const file = JSON.stringify([
      { url: 'https://example.com/a', key: 'ours', domain: L },
      { url: 'https://example.com/b', key: 'theirs', domain: 'dub.sh' },
    ])
    expect(await run(file, { format: 'dub' })).toEqual([`imported ${L}/ours`, 'imported theirs'])
    const shlink = `longUrl,shortCode,shortUrl\nhttps://example.com/c,abc,https://${L}/abc\n`
    expect(await run(shlink, { format: 'shlink' })).toEqual([`imported ${L}/abc`])
  })

  test('L31.4: an export names further domains, and imports again as the same links', async () => {
    expect((await read('csv')).split('\n')[0]).not.toContain('domain')
    await run(`url,slug,domain\nhttps://example.com/a,promo,\nhttps://example.com/b,promo,${L}\n`)
    const [csv, ndjson] = [await read('csv'), await read('ndjson')]
    expect(csv.split('\n')[0]).toEndWith(',created_by,behaviour,domain')
    const links = ndjson
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(links.map(({ domain }: { domain?: string }) => domain)).toEqual([undefined, L])
    expect(Object.keys(links[0])).not.toContain('domain')
    expect(links[1].slugs).toMatchObject([{ domain: L }, { slug: 'promo', domain: L }])
    const again = ['skipped promo slug_exists', `skipped ${L}/promo slug_exists`]
    expect(await run(csv)).toEqual(again)
    expect(await run(ndjson, { format: 'ndjson' })).toEqual(again)
  })
})
