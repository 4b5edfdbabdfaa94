import { expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import { type TestLinks, sharedTestLinks, startTestLinks } from '../testing.ts'

const settings = {
  LINKS_ACCESS: 'header',
  LINKS_ACCESS_HEADER: 'X-Forwarded-Email',
  TRUSTED_PROXIES: '127.0.0.1',
}
// Files of a thousand rows and more, on a machine that runs other tests at the same time.
setDefaultTimeout(30_000)

const MEGABYTE = 1024 * 1024

/** The number of open files of this folder that have no name in it. */
function nameless(folder: string): number {
  const paths = readdirSync('/proc/self/fd').map((fd) => targetOf(`/proc/self/fd/${fd}`))
  return paths.filter((path) => path.startsWith(folder) && path.endsWith(' (deleted)')).length
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link, 'utf8')
  } catch {
    // Closed since the list was read.
    return ''
  }
}

eachDialect((dialect, newUrl, testOnSqlite) => {
  const links = sharedTestLinks(newUrl, settings)

  async function upload(
    file: BodyInit,
    query: string,
    {
      as = 'ann@example.com',
      headers = {},
      on = links,
    }: { as?: string; headers?: object; on?: TestLinks } = {},
  ) {
    const response = await on.fetch(`/_/admin/api/import?${query}`, {
      method: 'POST',
      headers: { 'X-Forwarded-Email': as, ...headers },
      body: file,
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const report = async (...args: Parameters<typeof upload>) => {
    const { status, text } = await upload(...args)
    return { status, body: JSON.parse(text) }
  }
  const read = async (path: string, as = 'ann@example.com') =>
    (await links.callAdmin('GET', path, { headers: { 'X-Forwarded-Email': as } })).body

  testOnSqlite(
    'L17.5: the beginning of a file gives its format and the columns that can be mapped',
    async () => {
      const inspect = async (file: BodyInit) => {
        const response = await links.fetch('/_/admin/api/import/inspect', {
          method: 'POST',
          headers: { 'X-Forwarded-Email': 'ann@example.com' },
          body: file,
        })
        return { status: response.status, body: await response.json() }
      }
      expect(await inspect('Ziel;Kurz\nhttps://example.com/inspected;a\n')).toEqual({
        status: 200,
        body: {
          format: 'csv',
          columns: [
            { name: 'Ziel', samples: ['https://example.com/inspected'], field: null },
            { name: 'Kurz', samples: ['a'], field: null },
          ],
          problem: null,
        },
      })
      expect(await inspect('')).toEqual({ status: 200, body: { format: 'csv', columns: [], problem: null } })
      expect((await inspect('-- MySQL dump\n')).body).toMatchObject({
        columns: [],
        problem: { reasons: [{ code: 'file_unsupported', kind: 'sql' }] },
      })
      expect((await inspect('x'.repeat(64 * 1024 + 1))).status).toBe(413)
    },
  )

  testOnSqlite(
    'L21.20: columns, conflicts, repeated URLs and tags are handled as the request says',
    async () => {
      const as = 'options@example.com'
      const csv = 'Ziel;Kurz;Gruppe\nhttps://example.com/opt-a;https://go.example/opt;opt-news\n'
      const map = ['url=Ziel', 'slug=Kurz', 'tags=Gruppe'].map((pair) => `map=${encodeURIComponent(pair)}`)
      const query = `format=csv&bundles_from_tags=true&${map.join('&')}`
      expect((await report(csv, `${query}&dry_run=true`, { as })).body).toMatchObject({
        imported: 1,
        bundles: 1,
      })
      expect((await report(csv, query, { as })).body).toMatchObject({ imported: 1, bundles: 1 })
      const other = csv.replace('opt-a', 'opt-b')
      expect((await report(other, query, { as })).body).toMatchObject({
        imported: 0,
        conflicts: 1,
        bundles: 0,
      })
      expect((await report(other, `${query}&on_conflict=skip`, { as })).body).toMatchObject({ skipped: 1 })
      const renamed = (await report(other, `${query}&on_conflict=rename`, { as })).body
      expect(renamed).toMatchObject({ imported: 1, bundles: 0, rows: [{ slug: 'opt-2' }] })
      const again = 'url\nhttps://example.com/opt-b\n'
      expect((await report(again, 'format=csv&same_url=skip', { as })).body).toMatchObject({ skipped: 1 })
      // A field that is mapped to nothing is not read, although a column has its name.
      const ignored = 'url,slug\nhttps://example.com/opt-c,opt-ignored\n'
      expect((await report(ignored, 'format=csv&map=slug%3D', { as })).body).toMatchObject({ imported: 1 })
      expect((await links.fetch('/opt-ignored', { redirect: 'manual' })).status).toBe(404)
      for (const bad of ['map=url', 'map=id%3DNumber', 'map=url%3Da&map=url%3Db', 'on_conflict=fail'])
        expect([bad, (await upload(csv, `format=csv&${bad}`, { as })).status]).toEqual([bad, 400])
      expect((await upload(csv, 'format=kutt&map=url%3DZiel', { as })).status).toBe(400)
    },
  )

  test('L25.7: an import reports the outcome of each row with its codes, and stores the valid ones', async () => {
    const file = [
      'url,slug,label',
      'https://example.com/1,in-one,First',
      'javascript:alert(1),in-two,',
      'https://example.com/3,in-one,',
      'https://example.com/1,IN-ONE,',
    ].join('\n')
    const { status, body } = await report(file, 'format=csv')
    expect([status, body]).toEqual([
      200,
      {
        dry_run: false,
        imported: 1,
        skipped: 1,
        conflicts: 1,
        bundles: 0,
        bad: 1,
        legacy_paths: 0,
        click_totals: null,
        notes: {},
        case_conflicts: 0,
        first_case_conflicts: [],
        rows: [
          { line: 2, result: 'imported', slug: 'in-one', url: 'https://example.com/1' },
          {
            line: 3,
            result: 'bad',
            reason: 'url must use http or https',
            reasons: [{ code: 'url_invalid' }],
          },
          {
            line: 4,
            result: 'conflict',
            slug: 'in-one',
            url: 'https://example.com/3',
            reason: 'slug "in-one" already redirects to https://example.com/1',
            reasons: [{ code: 'slug_taken', slug: 'in-one', url: 'https://example.com/1' }],
          },
          {
            line: 5,
            result: 'skipped',
            slug: 'in-one',
            url: 'https://example.com/1',
            reason: 'slug "in-one" already redirects to this URL',
            reasons: [{ code: 'slug_exists', slug: 'in-one' }],
          },
        ],
        rows_omitted: 0,
      },
    ])
    const link = await read('/slugs/in-one')
    expect([link.label, link.created_by, link.created_via]).toEqual(['First', 'ann@example.com', 'import'])
  })

  testOnSqlite('L17: a row that names another owner is imported for the importer, with a note', async () => {
    const rows = [
      { url: 'https://example.com/theirs', slug: 'theirs', created_by: 'ben@example.com' },
      { url: 'https://example.com/own', slug: 'own', created_by: 'ann@example.com' },
      { url: 'https://example.com/none' },
    ]
    const file = rows.map((row) => JSON.stringify(row)).join('\n')
    const { body } = await report(file, 'format=ndjson')
    expect(body.rows.map((row: { reason?: string }) => row.reason)).toEqual([
      'the file says it belongs to ben@example.com, it belongs to ann@example.com',
      undefined,
      undefined,
    ])
    expect(await read('/links?owner=ben@example.com')).toEqual([])
    expect((await read('/slugs/theirs')).created_by).toBe('ann@example.com')
    const again = (await report(file, 'format=ndjson')).body
    expect([again.imported, again.skipped]).toEqual([0, 3])
  })

  testOnSqlite(
    'an import takes nothing from others: their slug is a conflict, and their link is unchanged',
    async () => {
      await links.callAdmin('POST', '/links', {
        headers: { 'X-Forwarded-Email': 'ben@example.com' },
        body: { url: 'https://example.com/bens', slug: 'bens' },
      })
      const before = await links.databaseState()
      const { body } = await report('url,slug\nhttps://evil.example/,bens\n', 'format=csv')
      expect([body.imported, body.conflicts]).toEqual([0, 1])
      expect(await links.databaseState()).toEqual(before)
    },
  )

  testOnSqlite('a dry run stores nothing and reports the outcome of a run', async () => {
    const file = 'url,slug\nhttps://example.com/dry,dry\nhttps://example.com/wet,dry\nnonsense,x\n'
    const before = await links.databaseState()
    const dry = (await report(file, 'format=csv&dry_run=true')).body
    expect(await links.databaseState()).toEqual(before)
    const wet = (await report(file, 'format=csv&dry_run=false')).body
    expect([dry.imported, dry.conflicts, dry.bad]).toEqual([1, 1, 1])
    expect({ ...dry, dry_run: false }).toEqual(wet)
  })

  testOnSqlite('an import reports every row, its progress and the totals, line by line', async () => {
    const count = 1200
    const file = Array.from({ length: count }, (_, n) =>
      JSON.stringify({ url: `https://example.com/l/${n}` }),
    )
    const { status, headers, text } = await upload(file.join('\n'), 'format=ndjson', {
      headers: { Accept: 'application/x-ndjson' },
    })
    expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const rows = lines.flatMap(({ row }) => row ?? [])
    expect(rows.map(({ line }) => line)).toEqual(Array.from({ length: count }, (_, n) => n + 1))
    const progress = lines.flatMap(({ progress: each }) => each ?? [])
    expect(progress).toEqual([
      { rows: 500, bytes: expect.any(Number), of_bytes: file.join('\n').length },
      { rows: 1000, bytes: expect.any(Number), of_bytes: file.join('\n').length },
    ])
    expect(lines.at(-1)).toEqual({
      report: {
        dry_run: false,
        imported: count,
        skipped: 0,
        conflicts: 0,
        bad: 0,
        bundles: 0,
        legacy_paths: 0,
        click_totals: null,
        notes: {},
        case_conflicts: 0,
        first_case_conflicts: [],
      },
    })
  })

  testOnSqlite('a report in one piece names a thousand rows and counts the others', async () => {
    const file = ['url', ...Array.from({ length: 1100 }, (_, n) => `https://example.com/m/${n}`)].join('\n')
    const { body } = await report(file, 'format=csv&dry_run=true')
    expect([body.imported, body.rows.length, body.rows_omitted]).toEqual([1100, 1000, 100])
  })

  test('a client that stops reading ends the import after whole rows, and the next import adds only the others', async () => {
    const service = await startTestLinks(await newUrl(), settings)
    const count = 1200
    const file = [
      'url,slug',
      ...Array.from({ length: count }, (_, n) => `https://example.com/c/${n},c-${n}`),
    ].join('\n')
    const response = await service.fetchHandler(
      new Request('http://localhost:8080/_/admin/api/import?format=csv', {
        method: 'POST',
        headers: { 'X-Forwarded-Email': 'ann@example.com', Accept: 'application/x-ndjson' },
        body: file,
      }),
      { requestIP: () => ({ address: '127.0.0.1', family: 'IPv4', port: 1 }), timeout: () => undefined },
    )
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    await reader.cancel()
    const [{ stored }] = (await service.rows<{ stored: number }>('select count(*) as stored from link')) as [
      { stored: number },
    ]
    expect([stored > 0, stored < count]).toEqual([true, true])
    expect(
      await service.rows(
        'select id from link where id not in (select link_id from slug where is_custom = 1)',
      ),
    ).toEqual([])
    const { body } = await report(file, 'format=csv', { on: service })
    expect([body.imported, body.skipped, body.conflicts]).toEqual([count - stored, stored, 0])
  })

  testOnSqlite('visitors are redirected during an import', async () => {
    const service = await startTestLinks(await newUrl(), settings)
    const headers = { 'X-Forwarded-Email': 'ann@example.com' }
    const body = { url: 'https://example.com/visited', slug: 'visited' }
    await service.callAdmin('POST', '/links', { headers, body })
    const file = ['url', ...Array.from({ length: 1500 }, (_, n) => `https://example.com/v/${n}`)].join('\n')
    let [done, visits] = [false, 0]
    const importing = report(file, 'format=csv', { on: service }).finally(() => (done = true))
    while (!done) {
      expect((await service.fetch('/visited')).status).toBe(302)
      if (!done) visits++
    }
    // On a disk that syncs a click quickly, there are hundreds of visits.
    expect([(await importing).body.imported, visits > 0]).toEqual([1500, true])
  })

  testOnSqlite(
    'L17.7 L23: an upload over 32 MiB is 413, with or without a length, and stores nothing',
    async () => {
      const before = await links.databaseState()
      const row = `https://example.com/${'x'.repeat(1000)}\n`
      const head = `url\n${row.repeat(20)}`
      const announced = await report(head + ' '.repeat(32 * MEGABYTE), 'format=csv')
      expect([announced.status, announced.body]).toEqual([
        413,
        { error: 'Request body too large', code: 'body_too_large' },
      ])
      let pulled = 0
      const endless = new ReadableStream<Uint8Array>({
        pull(controller) {
          controller.enqueue(new TextEncoder().encode(pulled++ === 0 ? head : row.repeat(1000)))
        },
      })
      expect((await report(endless, 'format=csv')).status).toBe(413)
      expect(pulled).toBeLessThan(60)
      expect(await links.databaseState()).toEqual(before)
    },
  )

  testOnSqlite('an incomplete upload stores nothing and is refused with the reason', async () => {
    const before = await links.databaseState()
    let pulled = 0
    const broken = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (pulled++ > 0) return controller.error(new Error('the line is dead'))
        controller.enqueue(new TextEncoder().encode('url\nhttps://example.com/broken\n'))
      },
    })
    expect(await report(broken, 'format=csv')).toEqual({
      status: 400,
      body: { error: 'request: the upload broke off; nothing was changed', code: 'upload_interrupted' },
    })
    expect(await links.databaseState()).toEqual(before)
  })

  testOnSqlite('a missing or unknown format is refused by name before the file is read', async () => {
    for (const [query, field] of [
      ['', 'format'],
      ['format=xls', 'format'],
      ['format=csv&dry_run=maybe', 'dry_run'],
    ] as const) {
      const { status, body } = await report('url\nhttps://example.com/x\n', query)
      expect([query, status, body.error]).toEqual([
        query,
        400,
        expect.stringContaining(`${field}: must be one of`),
      ])
    }
    const { status, body } = await report('address\nhttps://example.com/x\n', 'format=csv')
    expect([status, body.imported, body.bad]).toEqual([200, 0, 1])
  })

  test('an export contains every link, and its import elsewhere restores slugs and states', async () => {
    const [source, target] = [
      await startTestLinks(await newUrl(), settings),
      await startTestLinks(await newUrl(), settings),
    ]
    const headers = { 'X-Forwarded-Email': 'ann@example.com' }
    for (let n = 0; n < 30; n++) {
      const { body } = await source.callAdmin('POST', '/links', {
        headers,
        body: { url: `https://example.com/${n}`, slug: `e-${n}`, label: `=Label ${n}, "quoted"` },
      })
      if (n % 3 === 0) await source.callAdmin('POST', `/links/${body.id}/disable`, { headers })
    }
    const shapeOf = async (service: TestLinks) =>
      (await service.callAdmin('GET', '/links', { headers })).body
        .map((link: { url: string; label: string; disabled_at: number; slugs: { slug: string }[] }) => [
          link.url,
          link.label,
          link.disabled_at,
          link.slugs.map(({ slug }) => slug),
        ])
        .toSorted()
    for (const [format, type] of [
      ['ndjson', 'application/x-ndjson'],
      ['csv', 'text/csv; charset=utf-8'],
    ] as const) {
      const file = await source.fetch(`/_/admin/api/export?format=${format}`, { headers })
      expect([file.status, file.headers.get('content-type')]).toEqual([200, type])
      expect(file.headers.get('content-disposition')).toMatch(
        new RegExp(`^attachment; filename="latchkey-links-\\d{4}-\\d\\d-\\d\\d\\.${format}"$`),
      )
      const { body } = await report(await file.text(), `format=${format}`, { on: target })
      expect([body.imported + body.skipped, body.conflicts, body.bad]).toEqual([30, 0, 0])
      expect(await shapeOf(target)).toEqual(await shapeOf(source))
    }
    const ndjson = await source.fetch('/_/admin/api/export', { headers })
    expect(ndjson.headers.get('content-type')).toBe('application/x-ndjson')
    expect((await source.fetch('/_/admin/api/export?format=xml', { headers })).status).toBe(400)
    const head = await source.fetch('/_/admin/api/export', { method: 'HEAD', headers })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  /**
   * An upload that stays open until it is ended. `pulled` is true once the service has read from
   * it.
   */
  function openUpload() {
    let pulled = 0
    const ended = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          begun.resolve()
          if (pulled++ === 0) return controller.enqueue(new TextEncoder().encode('url\n'))
          await ended.promise
          controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    return { body, begun: begun.promise, end: () => ended.resolve(), pulled: () => pulled }
  }

  testOnSqlite('L17.8: one import per person and two per node; a third is refused unread', async () => {
    const [first, second] = [openUpload(), openUpload()]
    const anns = upload(first.body, 'format=csv')
    await first.begun
    const expectRefusal = async (as: string, code: 'import_running' | 'imports_full', error: string) => {
      const { body, pulled } = openUpload()
      const { status, headers, text } = await upload(body, 'format=csv', { as })
      expect([status, JSON.parse(text), headers.get('retry-after'), pulled()]).toEqual([
        429,
        { error, code },
        '10',
        0,
      ])
    }
    await expectRefusal(
      'ann@example.com',
      'import_running',
      'You already have an import running; wait until it finishes',
    )
    const bens = upload(second.body, 'format=csv&dry_run=true', { as: 'ben@example.com' })
    await second.begun
    await expectRefusal('cleo@example.com', 'imports_full', 'Too many imports are running; try again later')
    await expectRefusal(
      'ben@example.com',
      'import_running',
      'You already have an import running; wait until it finishes',
    )
    first.end()
    expect((await anns).status).toBe(200)
    expect((await upload('url\n', 'format=csv')).status).toBe(200)
    expect((await upload('url\n', 'format=csv', { as: 'cleo@example.com' })).status).toBe(200)
    second.end()
    expect((await bens).status).toBe(200)
  })

  testOnSqlite('after a failed or refused import, its owner may import again', async () => {
    const broken = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('gone')),
    })
    for (const [body, query, status] of [
      [broken, 'format=csv', 400],
      [' '.repeat(33 * MEGABYTE), 'format=csv', 413],
      ['url\n', 'format=xls', 400],
      ['url\n', 'format=csv', 200],
    ] as const)
      expect([query, (await upload(body, query)).status]).toEqual([query, status])
  })

  testOnSqlite('an import leaves no file behind', async () => {
    // The shared folder has files of other imports that run at the same time.
    const [before, own] = [process.env['TMPDIR'], mkdtempSync(join(tmpdir(), 'latchkey-left-'))]
    const file = 'url\nhttps://example.com/left\n'
    let [seen, open]: [string[], number] = [['never looked'], 0]
    const looking = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          seen = readdirSync(own)
          open = nameless(own)
          controller.enqueue(new TextEncoder().encode(file))
          controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    process.env['TMPDIR'] = own
    try {
      await report(looking, 'format=csv')
      await report(file, 'format=csv&dry_run=true')
      await upload(file, 'format=csv', { headers: { Accept: 'application/x-ndjson' } })
      // A killed process would leave a visible file behind. During the import there is none,
      // because the file has no name.
      expect([seen, open, readdirSync(own)]).toEqual([[], 1, []])
    } finally {
      if (before === undefined) delete process.env['TMPDIR']
      else process.env['TMPDIR'] = before
      rmSync(own, { recursive: true })
    }
  })

  test('L25.6d: an import that fails in the database reports its progress, and the stored links stay', async () => {
    const service = await startTestLinks(await newUrl(), settings)
    const file = ['url', ...Array.from({ length: 700 }, (_, n) => `https://example.com/stop/${n}`)].join('\n')
    // Rejects all rows after the first batch: on PostgreSQL with disk_full, on SQLite with an
    // unknown error.
    const statements =
      dialect === 'sqlite'
        ? [
            `create trigger full before insert on link when (select count(*) from link) >= 500
             begin select raise(abort, 'unheard of'); end`,
          ]
        : [
            `create function refuse() returns trigger language plpgsql as $$ begin
             if (select count(*) from link) >= 500 then raise exception 'full' using errcode = '53100'; end if;
             return new; end $$`,
            `create trigger "full" before insert on link for each row execute function refuse()`,
          ]
    await service.database.write(async (tx) => {
      for (const statement of statements) await sql.raw(statement).execute(tx)
    })
    const { status, text } = await upload(file, 'format=csv', {
      on: service,
      headers: { Accept: 'application/x-ndjson' },
    })
    const last = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '')
    const sentence =
      dialect === 'sqlite'
        ? 'Internal Server Error'
        : 'The database became unavailable; the 500 links up to line 501 were imported. Import the file again later to add the rest.'
    expect([status, last.error, last.report.imported]).toEqual([200, sentence, 500])
    expect(await service.rows('select count(*) as stored from link')).toEqual([{ stored: 500 }])
    expect(service.log.some(({ message }) => message === 'response: aborted')).toBe(dialect === 'sqlite')
    const whole = await upload(file, 'format=csv', { on: service })
    expect(whole.status).toBe(dialect === 'sqlite' ? 500 : 503)
  })
})
