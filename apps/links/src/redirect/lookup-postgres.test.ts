import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openDatabase } from '@latchkey/database/database'
import { eachDialect } from '@latchkey/database/testing'
import { createLog } from '@latchkey/http/log'
import { sql } from 'kysely'
import { type OwnPostgres, startOwnPostgres } from '../../test/durability/own-postgres.ts'
import { Relay } from '@latchkey/database/testing-relay'
import { NOW, TestDatabase, closeAfterEach, messageOf, until } from '../../test/test-database.ts'
import type { Tables } from '../db/tables.ts'
import type { Changes } from '../live/changes.ts'
import { watchPostgres } from '../live/watch-postgres.ts'
import { PostgresLookup } from './lookup-postgres.ts'

const silentLog = createLog({ write: () => undefined })
const { closeLater, close } = closeAfterEach()

interface Node {
  stored: TestDatabase
  lookup: PostgresLookup
}

/**
 * A node with its own connections, cache and listener, on a database that other nodes may share.
 */
async function openNode(url: string, lookupUrl = url): Promise<Node> {
  const stored = closeLater(await TestDatabase.open(url))
  const lookup = closeLater(new PostgresLookup(lookupUrl, stored.database, silentLog))
  await lookup.listen()
  return { stored, lookup }
}

async function locationOf({ lookup }: Node, slug: string): Promise<string | undefined> {
  return (await lookup.find(slug))?.location
}

/** True if the lookup needed no query. */
function isFound({ lookup }: Node, slug: string): boolean {
  return !(lookup.find(slug) instanceof Promise)
}

