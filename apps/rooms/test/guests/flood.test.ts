import { heapStats } from 'bun:jsc'
import { expect, test } from 'bun:test'
import { createRates } from '../../src/api/rates.ts'
import { DEFAULT_LIMITS } from '../../src/api/limits.ts'
import { NOON, openRooms } from '../rooms.ts'

/** The number of responses per status. */
function tally(statuses: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

const nameOf = (n: number) => ({ nickname: `Visitor ${n} ${n * 7919}` })

test('C125: a flood from one address creates as many guests as the limits allow, whatever it sends, and members are not affected', async () => {
  const rooms = await openRooms()
  const member = await rooms.signedInBrowser(undefined, { ip: '192.0.2.10' })
  const statuses: number[] = []
  const flood = async (count: number) => {
    for (let n = 0; n < count; n++) {
      // Another cookie, another name and another forged address each time.
      const browser = rooms.browser({ ip: '192.0.2.9' })
      browser.cookies.set('__Host-latchkey_session', Buffer.alloc(32, n).toString('base64url'))
      const headers = {
        'x-forwarded-for': `10.0.0.${n}`,
        'x-real-ip': `10.0.1.${n}`,
        forwarded: `for=10.0.2.${n}`,
        'cf-connecting-ip': `10.0.3.${n}`,
        'user-agent': `agent ${n}`,
      }
      const response = await browser.send('/api/session', { body: nameOf(n), headers })
      if (response.status === 429) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      statuses.push(response.status)
    }
  }
  await flood(50)
  expect(tally(statuses)).toEqual({ 201: 5, 429: 45 })
  // At most 30 within the hour, plus what the limit recovers meanwhile.
  for (let minute = 1; minute <= 10; minute++) {
    rooms.clock.ms += 60_000
    await flood(8)
  }
  const made = tally(statuses)[201] ?? 0
  expect(made).toBeGreaterThanOrEqual(30)
  expect(made).toBeLessThanOrEqual(36)
  expect((await member.send('/api/session')).status).toBe(200)
  // A client at another address is admitted.
  const other = rooms.browser({ ip: '192.0.2.11' })
  expect((await other.send('/api/session', { body: nameOf(1) })).status).toBe(201)
  const { n } = await rooms.rooms.database.read
    .selectFrom('users')
    .select((eb) => eb.fn.countAll<number | string>().as('n'))
    .where('is_guest', '=', 1)
    .executeTakeFirstOrThrow()
  expect(Number(n)).toBe(made + 1)
  await rooms.close()
})

test('C125: a flood from 1000 prefixes creates no more guests than the limit per minute, and members are not affected', async () => {
  const rooms = await openRooms()
  const member = await rooms.signedInBrowser(undefined, { ip: '192.0.2.10' })
  const statuses: number[] = []
  for (let n = 0; n < 1000; n++) {
    const ip = n % 2 === 0 ? `${10 + (n >> 8)}.${n & 255}.0.1` : `2001:${n.toString(16)}::1`
    const response = await rooms.browser({ ip }).send('/api/session', { body: nameOf(n) })
    statuses.push(response.status)
  }
  expect(tally(statuses)).toEqual({ 201: 200, 429: 800 })
  expect((await member.send('/api/session')).status).toBe(200)
  const again = await rooms.browser({ ip: '192.0.2.12' }).signIn({ sub: 'bob', name: 'Bob' })
  expect(again.headers.get('location')).toBe('https://rooms.example.com/')
  await rooms.close()
})

test('C125: one network cannot use up the guests per minute, and a refusal by that limit costs an address nothing', async () => {
  const limits = { guest_create_total_per_minute: 20, guest_create_per_minute: 3 }
  const rooms = await openRooms({ limits })
  const come = async (ip: string, n: number) =>
    (await rooms.browser({ ip }).send('/api/session', { body: nameOf(n) })).status
  const line: number[] = []
  for (let n = 0; n < 40; n++) line.push(await come(`2001:db8:1:${n.toString(16)}::1`, n))
  // The total is 20. A /56 stops at a quarter of the remainder.
  expect(tally(line)).toEqual({ 201: 4, 429: 36 })
  expect(await come('2001:db8:2::1', 50)).toBe(201)
  // Other networks use up the rest, and 192.0.2.9 is refused for it.
  for (let n = 0; n < 15; n++) expect(await come(`${20 + n}.0.0.1`, 60 + n)).toBe(201)
  for (let n = 0; n < 9; n++) expect(await come('192.0.2.9', 80 + n)).toBe(429)
  rooms.clock.ms += 60_000
  for (let n = 0; n < 3; n++) expect(await come('192.0.2.9', 90 + n)).toBe(201)
  expect(await come('192.0.2.9', 99)).toBe(429)
  await rooms.close()
})

test('C125: addresses of one /64 count as one client, and those of another /64 do not', async () => {
  const rooms = await openRooms()
  const statuses: number[] = []
  for (let n = 1; n <= 8; n++) {
    const ip = `2001:db8:1:1:${n.toString(16)}::${n}`
    statuses.push((await rooms.browser({ ip }).send('/api/session', { body: nameOf(n) })).status)
  }
  expect(tally(statuses)).toEqual({ 201: 5, 429: 3 })
  const next = rooms.browser({ ip: '2001:db8:1:2::1' })
  expect((await next.send('/api/session', { body: nameOf(9) })).status).toBe(201)
  await rooms.close()
})

test('C125 (R22.2): the memory of the counters is limited, however many addresses appear', () => {
  const rates = createRates(DEFAULT_LIMITS, () => NOON)
  const flood = (from: number) => {
    for (let n = from; n < from + 200_000; n++)
      rates.tryTake('http_anonymous_per_minute', `2001:db8:${n}::/64`)
    Bun.gc(true)
    return heapStats().heapSize
  }
  const before = flood(0)
  const after = flood(200_000)
  // 200,000 keys would take some 20 MB.
  expect(after - before).toBeLessThan(4_000_000)
})

test('C125: a refused name does not count against the limits', async () => {
  const rooms = await openRooms()
  const browser = rooms.browser()
  for (let n = 0; n < 10; n++)
    expect((await browser.send('/api/session', { body: { nickname: 'Owner' } })).status).toBe(400)
  expect((await browser.send('/api/session', { body: nameOf(1) })).status).toBe(201)
  await rooms.close()
})

test('a name is not checked if a limit refuses the guest or the change', async () => {
  const limits = { guest_create_per_minute: 1, guest_rename_per_minute: 1 }
  const rooms = await openRooms({ limits })
  const guest = rooms.browser()
  expect((await guest.send('/api/session', { body: nameOf(1) })).status).toBe(201)
  expect((await guest.send('/api/session', { method: 'PATCH', body: nameOf(2) })).status).toBe(200)
  const refused = { nickname: 'Owner' }
  expect((await rooms.browser().send('/api/session', { body: refused })).status).toBe(429)
  expect((await guest.send('/api/session', { method: 'PATCH', body: refused })).status).toBe(429)
  await rooms.close()
})
