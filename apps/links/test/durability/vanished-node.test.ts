import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { Relay } from '@latchkey/database/testing-relay'
import { TestLinks } from '../testing.ts'
import { Server } from './server.ts'
import { closeAfterEach, testFolder, until } from '../test-database.ts'

const { closeLater } = closeAfterEach()

/** Generous: PostgreSQL ends the session of the vanished node after five seconds. */
const TIMEOUT_MS = 40_000

eachDialect((dialect, newUrl) => {
  // SQLite serves one node.
  if (dialect === 'sqlite') return

  test('a node that vanishes while it counts clicks stops no other node, and its clicks count once it is back', async () => {
    const url = await newUrl()
    const healthy = closeLater(new TestLinks())
    await healthy.start(url)
    // Both nodes count in the same hour.
    healthy.advance(Math.floor(Date.now() / 1000) - healthy.now)
    const key = await healthy.key('ann@example.com')
    const link = await healthy.createLink(key, { slug: 'shared' })
    const unrelated = await healthy.createLink(key, { slug: 'unrelated' })
    const relay = closeLater(await Relay.before(url))
    const folder = testFolder()
    const environment = { LINKS_DATABASE_URL: relay.through(url) }
    const vanishing = closeLater(await Server.start(folder, { environment }))
    // The connections for counting are open.
    expect((await vanishing.request('GET', '/shared')).status).toBe(302)
    const clicks = async () => (await healthy.call('GET', `/links/${link.id}`, { key })).body.total_clicks
    await until('the first click is counted', async () => (await clicks()) === 1)

    const silent = relay.silenceAfter('insert into click_hour_open')
    expect((await vanishing.request('GET', '/shared')).status).toBe(302)
    await silent
    await vanishing.kill()
    expect((await healthy.fetch('/shared')).status).toBe(302)

    const statusOf = async (method: string, path: string, body?: unknown) =>
      (await healthy.call(method, path, { key, body })).status
    for (const [method, path, body] of [
      ['GET', `/links/${unrelated.id}`],
      ['GET', `/links/${link.id}/analytics`],
      ['PATCH', `/links/${link.id}`, { label: 'changed' }],
      ['DELETE', `/links/${unrelated.id}`],
    ] as const)
      expect([method, path, await statusOf(method, path, body)]).toEqual([method, path, 200])
    expect((await healthy.fetch('/_/ready')).status).toBe(200)
    await until('the other node counts', async () => (await clicks()) === 2, TIMEOUT_MS)

    const back = closeLater(await Server.start(folder, { environment: { LINKS_DATABASE_URL: url } }))
    await until('the click of the vanished node is counted', async () => (await clicks()) === 3)
    expect((await back.stop()).code).toBe(0)
  }, 90_000)
})
