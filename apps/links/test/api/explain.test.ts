import { beforeAll, describe, expect, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { DESKTOP, PHONE } from '../actions.ts'
import { sharedTestLinks } from '../testing.ts'

const to = 'https://example.com/to'

onSqlite((newUrl) => {
  const links = sharedTestLinks(newUrl)
  let ann: string
  let ben: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
    ben = await links.key('ben@example.com', 'read')
  })
  let count = 0
  const newLink = async (behaviour: object, fields: object = {}) => {
    const slug = `explain-${++count}`
    const { id } = await links.createLink(ann, { slug, url: 'https://example.com/own', ...fields })
    const { status } = await links.call('PUT', `/links/${id}/behaviour`, { key: ann, body: behaviour })
    expect(status).toBe(200)
    return { id: id as number, slug }
  }
  const explain = async (path: string, visit: Record<string, string> = {}) => {
    const query = new URLSearchParams({ user_agent: DESKTOP, ...visit })
    const { status, body } = await links.call('GET', `${path}/explain?${query}`, { key: ben })
    expect([status, body]).toEqual([200, expect.anything()])
    return body
  }
  const sentences = (steps: { check: string; saw: string | number | null; result: string }[]) =>
    steps.map(({ check, saw, result }) => `${check} ${saw} ${result}`)

  test('L27.8: the answer has the destination, the class, every check, and the version of the link', async () => {
    const rules = [
      { when: { country: ['SE'], os: ['ios'] }, to: `${to}/ios` },
      { when: { not_language: ['de'], query: [{ name: 'ref' }] }, to },
    ]
    const { id } = await newLink({ rules, forward_query: 'all' })
    const visit = { country: 'se', language: 'sv', query: 'ref=x', referrer: 'https://example.org/' }
    const answer = await explain(`/links/${id}`, visit)
    expect({ ...answer, steps: sentences(answer.steps) }).toEqual({
      outcome: 'open',
      status: 302,
      location: `${to}?ref=x`,
      variant: '2',
      counted: { as: 'human', because: 'It is a GET by a browser that leads to a destination' },
      steps: [
        'method GET pass',
        `slug explain-${count} pass`,
        'disabled_at null pass',
        'rules.0.when.os windows fails',
        'rules.1.when.not_language sv holds',
        'rules.1.when.query ?ref=x holds',
        `rules.1.to ${to} chosen`,
        'forward_query ?ref=x added',
      ],
      changes_at: [],
      as_of: links.now,
      version: 2,
    })
    const phone = await explain(`/links/${id}`, { ...visit, user_agent: PHONE })
    expect([phone.location, phone.variant]).toEqual([`${to}/ios?ref=x`, '1'])
  })

  test('L27.2: without parameters it explains the very request, and an empty one is a request without it', async () => {
    const rules = [
      { when: { device: ['mobile'] }, to: `${to}/mobile` },
      { when: { language: ['sv'] }, to: `${to}/sv` },
    ]
    const { id } = await newLink({ rules })
    const call = async (query: string, headers: Record<string, string>) =>
      (await links.call('GET', `/links/${id}/explain${query}`, { key: ben, headers })).body
    expect((await call('', { 'User-Agent': PHONE })).location).toBe(`${to}/mobile`)
    const swedish = { 'User-Agent': DESKTOP, 'Accept-Language': 'sv' }
    expect((await call('', swedish)).location).toBe(`${to}/sv`)
    const { location, counted } = await call('?user_agent=&language=', swedish)
    expect([location, counted.as]).toEqual(['https://example.com/own', 'bot'])
  })

  test('L27.3: nothing is counted and nothing used up, however often a limited link is explained', async () => {
    const { id, slug } = await newLink({ max_clicks: 1, after_url: `${to}/after` })
    for (let n = 0; n < 3; n++) {
      const { outcome, steps } = await explain(`/slugs/${slug}`)
      expect([outcome, sentences(steps)[3]]).toEqual(['open', 'max_clicks 1 pass'])
    }
    const before = await links.databaseState()
    await explain(`/links/${id}`)
    expect(await links.databaseState()).toEqual(before)
    const get = () => links.fetch(`/${slug}`, { headers: { 'User-Agent': DESKTOP } })
    expect((await get()).headers.get('location')).toBe('https://example.com/own')
    const { outcome, location, counted, steps } = await explain(`/slugs/${slug}`)
    expect([outcome, location, counted.as]).toEqual(['used_up', `${to}/after`, 'used_up'])
    expect(sentences(steps).slice(3)).toEqual(['max_clicks 0 stop', `after_url ${to}/after chosen`])
    const { body } = await links.call('GET', `/links/${id}`, { key: ann })
    expect(body.total_clicks).toBe(1)
  })

  test('L27.6, L27.7: bots and previews of a limited link see no destination, and have classes of their own', async () => {
    const { id } = await newLink({ max_clicks: 1 })
    const classes = [
      [{ user_agent: 'Googlebot/2.1' }, 'preview'],
      [{ method: 'HEAD' }, 'head'],
    ] as const
    for (const [visit, as] of classes) {
      const { outcome, status, location, counted, steps } = await explain(`/links/${id}`, visit)
      expect([outcome, status, location, counted.as]).toEqual(['preview', 200, null, as])
      expect(sentences(steps).at(-1)).toBe(`visitor ${as} stop`)
    }
  })

  test('L27: a link with confirm_visit shows everyone a page first, and POST explains its button', async () => {
    const { id } = await newLink({ max_clicks: 1, confirm_visit: true })
    for (const user_agent of [DESKTOP, 'Googlebot/2.1']) {
      const { outcome, status, location, counted, steps } = await explain(`/links/${id}`, { user_agent })
      expect([outcome, status, location, counted.as]).toEqual(['confirm', 200, null, 'confirm'])
      expect(sentences(steps).at(-1)).toBe('confirm_visit GET stop')
    }
    const { outcome, status, counted, steps } = await explain(`/links/${id}`, {
      method: 'POST',
      user_agent: DESKTOP,
    })
    expect([outcome, status, counted.as]).toEqual(['open', 303, 'human'])
    expect(sentences(steps)).toContain('confirm_visit POST pass')
  })

  test('L27.2: at explains another moment, and changes_at names the next ones', async () => {
    const starts = links.now + 3600
    const { id } = await newLink({ starts_at: starts }, { expires_at: starts + 3600 })
    const early = await explain(`/links/${id}`)
    expect([early.outcome, early.status, early.location]).toEqual(['early', 404, null])
    expect(early.changes_at).toEqual([starts, starts + 3600])
    const open = await explain(`/links/${id}`, { at: `${starts}` })
    expect([open.outcome, open.as_of, open.changes_at]).toEqual(['open', starts, [starts + 3600]])
    const expired = await explain(`/links/${id}`, { at: `${starts + 3600}` })
    expect([expired.outcome, expired.changes_at]).toEqual(['expired', []])
  })

  test('L27.5: a protected link asks for its password, and POST explains what the right one leads to', async () => {
    const { id, slug } = await newLink({ password: 'secret' })
    const form = await explain(`/links/${id}`)
    expect([form.outcome, form.status, form.location, form.counted.as]).toEqual([
      'locked',
      200,
      null,
      'locked',
    ])
    const entered = await explain(`/slugs/${slug}`, { method: 'POST' })
    expect([entered.status, entered.location]).toEqual([303, 'https://example.com/own'])
    const writer = await links.key('ann@example.com', 'create')
    await links.expectRefusal('GET', `/links/${id}/explain`, { key: writer }, [403, 'Forbidden'])
    await links.expectRefusal('GET', `/slugs/${slug}/explain?method=POST`, { key: writer }, [
      403,
      'Forbidden',
    ])
  })

  test('L27.2: a disabled slug leads nowhere, and its link still does', async () => {
    const { id, slug } = await newLink({ after_url: to })
    const other = `${slug}-b`
    await links.call('POST', `/links/${id}/slugs`, { key: ann, body: { slug: other } })
    await links.call('POST', `/links/${id}/slugs/${other}/disable`, { key: ann })
    const { outcome, status, steps } = await explain(`/slugs/${other}`)
    expect([outcome, status]).toEqual(['disabled', 404])
    expect(sentences(steps)).toEqual(['method GET pass', `slug ${other} stop`])
    expect((await explain(`/links/${id}`)).outcome).toBe('open')
    await links.call('POST', `/links/${id}/disable`, { key: ann })
    expect((await explain(`/slugs/${slug}`)).outcome).toBe('disabled')
  })

  test('L27: the admin side explains alike, by the same status of redirects', async () => {
    const { id } = await newLink({
      split: [
        { url: `${to}/a`, weight: 1 },
        { url: `${to}/b`, weight: 1 },
      ],
    })
    const { body } = await links.callAdmin('GET', `/links/${id}/explain?country=SE`)
    expect([body.status, body.outcome]).toEqual([302, 'open'])
    expect(body.variant).toMatch(/^0\.[12]$/)
    const again = await links.callAdmin('GET', `/links/${id}/explain?country=SE&at=${links.now + 86_400}`)
    // The hash of another day is unknown: the visitor of this request stays with the same part.
    expect(again.body.variant).toBe(body.variant)
  })

  describe('L27.2: parameters are checked', () => {
    const refused = [
      ['at=soon', 'at: must be Unix seconds'],
      ['at=999999999999', 'at: must be Unix seconds'],
      ['country=Sweden', 'country: must be a country code of ISO 3166-1'],
      ['method=PUT', 'method: must be one of: GET, HEAD, POST'],
      ['user_agent=a%0Ab', 'user_agent: must be the value of a header'],
    ] as const
    for (const [query, error] of refused)
      test(query, async () => {
        const { id } = await newLink({})
        await links.expectRefusal('GET', `/links/${id}/explain?${query}`, { key: ben }, [400, error])
      })

    test('an unknown link or slug is 404', async () => {
      await links.expectRefusal('GET', '/links/999999/explain', { key: ben }, [404, 'Link not found'])
      await links.expectRefusal('GET', '/slugs/nothing-here/explain', { key: ben }, [404, 'Slug not found'])
    })
  })
})
