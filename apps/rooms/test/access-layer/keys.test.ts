// The keys that sign assertions (R50.7).
import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { decodeProtectedHeader } from 'jose'
import { roomsPerTest } from '../per-test.ts'
import type { TestRooms } from '../rooms.ts'
import { Visitor, accessLayer, verify } from './visitor.ts'

const { rooms, nodeOf } = roomsPerTest()
const DAY_MS = 86_400_000

type Jwk = Record<string, string>

async function published(service: TestRooms): Promise<Jwk[]> {
  return (await service.browser().json<{ keys: Jwk[] }>('/api/access/jwks')).keys
}

const kids = async (service: TestRooms) => (await published(service)).map(({ kid }) => kid)

async function signingKid(visitor: Visitor): Promise<unknown> {
  const assertion = (await visitor.ask()).headers.get('x-latchkey-assertion') ?? ''
  return decodeProtectedHeader(assertion).kid
}

eachDialect((_dialect, newUrl) => {
  test('R50.7: nodes that start together share one key', async () => {
    const service = await rooms({ ...accessLayer(), url: await newUrl() })
    const nodes = await Promise.all([nodeOf(service), nodeOf(service)])
    const all = await Promise.all([service, ...nodes].map(published))
    expect(all[0]).toHaveLength(1)
    for (const keys of all) expect(keys).toEqual(all[0] ?? [])
    const visitor = new Visitor(service)
    await visitor.enter()
    for (const node of nodes) await verify(visitor, await visitor.movedTo(node).ask())
  })

  test('R50.7a: a key is published a day before it signs, and as long as its assertions can last', async () => {
    const service = await rooms({ ...accessLayer(), url: await newUrl() })
    const visitor = new Visitor(service)
    await visitor.enter()
    const [first] = await kids(service)
    // Each assertion is verified with keys that the service got twelve hours ago.
    const signed = new Set<unknown>()
    let earlier = await kids(service)
    for (let day = 0; day < 33; day += 0.5) {
      service.clock.ms += DAY_MS / 2
      await service.rooms.jobs.runDue()
      if (!(await visitor.ask()).ok) await visitor.enter()
      const kid = await signingKid(visitor)
      expect(earlier).toContain(kid as string)
      signed.add(kid)
      earlier = await kids(service)
      expect(earlier).toContain(kid as string)
      expect(earlier.length).toBeLessThanOrEqual(2)
    }
    expect(signed.size).toBe(2)
    expect([...signed][0]).toBe(first)
  })
})

test('R50.7b: only public parts are published, for all hosts and caches', async () => {
  const service = await rooms(accessLayer())
  for (const origin of ['https://rooms.example.com', 'http://127.0.0.1:8081']) {
    const response = await service.browser({ origin }).send('/api/access/jwks')
    expect(response.headers.get('cache-control')).toBe('public, max-age=300')
    const { keys } = (await response.json()) as { keys: Jwk[] }
    expect(keys.map((key) => Object.keys(key).toSorted())).toEqual([
      ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'],
    ])
  }
})

test('R50.7b: private parts are sealed in the database with the client secret', async () => {
  const service = await rooms(accessLayer())
  const rows = await service.rooms.database.read.selectFrom('access_keys').selectAll().execute()
  expect(JSON.stringify(rows)).not.toContain('"d"')
  const visitor = new Visitor(service)
  await visitor.enter()
  const before = await signingKid(visitor)
  const provider = service.idp.config({ clientSecret: 'another-secret', accessConditions: [] })
  const restarted = await service.node({ provider })
  try {
    const moved = visitor.movedTo(restarted)
    const after = await signingKid(moved)
    expect(after).not.toBe(before)
    expect(new Set<unknown>(await kids(restarted))).toEqual(new Set([before, after]))
  } finally {
    await restarted.close()
  }
})
