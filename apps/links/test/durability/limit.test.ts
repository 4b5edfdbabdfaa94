import { expect, test } from 'bun:test'
import { DESKTOP } from '../actions.ts'
import { testFolder } from '../test-database.ts'
import { Server, createKey, withKey } from './server.ts'

const folder = testFolder()
const MAX_CLICKS = 300
const VISITORS = 64
const KILLS = 6

test('L26.3: a server killed under 64 connections never lets one person too many through', async () => {
  let server = await Server.start(folder)
  const headers = withKey(await createKey(server))
  const { text } = await server.request('POST', '/_/api/links', {
    headers,
    body: { url: 'https://example.com/few', slug: 'few' },
  })
  const path = `/_/api/links/${(JSON.parse(text) as { id: number }).id}/behaviour`
  await server.request('PUT', path, { headers, body: { max_clicks: MAX_CLICKS } })
  const counts = { through: 0, refused: 0, unanswered: 0 }
  /** Follows the link until the server is killed, or until it leads nowhere. */
  const visit = async (running: Server) => {
    const wire = await running.connect()
    try {
      for (let status = 302; status === 302;) {
        counts.unanswered++
        ;({ status } = await wire.request('GET', '/few', { headers: { 'User-Agent': DESKTOP } }))
        counts.unanswered--
        if (status === 302) counts.through++
        else counts.refused++
      }
    } catch {
      // The server was killed before it answered.
    } finally {
      wire.close()
    }
  }
  for (let kill = 0; kill < KILLS; kill++) {
    const visitors = Array.from({ length: VISITORS }, () => visit(server))
    const target = Math.round(((kill + 1) * MAX_CLICKS) / (KILLS + 2))
    while (counts.through < target && counts.refused === 0)
      await new Promise((resolve) => setImmediate(resolve))
    await server.kill()
    await Promise.all(visitors)
    server = await Server.start(folder)
  }
  await Promise.all(Array.from({ length: VISITORS }, () => visit(server)))
  const behaviour = await server.request('GET', path, { headers })
  await server.stop()
  expect(JSON.parse(behaviour.text)).toEqual({ max_clicks: MAX_CLICKS, clicks_left: 0 })
  expect(counts.through).toBeLessThanOrEqual(MAX_CLICKS)
  // A place is lost only with a visitor whose connection was cut.
  expect(counts.through + counts.unanswered).toBeGreaterThanOrEqual(MAX_CLICKS)
  expect(counts.refused).toBe(VISITORS)
}, 120_000)