eachDialect((dialect, newUrl) => {
  if (dialect === 'sqlite') return

  describe('changes made on this node apply to its next lookup', () => {
    test('a new destination', async () => {
      const node = await openNode(await newUrl())
      const link = await node.stored.createLink('abcd')
      expect(await locationOf(node, 'abcd')).toBe('https://example.com/abcd')
      for (let change = 0; change < 30; change++) {
        await node.stored.run(
          sql`update link set url = ${`https://example.org/${change}`} where id = ${link}`,
        )
        expect(await locationOf(node, 'abcd')).toBe(`https://example.org/${change}`)
      }
    })

    test('a slug that was unknown a moment ago', async () => {
      const node = await openNode(await newUrl())
      expect(await locationOf(node, 'abcd')).toBeUndefined()
      expect(isFound(node, 'abcd')).toBe(true)
      await node.stored.createLink('abcd')
      expect(await locationOf(node, 'abcd')).toBe('https://example.com/abcd')
    })

    test('a link disabled, looked up and enabled again', async () => {
      const node = await openNode(await newUrl())
      const link = await node.stored.createLink('abcd', 'custom')
      expect(await locationOf(node, 'abcd')).toBeDefined()
      await node.stored.run(sql`update link set disabled_at = ${NOW} where id = ${link}`)
      expect(await locationOf(node, 'abcd')).toBeUndefined()
      expect(await locationOf(node, 'custom')).toBeUndefined()
      await node.stored.run(sql`update link set disabled_at = null where id = ${link}`)
      expect(await locationOf(node, 'abcd')).toBe('https://example.com/abcd')
      expect(await locationOf(node, 'custom')).toBe('https://example.com/abcd')
    })

    test('a slug disabled, looked up and enabled again', async () => {
      const node = await openNode(await newUrl())
      await node.stored.createLink('abcd', 'custom')
      expect(await locationOf(node, 'custom')).toBeDefined()
      await node.stored.run(sql`update slug set disabled_at = ${NOW} where slug = 'custom'`)
      expect(await locationOf(node, 'custom')).toBeUndefined()
      expect(await locationOf(node, 'abcd')).toBeDefined()
      await node.stored.run(sql`update slug set disabled_at = null where slug = 'custom'`)
      expect(await locationOf(node, 'custom')).toBe('https://example.com/abcd')
    })

    test('an expiry set, moved and cleared', async () => {
      const node = await openNode(await newUrl())
      const link = await node.stored.createLink('abcd')
      for (const expiresAt of [NOW, NOW + 1, null, 0]) {
        await node.stored.run(sql`update link set expires_at = ${expiresAt} where id = ${link}`)
        expect(await node.lookup.find('abcd')).toMatchObject({ linkId: link, expiresAt })
      }
    })

    test('a link deleted with all its slugs, and a slug that another link takes over', async () => {
      const node = await openNode(await newUrl())
      const first = await node.stored.createLink('abcd', 'wanted')
      expect(await node.lookup.find('wanted')).toMatchObject({ linkId: first })
      await node.stored.run(sql`delete from link where id = ${first}`)
      expect(await locationOf(node, 'abcd')).toBeUndefined()
      expect(await locationOf(node, 'wanted')).toBeUndefined()
      const second = await node.stored.createLink('efgh', 'wanted')
      expect(await node.lookup.find('wanted')).toMatchObject({ linkId: second })
    })

    test('a change of a link invalidates all of its slugs, however many, and those of no other link', async () => {
      const node = await openNode(await newUrl())
      const slugs = Array.from({ length: 50 }, (_, index) => `s${index}`)
      const link = await node.stored.createLink('abcd', ...slugs)
      await node.stored.createLink('other')
      for (const slug of [...slugs, 'other']) await locationOf(node, slug)
      await node.stored.run(sql`update link set url = 'https://example.org/' where id = ${link}`)
      expect(isFound(node, 'other')).toBe(true)
      for (const slug of slugs) expect(await locationOf(node, slug)).toBe('https://example.org/')
    })
  })

  test('counting clicks invalidates nothing', async () => {
    const node = await openNode(await newUrl())
    await node.stored.createLink('abcd')
    await locationOf(node, 'abcd')
    await node.stored.run(sql`update slug set closed_clicks = closed_clicks + 1 where slug = 'abcd'`)
    await node.stored.run(sql`update link set label = 'new' where primary_slug = 'abcd'`)
    expect(isFound(node, 'abcd')).toBe(true)
  })

  test('a stored destination that cannot be parsed is not found', async () => {
    const node = await openNode(await newUrl())
    const link = await node.stored.createLink('abcd')
    await node.stored.run(sql`update link set url = 'http://[' where id = ${link}`)
    expect(await node.lookup.find('abcd')).toBeNull()
  })

  test('changes made on another node apply within a second, including new slugs and enabled links', async () => {
    const url = await newUrl()
    const [here, there] = [await openNode(url), await openNode(url)]
    const link = await there.stored.createLink('abcd', 'custom')
    expect(await locationOf(here, 'abcd')).toBe('https://example.com/abcd')
    expect(await locationOf(here, 'later')).toBeUndefined()

    const shows = (description: string, slug: string, location: string | undefined) =>
      until(description, async () => (await locationOf(here, slug)) === location, 1_000)
    await there.stored.run(sql`update link set url = 'https://example.org/' where id = ${link}`)
    await shows('the new target', 'abcd', 'https://example.org/')
    await there.stored.run(sql`update link set disabled_at = ${NOW} where id = ${link}`)
    await shows('the disabled link', 'abcd', undefined)
    await there.stored.run(sql`update link set disabled_at = null where id = ${link}`)
    await shows('the enabled link', 'abcd', 'https://example.org/')
    await there.stored.createLink('efgh', 'later')
    await shows('the new slug', 'later', 'https://example.com/efgh')
    await there.stored.run(sql`delete from slug where slug = 'later'`)
    await shows('the removed slug', 'later', undefined)
  })

  test('a change by another program, such as psql, applies within a second', async () => {
    const url = await newUrl()
    const node = await openNode(url)
    await node.stored.createLink('abcd')
    await locationOf(node, 'abcd')
    const outside = closeLater(openDatabase<Tables>(url))
    await outside.write((tx) => sql`update link set url = 'https://example.org/'`.execute(tx))
    await until('the change', async () => (await locationOf(node, 'abcd')) === 'https://example.org/', 1_000)
  })

  test('a rolled-back change is neither announced nor applied', async () => {
    const node = await openNode(await newUrl())
    await node.stored.createLink('abcd')
    await locationOf(node, 'abcd')
    const failing = node.stored.database.write(async (tx) => {
      await sql`update link set url = 'https://example.org/'`.execute(tx)
      throw new Error('changed my mind')
    })
    expect(await messageOf(failing)).toBe('changed my mind')
    expect(isFound(node, 'abcd')).toBe(true)
    expect(await locationOf(node, 'abcd')).toBe('https://example.com/abcd')
  })

  test('concurrent lookups of one unknown slug share one query', async () => {
    const url = await newUrl()
    const relay = closeLater(await Relay.before(url))
    const node = await openNode(url, relay.through(url))
    await node.stored.createLink('abcd')
    const lookups = Array.from({ length: 100 }, () => node.lookup.find('abcd'))
    for (const target of lookups) expect((await target)?.location).toBe('https://example.com/abcd')
    // One connection listens and one has queried. A second query would have opened another.
    expect(relay.connections).toBe(2)
  })

  test('a lookup after a change does not share the query of a lookup before it', async () => {
    const url = await newUrl()
    const relay = closeLater(await Relay.before(url))
    const node = await openNode(url, relay.through(url))
    const link = await node.stored.createLink('abcd', 'warm')
    // The second connection through the relay queries slugs; the first one listens.
    await locationOf(node, 'warm')
    const [warmAt] = await node.stored.rows<{ now: string }>('select clock_timestamp()::text as now')
    relay.holdAnswers(1)
    const before = node.lookup.find('abcd')
    await until('the question was read', async () => {
      const rows = await node.stored.rows<{ query: string }>(
        `select query from pg_stat_activity where state = 'idle' and query like '%slug.slug = $1%'
         and datname = current_database() and state_change > '${warmAt?.now}'`,
      )
      return rows.length > 0
    })
    await node.stored.run(sql`update link set url = 'https://example.org/' where id = ${link}`)
    const after = node.lookup.find('abcd')
    relay.releaseAnswers()
    await before
    expect((await after)?.location).toBe('https://example.org/')
  })

  test('changes of other slugs do not keep lookups that run meanwhile from being cached', async () => {
    const url = await newUrl()
    const relay = closeLater(await Relay.before(url))
    const node = await openNode(url, relay.through(url))
    await node.stored.createLink('abcd', 'warm')
    await locationOf(node, 'warm')
    relay.holdAnswers(1)
    const pendingLookup = node.lookup.find('abcd')
    await node.stored.createLink('efgh')
    relay.releaseAnswers()
    await pendingLookup
    expect(isFound(node, 'abcd')).toBe(true)
  })

  test('listening connections that die silently are detected, and all missed changes apply within seconds', async () => {
    const url = await newUrl()
    const relay = closeLater(await Relay.before(url))
    const node = await openNode(url, relay.through(url))
    const changesSeen: Partial<Changes>[] = []
    const watch = closeLater(watchPostgres(relay.through(url), silentLog))
    await watch.start((changes) => void changesSeen.push(changes))
    const link = await node.stored.createLink('abcd')
    await locationOf(node, 'abcd')
    // The two listening connections fall silent, and the one that queries slugs does not.
    relay.swallow(2)
    const outside = closeLater(openDatabase<Tables>(url))
    await outside.write((tx) =>
      sql`update link set url = 'https://example.org/' where id = ${link}`.execute(tx),
    )
    await until('the change', async () => (await locationOf(node, 'abcd')) === 'https://example.org/', 8_000)
    await until('pages are notified', () => changesSeen.some(({ more }) => more === true), 8_000)
    await until('the cache is used again', () => isFound(node, 'abcd'), 5_000)
  })

  describe('while the database is unreachable', () => {
    test('cached slugs keep redirecting, cached unknown slugs stay unknown, others throw, and afterwards everything is fresh', async () => {
      const url = await newUrl()
      const relay = closeLater(await Relay.before(url))
      const node = await openNode(url, relay.through(url))
      const link = await node.stored.createLink('abcd')
      await node.stored.createLink('unseen')
      await locationOf(node, 'abcd')
      await locationOf(node, 'nothing')

      relay.cut()
      for (let time = 0; time < 3; time++) {
        expect(await locationOf(node, 'abcd')).toBe('https://example.com/abcd')
        expect(await locationOf(node, 'nothing')).toBeUndefined()
        expect(await messageOf(node.lookup.find('unseen'))).toBeString()
      }
      // No listener receives this.
      await node.stored.run(sql`update link set url = 'https://example.org/' where id = ${link}`)
      await node.stored.createLink('efgh', 'nothing')

      relay.restore()
      await until(
        'the change shows',
        async () => (await locationOf(node, 'abcd')) === 'https://example.org/',
        5_000,
      )
      expect(await locationOf(node, 'nothing')).toBe('https://example.com/efgh')
      expect(await locationOf(node, 'unseen')).toBe('https://example.com/unseen')
      await until('the cache is used again', () => isFound(node, 'abcd'), 5_000)
    })

    test('the database is queried once a second, not more and more often', async () => {
      const url = await newUrl()
      const relay = closeLater(await Relay.before(url))
      const node = await openNode(url, relay.through(url))
      relay.cut()
      const before = relay.connections
      const startedMs = performance.now()
      await until('time passes', () => performance.now() - startedMs > 4_500)
      expect(relay.connections - before).toBeLessThanOrEqual(6)

      relay.restore()
      await node.stored.createLink('abcd')
      await until(
        'the node listens again',
        async () => (await locationOf(node, 'abcd')) !== undefined && isFound(node, 'abcd'),
        5_000,
      )
      const listeners = await node.stored.rows<{ pid: number }>(
        `select pid from pg_stat_activity where query = 'listen latchkey_redirect' and datname = current_database()`,
      )
      expect(listeners.length).toBeLessThanOrEqual(1)
    })

    test('closing resolves, and no further connections are attempted', async () => {
      const url = await newUrl()
      const relay = closeLater(await Relay.before(url))
      const { lookup } = await openNode(url, relay.through(url))
      relay.cut()
      expect(await messageOf(lookup.find('unseen'))).toBeString()
      await close(lookup)
      relay.restore()
      const before = relay.connections
      const startedMs = performance.now()
      await until('time passes', () => performance.now() - startedMs > 2_500)
      expect(relay.connections).toBe(before)
    })
  })
})

