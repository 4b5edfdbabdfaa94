import { beforeAll, expect, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { exportInstance } from '../src/transfer/instance/export.ts'
import { DESKTOP } from './actions.ts'
import { ann, createToolCaller, settings } from './mcp/assistants.ts'
import { sharedTestLinks } from './testing.ts'

const SECRET = 'https://secret.example/path'

onSqlite((newUrl) => {
  const links = sharedTestLinks(newUrl, { ...settings, LINKS_METRICS_TOKEN: 'a-token-for-the-metrics' })
  let key: string
  const callTool = createToolCaller(links, () => key)
  beforeAll(async () => {
    key = await links.key(ann)
  })
  let count = 0
  const newLink = async (password: string) => {
    const slug = `locked-${++count}`
    const { id } = await links.createLink(key, { slug, url: SECRET, allow_duplicate: true })
    const { status } = await links.call('PUT', `/links/${id}/behaviour`, { key, body: { password } })
    expect(status).toBe(200)
    return { id: id as number, slug }
  }
  /** Makes `right` the password of the link, with a hash that costs little to check. */
  const storeCheapHash = (id: number) => {
    const hash = Bun.password.hashSync('right', { algorithm: 'argon2id', memoryCost: 8, timeCost: 1 })
    return links.database.write((tx) =>
      tx.updateTable('link_password').set({ hash }).where('link_id', '=', id).execute(),
    )
  }
  const enter = (slug: string, password: string, address: string) =>
    links.fetch(
      `/${slug}`,
      { method: 'POST', body: new URLSearchParams({ password }), headers: { 'User-Agent': DESKTOP } },
      address,
    )
  const asAnn = { 'X-Forwarded-Email': ann }

  test('L26.4c: no password, right or wrong, is in any answer, log, metric, export, archive or row', async () => {
    const passwords = {
      first: 'sesame-1789',
      second: 'sesame-2790',
      wrong: 'sesame-3791',
      long: 'sesame-4792',
    }
    const { id, slug } = await newLink(passwords.first)
    const answers: [path: string, text: string][] = []
    const visit = async (path: string, init: RequestInit = {}, address = '198.51.100.7') => {
      const headers = { 'User-Agent': DESKTOP, ...(init.headers as object) }
      const response = await links.fetch(path, { ...init, headers }, address)
      answers.push([path, `${JSON.stringify([...response.headers])} ${await response.text()}`])
      return response.status
    }
    const read = (path: string, headers: object = { Authorization: `Bearer ${key}` }) =>
      visit(path, { headers: headers as Record<string, string> }, '127.0.0.1')

    const tool = await callTool('set_link_behaviour', {
      link_id: id,
      behaviour: { password: passwords.second, max_clicks: 9 },
    })
    answers.push(['set_link_behaviour', tool.text])
    const refused = await links.call('PUT', `/links/${id}/behaviour`, {
      key,
      body: { password: passwords.long.repeat(20) },
    })
    expect(refused.status).toBe(400)
    answers.push(['refused', JSON.stringify(refused.body)])
    for (const password of [passwords.wrong, passwords.second]) {
      const answer = await enter(slug, password, '198.51.100.8')
      answers.push(['form', `${JSON.stringify([...answer.headers])} ${await answer.text()}`])
    }
    const { body: share } = await links.callAdmin('POST', `/links/${id}/share`, { headers: asAnn })
    const statuses = await Promise.all([
      visit(`/${slug}`),
      visit(`/${slug}`, { method: 'HEAD' }),
      visit(`/${slug}`, { headers: { 'User-Agent': 'Slackbot-LinkExpanding 1.0' } }),
      read(`/_/api/links/${id}`),
      read('/_/api/links'),
      read(`/_/api/slugs/${slug}`),
      read(`/_/api/links/${id}/behaviour`),
      read(`/_/api/links/${id}/explain?method=POST`),
      read(`/_/api/links/${id}/qr`),
      read(`/_/admin/api/links/${id}`, asAnn),
      read('/_/admin/api/clicks/recent', asAnn),
      read('/_/admin/api/export', asAnn),
      read('/_/admin/api/export?format=csv', asAnn),
      read('/_/metrics', { Authorization: 'Bearer a-token-for-the-metrics' }),
      read('/_/privacy.json', {}),
      read(new URL(share.url as string).pathname, {}),
    ])
    expect(new Set(statuses)).toEqual(new Set([200]))
    await exportInstance(
      links.database,
      links.now,
      async (piece) => void answers.push(['archive', piece.text]),
    )
    answers.push(['log', JSON.stringify(links.log)], ['rows', JSON.stringify(await links.databaseState())])

    const { hash } = (await links.rows<{ hash: string }>('select hash from link_password'))[0] ?? { hash: '' }
    expect(hash).toStartWith('$argon2id$')
    for (const [path, text] of answers) {
      for (const password of Object.values(passwords))
        expect([path, text.includes(password)]).toEqual([path, false])
      // The hash could be attacked elsewhere.
      if (path !== 'rows') expect([path, text.includes(hash)]).toEqual([path, false])
    }
    // Visitors without the password, and the public page of the statistics, see no destination.
    const publicAnswers = answers.filter(([path]) => path === `/${slug}` || path.includes('/stats/'))
    expect(publicAnswers).toHaveLength(4)
    for (const [path, text] of publicAnswers)
      expect([path, text]).toEqual([path, expect.not.stringContaining('secret.example')])
  })

  test('L26.4g: forty people with the right password behind one address all get through at once', async () => {
    const { id, slug } = await newLink('right')
    await storeCheapHash(id)
    const answers = await Promise.all(Array.from({ length: 40 }, () => enter(slug, 'right', '198.51.100.1')))
    for (const answer of answers)
      expect([answer.status, answer.headers.get('location')]).toEqual([303, SECRET])
  })

  test('L26.4e: many wrong tries at many links hardly delay the right password of another one', async () => {
    const attacked = await Promise.all(Array.from({ length: 4 }, () => newLink('right')))
    const { slug } = await newLink('right')
    let checked = 0
    const flood = Array.from({ length: 20 }, async (_, n) => {
      const answer = await enter(attacked[n % 4]?.slug ?? '', 'wrong', '198.51.100.1')
      checked++
      return answer.status
    })
    expect((await enter(slug, 'right', '198.51.100.1')).status).toBe(303)
    expect(checked).toBeLessThan(15)
    expect(new Set(await Promise.all(flood))).toEqual(new Set([401]))
  })

  /** Posts as many wrong passwords at once, from a hundred addresses. */
  function postWrong(slug: string, tries: number) {
    const statuses: number[] = []
    const all = Promise.all(
      Array.from({ length: tries }, async (_, n) => {
        statuses.push((await enter(slug, `wrong-${n}`, `198.51.100.${n % 100}`)).status)
      }),
    )
    return { statuses, all }
  }

  test('L26.4d: wrong passwords from many addresses delay no redirect of another link', async () => {
    const { slug } = await newLink('right')
    const { slug: plain, url } = { ...(await links.createLink(key)), slug: `plain-${++count}` }
    const { id } = await links.createLink(key, { slug: plain, url, allow_duplicate: true })
    const { statuses, all } = postWrong(slug, 30)
    const redirects = 100
    for (let n = 0; n < redirects; n++) {
      const response = await links.fetch(`/${plain}`, { headers: { 'User-Agent': DESKTOP } })
      expect([response.status, response.headers.get('location')]).toEqual([302, url])
    }
    // No redirect waits for a check, of which one runs at a time.
    expect(statuses.length).toBeLessThan(30)
    await all
    expect(new Set(statuses)).toEqual(new Set([401]))
    const { body } = await links.call('GET', `/links/${id}`, { key })
    expect(body.total_clicks).toBe(redirects)
  })

  test('L26.4d: of a thousand wrong passwords from a hundred addresses, a hundred are checked', async () => {
    const { id, slug } = await newLink('right')
    await storeCheapHash(id)
    const { statuses, all } = postWrong(slug, 1_000)
    await all
    // The link's own limit, not that of each address, decides how many are checked.
    expect(statuses.filter((status) => status === 401)).toHaveLength(100)
    expect(statuses.filter((status) => status === 429)).toHaveLength(900)
    expect((await enter(slug, 'right', '203.0.113.1')).status).toBe(429)
    const other = await newLink('right')
    expect((await enter(other.slug, 'right', '198.51.100.1')).status).toBe(303)
  })
})
