import { beforeAll, expect, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { sharedTestLinks } from '../testing.ts'

onSqlite((newUrl) => {
  const links = sharedTestLinks(newUrl)
  let ann: string
  let ben: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
    ben = await links.key('ben@example.com', 'read')
  })
  const put = (id: number, body: unknown, headers: Record<string, string> = {}) =>
    links.call('PUT', `/links/${id}/behaviour`, { key: ann, body, headers })
  const read = (id: number) => links.call('GET', `/links/${id}/behaviour`, { key: ben })
  const refuses = (id: number, body: unknown, error: string) =>
    links.expectRefusal('PUT', `/links/${id}/behaviour`, { key: ann, body }, [400, error])

  const to = 'https://example.com/to'
  const whole = {
    rules: [
      {
        when: {
          device: ['mobile'],
          not_os: ['ios', 'android'],
          browser: ['Safari'],
          country: ['SE', 'FI'],
          not_language: ['sv', 'pt-br'],
          referrer_host: ['example.org'],
          query: [{ name: 'ref' }, { name: 'from', is: 'mail' }],
          after: 1_700_000_000,
          not_before: 1_700_000_001,
          hours: { days: [1, 5], from: '09:00', to: '17:30', tz: 'Europe/Stockholm' },
        },
        to,
        label: 'Nordic phones',
      },
      {
        when: { country: ['DE'] },
        to: {
          split: [
            { url: to, weight: 1 },
            { url: `${to}/2`, weight: 3 },
          ],
          sticky: 'visit',
        },
      },
    ],
    split: [
      { url: `${to}/a`, weight: 1000, label: 'A' },
      { url: `${to}/b`, weight: 1 },
    ],
    sticky: 'day',
    starts_at: 1_700_000_000,
    before_url: `${to}/before`,
    after_url: `${to}/after`,
    forward_query: 'utm',
  }

  test('L26: a behaviour is read as it was written, and PUT replaces all of it', async () => {
    const { id } = await links.createLink(ann)
    expect((await read(id)).body).toEqual({})
    const stored = await put(id, whole)
    expect([stored.status, stored.body]).toEqual([200, whole])
    expect((await read(id)).body).toEqual(whole)
    const less = await put(id, { after_url: to })
    expect([less.body, (await read(id)).body]).toEqual([{ after_url: to }, { after_url: to }])
  })

  test('L26: an empty behaviour equals DELETE', async () => {
    const { id } = await links.createLink(ann)
    for (const remove of [
      () => put(id, {}),
      () => links.call('DELETE', `/links/${id}/behaviour`, { key: ann }),
    ]) {
      await put(id, { ...whole, max_clicks: 3, password: 'secret' })
      expect((await remove()).status).toBe(200)
      expect((await read(id)).body).toEqual({})
      const [row] = await links.rows(`select behaviour from link where id = ${id}`)
      expect(row).toEqual({ behaviour: null })
      for (const table of ['link_behaviour', 'link_limit', 'link_password'])
        expect(await links.rows(`select * from ${table} where link_id = ${id}`)).toEqual([])
    }
  })

  test('L26: only the owner writes a behaviour, and everyone who may read links reads it', async () => {
    const { id } = await links.createLink(ann)
    const foreign = await links.key('cleo@example.com')
    for (const [method, body] of [
      ['PUT', whole],
      ['DELETE', undefined],
    ] as const) {
      const path = `/links/${id}/behaviour`
      await links.expectRefusal(method, path, { key: foreign, body }, [
        403,
        'Only the link owner can update this link',
      ])
      await links.expectRefusal(method, path, { key: ben, body }, [403, 'Forbidden'])
      await links.expectRefusal(method, '/links/999999/behaviour', { key: ann, body }, [
        404,
        'Link not found',
      ])
    }
    expect((await read(999_999)).status).toBe(404)
  })

  test('L25.3: a behaviour has the version of its link, and raises it', async () => {
    const { id } = await links.createLink(ann)
    const first = await put(id, whole, { 'If-Match': '"1"' })
    expect([first.status, first.headers.get('etag')]).toEqual([200, '"2"'])
    expect((await put(id, {}, { 'If-Match': '"1"' })).status).toBe(412)
    expect((await read(id)).headers.get('etag')).toBe('"2"')
    await links.call('DELETE', `/links/${id}/behaviour`, { key: ann })
    await links.call('DELETE', `/links/${id}/behaviour`, { key: ann })
    expect((await read(id)).headers.get('etag')).toBe('"3"')
  })

  test('L26: an unknown field at any depth is refused by its path', async () => {
    const { id } = await links.createLink(ann)
    const rule = { when: { country: ['SE'] }, to }
    const split = [
      { url: to, weight: 1 },
      { url: to, weight: 1 },
    ]
    const hours = { from: '09:00', to: '10:00', tz: 'UTC' }
    for (const [body, path] of [
      [{ rule: [] }, 'rule'],
      [{ clicks_left: 3 }, 'clicks_left'],
      [{ rules: [rule, { ...rule, else: to }] }, 'rules.1.else'],
      [{ rules: [{ ...rule, when: { city: ['Lund'] } }] }, 'rules.0.when.city'],
      [{ rules: [{ ...rule, when: { not_hours: { ...hours, until: 1 } } }] }, 'rules.0.when.not_hours.until'],
      [{ rules: [{ ...rule, when: { query: [{ name: 'a', value: 'b' }] } }] }, 'rules.0.when.query.0.value'],
      [{ rules: [{ ...rule, to: { split, weight: 1 } }] }, 'rules.0.to.weight'],
      [{ rules: [{ ...rule, to: { split: [split[0], { ...split[1], to }] } }] }, 'rules.0.to.split.1.to'],
      [{ split: [split[0], { ...split[1], share: 5 }] }, 'split.1.share'],
    ] as const)
      await refuses(id, body, `Unknown field "${path}"`)
  })

  test('L26: every value is checked', async () => {
    const { id } = await links.createLink(ann)
    const rule = { when: { country: ['SE'] }, to }
    const part = { url: to, weight: 1 }
    for (const [body, error] of [
      [{ rules: [] }, 'rules: must have a rule'],
      [{ rules: Array.from({ length: 33 }, () => rule) }, 'rules: must have at most 32 rules'],
      [{ rules: [{ ...rule, when: {} }] }, 'rules.0.when: must have a condition'],
      [{ rules: [{ ...rule, to: 'javascript:alert(1)' }] }, 'rules.0.to: must use http or https'],
      [{ rules: [{ ...rule, to: 5 }] }, 'rules.0.to: must be a URL, or an object with split'],
      [{ rules: [{ ...rule, to: {} }] }, 'rules.0.to.split: is required'],
      [{ password: false }, 'password: must be a text, true or null'],
      [{ before_url: 'ftp://example.com', starts_at: 1 }, 'before_url: must use http or https'],
      [{ after_url: 'example' }, 'after_url: must be a valid URL'],
      [
        { after_url: `https://example.com/${'x'.repeat(2048)}` },
        'after_url: must be at most 2048 characters',
      ],
      [{ split: [part] }, 'split: must have at least 2 parts'],
      [{ split: Array.from({ length: 11 }, () => part) }, 'split: must have at most 10 parts'],
      [{ split: [part, { ...part, weight: 0 }] }, 'split.1.weight: must be at least 1'],
      [{ split: [part, { ...part, weight: 1001 }] }, 'split.1.weight: must be at most 1000'],
      [{ sticky: 'day' }, 'sticky: needs split'],
      [{ before_url: to }, 'before_url: needs starts_at'],
      [{ max_clicks: 0 }, 'max_clicks: must be at least 1'],
      [{ max_clicks: 1_000_000_001 }, 'max_clicks: must be at most 1000000000'],
      [{ password: '' }, 'password: must not be empty'],
      [{ password: 'x'.repeat(201) }, 'password: must be at most 200 characters'],
      [{ password: true }, 'password: is not set'],
      [{ forward_query: 'some' }, 'forward_query: must be one of: none, utm, all'],
      [
        { rules: [{ ...rule, when: { country: ['XX'] } }] },
        'rules.0.when.country.0: must be a country code of ISO 3166-1',
      ],
      [{ rules: [{ ...rule, when: { country: [] } }] }, 'rules.0.when.country: must be at least 1'],
      [
        { rules: [{ ...rule, when: { hours: { from: '24:00', to: '10:00', tz: 'UTC' } } }] },
        'rules.0.when.hours.from: must be a time such as 09:30',
      ],
      [
        { rules: [{ ...rule, when: { hours: { from: '09:00', to: '10:00', tz: 'Mars/Base' } } }] },
        'rules.0.when.hours.tz: must be the name of an IANA time zone',
      ],
    ] as const)
      await refuses(id, body, error)
    const long = { url: `https://example.com/${'x'.repeat(1900)}`, weight: 1 }
    await refuses(id, { split: [long, long, long] }, 'behaviour: too long')
  })

  test('L26.5: a destination may be one of our own short URLs, but not in a loop', async () => {
    const [a, b, c] = [await links.createLink(ann), await links.createLink(ann), await links.createLink(ann)]
    const shortUrl = (link: { slugs: { slug: string }[] }) =>
      `http://localhost:8080/${link.slugs[0]?.slug.toUpperCase()}`
    const leadTo = (target: string) => ({ rules: [{ when: { country: ['SE'] }, to: target }] })
    await refuses(a.id, { after_url: shortUrl(a) }, 'The link would lead visitors back to itself')
    expect((await put(a.id, leadTo(shortUrl(b)))).status).toBe(200)
    expect((await put(b.id, { starts_at: 1, before_url: shortUrl(c) })).status).toBe(200)
    await refuses(
      c.id,
      {
        split: [
          { url: to, weight: 1 },
          { url: shortUrl(a), weight: 1 },
        ],
      },
      'The link would lead visitors back to itself',
    )
    expect((await put(c.id, leadTo(`https://other.example/${a.slugs[0].slug}`))).status).toBe(200)
  })

  test('L26.5: a later write of another link closes no loop either, by URL, slug or creation', async () => {
    const shortUrl = (slug: string) => `http://localhost:8080/${slug}`
    const refusal = [400, 'The link would lead visitors back to itself'] as const
    const refusesAll = (writes: readonly (readonly [method: string, path: string, body: object])[]) =>
      Promise.all(
        writes.map(async ([method, path, body]) => {
          const { status, body: answer } = await links.call(method, path, { key: ann, body })
          expect([path, status, answer]).toEqual([path, refusal[0], { error: refusal[1] }])
        }),
      )
    const a = await links.createLink(ann, { slug: 'loop-a' })
    const b = await links.createLink(ann, { slug: 'loop-b' })
    // Leads nowhere yet.
    const rule = { when: { country: ['SE'] }, to: shortUrl('loop-free') }
    expect((await put(a.id, { rules: [rule], before_url: shortUrl('loop-b'), starts_at: 1 })).status).toBe(
      200,
    )
    const before = await links.databaseState()
    await refusesAll([
      ['PATCH', `/links/${b.id}`, { url: shortUrl('LOOP-A') }],
      ['PUT', `/links/${b.id}`, { url: `${shortUrl('loop-a')}?x=1#y` }],
      ['PATCH', `/links/${a.id}`, { slug: 'loop-free' }],
      ['POST', `/links/${a.id}/slugs`, { slug: 'loop-free' }],
      ['POST', '/slugs', { link_id: a.id, slug: 'loop-free' }],
      ['POST', '/links', { slug: 'loop-free', url: shortUrl('loop-a') }],
      ['POST', '/links', { slug: 'loop-self', url: shortUrl('loop-self') }],
    ])
    expect(await links.databaseState()).toEqual(before)
    const other = { slug: 'loop-free', url: 'https://other.example/loop-a' }
    expect((await links.call('POST', '/links', { key: ann, body: other })).status).toBe(201)
    expect((await put(a.id, {})).status).toBe(200)
    const body = { url: shortUrl('loop-a') }
    expect((await links.call('PATCH', `/links/${b.id}`, { key: ann, body })).status).toBe(200)
  })

  test('L26.5: of two writes at once that close a loop together, one is refused', async () => {
    for (let n = 0; n < 10; n++) {
      const [a, b] = [await links.createLink(ann), await links.createLink(ann)]
      const lead = (from: typeof a, next: typeof a) =>
        put(from.id, { after_url: `http://localhost:8080/${next.slugs[0].slug}` })
      const answers = await Promise.all([lead(a, b), lead(b, a)])
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 400]))
    }
  })

  test('L26.5b: a way over more than five of our own short URLs is refused', async () => {
    let last = await links.createLink(ann)
    const lead = async (id: number) => put(id, { after_url: `http://localhost:8080/${last.slugs[0].slug}` })
    for (let depth = 1; depth <= 5; depth++) {
      const next = await links.createLink(ann)
      expect((await lead(next.id)).status).toBe(200)
      last = next
    }
    const { id } = await links.createLink(ann)
    await refuses(
      id,
      { after_url: `http://localhost:8080/${last.slugs[0].slug}` },
      'The link would lead visitors over more than 5 short URLs of this instance',
    )
  })

  test('L26: a link with behaviour is not returned for the same URL, and its JSON stays as it was', async () => {
    const url = 'https://example.com/reused'
    const link = await links.createLink(ann, { url })
    await put(link.id, { after_url: to })
    expect((await links.call('GET', `/links/${link.id}`, { key: ann })).body).toEqual(link)
    const again = await links.call('POST', '/links', { key: ann, body: { url } })
    expect([again.status, again.body.id === link.id]).toEqual([201, false])
  })
})