describe('with a server of its own', () => {
  let server: OwnPostgres | undefined
  beforeAll(async () => {
    server = await startOwnPostgres()
  })
  afterAll(() => server?.close())

  test('killed and restarted: cached slugs redirect throughout, and changes apply again afterwards', async () => {
    // Without an installed server, `npm test` reports that PostgreSQL was left out.
    if (!server) return
    const node = await openNode(server.url)
    const link = await node.stored.createLink('abcd')
    await node.stored.createLink('unseen')
    expect(await locationOf(node, 'abcd')).toBe('https://example.com/abcd')

    await server.kill()
    expect(await locationOf(node, 'abcd')).toBe('https://example.com/abcd')
    expect(await messageOf(node.lookup.find('unseen'))).toBeString()
    await server.start()

    const change = () => node.stored.run(sql`update link set url = 'https://example.org/' where id = ${link}`)
    await until('a change can be made', () =>
      change().then(
        () => true,
        () => false,
      ),
    )
    // The last failure does not matter, however recent: the node has reconnected by now.
    expect(await locationOf(node, 'abcd')).toBe('https://example.org/')
    await until('the node listens again', () => isFound(node, 'unseen'), 5_000)
    expect(await locationOf(node, 'unseen')).toBe('https://example.com/unseen')
  })

  test('frozen, accepting queries without answering: cached slugs redirect at once', async () => {
    if (!server) return
    const node = await openNode(server.url)
    await node.stored.createLink('efgh')
    expect(await locationOf(node, 'efgh')).toBe('https://example.com/efgh')
    server.freeze()
    try {
      expect(isFound(node, 'efgh')).toBe(true)
      expect(await locationOf(node, 'efgh')).toBe('https://example.com/efgh')
    } finally {
      server.thaw()
    }
  })

  test('frozen: an unknown slug gets an error within a limited time instead of waiting for ever', async () => {
    if (!server) return
    const node = await openNode(server.url)
    await node.stored.createLink('warm')
    await locationOf(node, 'warm')
    server.freeze()
    try {
      const timeout = Promise.withResolvers<string>()
      const timer = setTimeout(() => timeout.resolve('still waiting'), 8_000)
      const lookups = Promise.resolve(node.lookup.find('ijkl')).then(
        () => 'answered',
        () => 'refused',
      )
      expect(await Promise.race([lookups, timeout.promise])).toBe('refused')
      clearTimeout(timer)
      // By now the node knows that the database does not answer, and visitors of cached links do
      // not wait for it again.
      const endMs = performance.now() + 3_000
      await until('some time has passed', () => {
        expect(isFound(node, 'warm')).toBe(true)
        return performance.now() > endMs
      })
    } finally {
      server.thaw()
    }
  })
})
