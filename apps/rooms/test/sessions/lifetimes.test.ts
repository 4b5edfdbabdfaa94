// Expiry of sessions (R10.4).
import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { roomsPerTest } from '../per-test.ts'
import { type Browser } from '../rooms.ts'
import { browserOf, insertPerson, storedSession } from './people.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const { rooms } = roomsPerTest()

async function isLive(browser: Browser): Promise<boolean> {
  return (await browser.send('/api/session')).status === 200
}

eachDialect((dialect, newUrl) => {
  test('C95: an unused session ends after the idle time, to the second', async () => {
    const service = await rooms({ url: await newUrl() })
    const ada = await insertPerson(service)
    const [late, inTime] = [await browserOf(service, ada), await browserOf(service, ada)]
    service.clock.ms += 7 * DAY - 1_000
    expect(await isLive(inTime)).toBe(true)
    service.clock.ms += 1_000
    expect(await isLive(late)).toBe(false)
    expect(await isLive(inTime)).toBe(true)
    service.clock.ms += 7 * DAY - 1_000 - 1
    expect(await isLive(inTime)).toBe(true)
  })

  test('the last use is written at most once a minute, and not by refused requests', async () => {
    const service = await rooms({ url: await newUrl() })
    const ada = await insertPerson(service)
    const browser = await browserOf(service, ada)
    const start = service.clock.ms
    const readLastSeen = async () => (await storedSession(service, browser.sessionId)).last_seen_at - start
    service.clock.ms = start + 59_999
    await browser.send('/api/session')
    expect(await readLastSeen()).toBe(0)
    service.clock.ms = start + 60_000
    await browser.send('/api/session')
    expect(await readLastSeen()).toBe(60_000)
    service.clock.ms = start + 119_999
    await browser.send('/api/session')
    expect(await readLastSeen()).toBe(60_000)
    const { last_seen_at } = await service.rooms.database.read
      .selectFrom('users')
      .select('last_seen_at')
      .where('id', '=', ada.id)
      .executeTakeFirstOrThrow()
    expect(last_seen_at).toBe(start + 60_000)
  })

  if (dialect === 'postgres') return

  test('C95: a session in use ends after the absolute time, to the second, and is never extended beyond it', async () => {
    const service = await rooms({ url: await newUrl() })
    const browser = await browserOf(service, await insertPerson(service))
    const start = service.clock.ms
    while (service.clock.ms + DAY < start + 30 * DAY) {
      service.clock.ms += DAY
      expect(await isLive(browser)).toBe(true)
    }
    service.clock.ms = start + 30 * DAY - 1_000
    expect(await browser.json('/api/session')).toMatchObject({
      session: { expiresAt: new Date(start + 30 * DAY).toISOString() },
    })
    service.clock.ms = start + 30 * DAY
    expect(await isLive(browser)).toBe(false)
  })

  test('R10.4c, C95: a guest’s session ends after 12 hours without use and after 24 hours in any case', async () => {
    const service = await rooms({ url: await newUrl() })
    const guests: Browser[] = []
    for (let i = 0; i < 2; i++) {
      const browser = service.browser()
      await browser.json('/api/session', { body: { nickname: 'Visitor' } }, 201)
      guests.push(browser)
    }
    const [idle, busy] = guests as [Browser, Browser]
    const start = service.clock.ms
    service.clock.ms = start + 12 * HOUR - 1_000
    expect(await isLive(busy)).toBe(true)
    service.clock.ms = start + 12 * HOUR
    expect(await isLive(idle)).toBe(false)
    for (const at of [18 * HOUR, 24 * HOUR - 1_000]) {
      service.clock.ms = start + at
      expect(await isLive(busy)).toBe(true)
    }
    service.clock.ms = start + 24 * HOUR
    expect(await isLive(busy)).toBe(false)
  })

  test('R10.4a, C95: sessions with an idle time of seconds are extended as well', async () => {
    const settings = { sessionIdleSeconds: 60, sessionAbsoluteSeconds: 600 }
    const service = await rooms({ url: await newUrl(), settings })
    const browser = await service.signedInBrowser()
    const start = service.clock.ms
    for (let used = 1; used <= 19; used++) {
      service.clock.ms = start + used * 30_000
      expect(await isLive(browser)).toBe(true)
    }
    service.clock.ms = start + 600_000
    expect(await isLive(browser)).toBe(false)
    const unused = await service.signedInBrowser()
    service.clock.ms += 60_000
    expect(await isLive(unused)).toBe(false)
  })

  test('a disabled account has no session, from the next request on', async () => {
    const service = await rooms({ url: await newUrl() })
    const ada = await insertPerson(service)
    const browser = await browserOf(service, ada)
    expect(await isLive(browser)).toBe(true)
    await service.rooms.database.write((tx) => tx.updateTable('users').set({ disabled: 1 }).execute())
    expect(await isLive(browser)).toBe(false)
  })
})

test('R10.4d, C96: a 21st login ends the oldest session and no other', async () => {
  const service = await rooms({ limits: { login_start_per_minute: 1000, callback_per_minute: 1000 } })
  const browsers = []
  for (let i = 0; i < 21; i++) {
    service.clock.ms += 1_000
    browsers.push(await service.signedInBrowser())
  }
  const live = []
  for (const browser of browsers) live.push(await isLive(browser))
  expect(live).toEqual([false, ...Array.from({ length: 20 }, () => true)])
})
