import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import { NO_FILTERS } from '../../src/clicks/filters.ts'
import { LiveClickReader } from '../../src/live/live-clicks.ts'
import { FROM_BROWSER, PHONE, type StoredClick, clickLink, recordClicks } from '../actions.ts'
import { BOT, NOW, TestDatabase, closeAfterEach, until } from '../test-database.ts'
import { sharedTestLinks, startTestLinks } from '../testing.ts'
import { openPage } from './event-page.ts'

const { closeLater } = closeAfterEach()

eachDialect((dialect, newUrl, testOnSqlite) => {
  const links = sharedTestLinks(newUrl)
  const createLink = async (slug: string, service = links) =>
    (await service.callAdmin('POST', '/links', { body: { url: `https://example.com/${slug}`, slug } })).body
      .id as number
  const recent = async (service = links) => (await service.callAdmin('GET', '/clicks/recent')).body

  test('L40.2: a page that asks for them receives clicks as they are counted, each once', async () => {
    const linkId = await createLink('live')
    const [page, other] = [await openPage(links, '?clicks=true'), await openPage(links)]
    await clickLink(links, 'live', { 'User-Agent': PHONE, Referer: 'https://secret.example/path' })
    await until('the click arrives', () => page.clicks.length === 1)
    expect(page.clicks[0]).toEqual({
      clicks: [
        {
          id: expect.any(Number),
          link_id: linkId,
          slug: 'live',
          clicked_at: links.now,
          seconds_ago: expect.any(Number),
          country: null,
          device_type: 'mobile',
          os: 'ios',
          browser: 'Safari',
        },
      ],
      more: 0,
    })
    await clickLink(links, 'live')
    await until('the second click arrives', () => page.clicks.length === 2)
    const ids = page.clicks.flatMap(({ clicks }) => clicks.map(({ id }) => id))
    expect(new Set(ids).size).toBe(2)
    await until('the other page has the changes', () => other.has('links', linkId))
    expect(other.clicks).toEqual([])
    await page.close()
    await other.close()
  })

  testOnSqlite(
    'L40.3: the viewer filters hold in the list and in the stream, as they are when it opens',
    async () => {
      await createLink('filtered')
      const body = { filter_bots: false }
      const page = await openPage(links, '?clicks=true')
      await links.fetch('/filtered', { headers: { 'User-Agent': BOT.userAgent } })
      await clickLink(links, 'filtered', { Host: 'go.example', Referer: 'https://go.example/other' })
      await clickLink(links, 'filtered')
      await until('the click of a person arrives', () => page.clicks.length > 0)
      expect(page.clicks.map(({ clicks, more }) => [clicks.length, more])).toEqual([[1, 0]])
      await page.close()
      const before = (await recent()).length
      await links.callAdmin('PUT', '/settings', { body })
      expect((await recent()).length).toBe(before + 1)
      await links.callAdmin('PUT', '/settings', { body: { filter_bots: true } })
    },
  )

  test('L40.1: the list has the last 20 clicks, newest first, and none of the future', async () => {
    const service = await startTestLinks(await newUrl())
    const linkId = await createLink('many', service)
    const clicks: StoredClick[] = Array.from({ length: 30 }, (_, n) => ({
      linkId,
      slug: 'many',
      clickedAt: service.now - ((n * 7) % 30) + 3,
      country: 'SE',
    }))
    await recordClicks(service.url, clicks)
    const list = (await recent(service)) as { clicked_at: number; seconds_ago: number; country: string }[]
    expect(list.map(({ clicked_at }) => service.now - clicked_at)).toEqual(
      Array.from({ length: 20 }, (_, age) => age),
    )
    expect(list.every(({ clicked_at, seconds_ago }) => service.now - clicked_at === seconds_ago)).toBe(true)
    expect(list[0]?.country).toBe('SE')
    expect(Object.keys(list[0] ?? {}).toSorted()).toEqual(
      'browser clicked_at country device_type id link_id os seconds_ago slug'.split(' '),
    )
  })

  testOnSqlite('L40.1: only people who are admitted see clicks', async () => {
    for (const path of ['/clicks/recent', '/events?clicks=true'])
      expect((await links.fetch(`/_/admin/api${path}`, FROM_BROWSER, '203.0.113.5')).status).toBe(403)
    const key = await links.key('ann@example.com')
    expect((await links.call('GET', '/clicks/recent', { key })).status).toBe(404)
    // With a key, this address has the log of events (L30.2) and no stream.
    const events = await links.call('GET', '/events?clicks=true', { key })
    expect(events.body).toEqual({ events: [], last_seq: expect.any(Number) })
    expect((await links.callAdmin('GET', '/events?clicks=yes')).status).toBe(400)
  })

  if (dialect === 'postgres')
    test('L40.2: clicks that another node counts arrive', async () => {
      const url = await newUrl()
      const [here, there] = [await startTestLinks(url), await startTestLinks(url)]
      await createLink('node', here)
      const page = await openPage(there, '?clicks=true')
      await clickLink(here, 'node')
      await until('the click arrives', () => page.clicks.length === 1)
      await page.close()
    })

  const openReader = async () => {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const linkId = await stored.createLink('live')
    const reader = new LiveClickReader({ database: stored.database, filters: NO_FILTERS, now: () => NOW })
    const record = (count: number, ageSeconds = 0) =>
      recordClicks(
        stored.url,
        Array.from({ length: count }, () => ({ linkId, slug: 'live', clickedAt: NOW - ageSeconds })),
      )
    return { stored, reader, record }
  }

  testOnSqlite('L40.2: a message lists at most 20 clicks and counts the others', async () => {
    const { reader, record } = await openReader()
    await record(5)
    expect(await reader.next()).toBeUndefined()
    await record(25)
    const message = await reader.next()
    expect([message?.clicks.length, message?.more]).toEqual([20, 5])
    expect(message?.clicks.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, n) => 30 - n))
    expect(await reader.next()).toBeUndefined()
  })

  testOnSqlite('L40.2: clicks of more than ten minutes ago, as from an import, are not live', async () => {
    const { reader, record } = await openReader()
    await reader.next()
    await record(2, 601)
    await record(1, 600)
    expect((await reader.next())?.clicks.map(({ seconds_ago }) => seconds_ago)).toEqual([600])
  })

  test('L40.2: a click that becomes visible after one with a later id is not missed', async () => {
    const { stored, reader, record } = await openReader()
    await record(3)
    await reader.next()
    await record(1)
    // The place of a transaction that another node commits later.
    await stored.run(sql`update click set id = 10 where id = 4`)
    expect((await reader.next())?.clicks.map(({ id }) => id)).toEqual([10])
    await stored.run(sql`update click set id = 7 where id = 3`)
    expect((await reader.next())?.clicks.map(({ id }) => id)).toEqual([7])
  })
})
