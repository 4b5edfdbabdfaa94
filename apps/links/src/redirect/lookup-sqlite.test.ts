import { describe, expect, test } from 'bun:test'
import { Database as SqliteFile } from 'bun:sqlite'
import { join } from 'node:path'
import { sql } from 'kysely'
import { NOW, Stored, click, closedAfterEach, testFolder } from '../../test/durability/stored.ts'
import { openRecorder } from '../clicks/recorder.ts'
import { openSqliteLookup } from './lookup-sqlite.ts'
import type { Lookup, Target } from './lookup.ts'

const folder = testFolder()
const { keep } = closedAfterEach()
let made = 0

interface Node {
  path: string
  stored: Stored
  lookup: Lookup
}

async function openNode(): Promise<Node> {
  const path = join(folder, `links-${++made}.db`)
  const stored = keep(await Stored.open(`sqlite:${path}`))
  return { path, stored, lookup: keep(openSqliteLookup(path, stored.database)) }
}

function find({ lookup }: Node, slug: string): Target | undefined {
  const found = lookup.find(slug)
  if (found instanceof Promise) throw new Error('SQLite answers at once')
  return found
}

const locationOf = (node: Node, slug: string) => find(node, slug)?.location
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** Each turn of the event loop looks for changes once, before anything else. */
async function turns(): Promise<void> {
  await nextTurn()
  await nextTurn()
}

const CHANGES: { name: string; change: (link: number) => string; after: string | undefined }[] = [
  {
    name: 'a new target',
    change: (link) => `update link set url = 'https://example.org/new' where id = ${link}`,
    after: 'https://example.org/new',
  },
  {
    name: 'a link disabled',
    change: (link) => `update link set disabled_at = ${NOW} where id = ${link}`,
    after: undefined,
  },
  {
    name: 'a slug disabled',
    change: () => `update slug set disabled_at = ${NOW} where slug = 'custom'`,
    after: undefined,
  },
  { name: 'a slug removed', change: () => `delete from slug where slug = 'custom'`, after: undefined },
  { name: 'a link deleted', change: (link) => `delete from link where id = ${link}`, after: undefined },
]

for (const { name, change, after } of CHANGES) {
  test(`${name} on this node shows on its very next look-up`, async () => {
    const node = await openNode()
    const link = await node.stored.link('abcd', 'custom')
    expect(locationOf(node, 'custom')).toBe('https://example.com/abcd')
    await node.stored.run(sql.raw(change(link)))
    expect(locationOf(node, 'custom')).toBe(after as string)
  })

  test(`${name} by another program shows in the next turn of the event loop`, async () => {
    const node = await openNode()
    const link = await node.stored.link('abcd', 'custom')
    expect(locationOf(node, 'custom')).toBe('https://example.com/abcd')
    await turns()
    const other = keep(new SqliteFile(node.path))
    other.run('pragma foreign_keys = on')
    other.run(change(link))
    expect(locationOf(node, 'custom')).toBe(after as string)
  })
}

test('a change that shows takes nothing else away, and undoing it shows as well', async () => {
  const node = await openNode()
  const link = await node.stored.link('abcd', 'custom')
  await node.stored.link('other')
  for (let time = 0; time < 3; time++) {
    await node.stored.run(sql`update link set disabled_at = ${NOW} where id = ${link}`)
    expect([locationOf(node, 'abcd'), locationOf(node, 'custom')]).toEqual([undefined, undefined])
    expect(locationOf(node, 'other')).toBe('https://example.com/other')
    await node.stored.run(sql`update link set disabled_at = null where id = ${link}`)
    expect(locationOf(node, 'abcd')).toBe('https://example.com/abcd')
    expect(locationOf(node, 'custom')).toBe('https://example.com/abcd')
  }
})

test('a new expiry shows on the very next look-up', async () => {
  const node = await openNode()
  const link = await node.stored.link('abcd')
  expect(find(node, 'abcd')?.expiresAt).toBeNull()
  await node.stored.run(sql`update link set expires_at = 0 where id = ${link}`)
  expect(find(node, 'abcd')?.expiresAt).toBe(0)
})

test('a slug that was unknown a moment ago is found as soon as it exists, whoever made it', async () => {
  const node = await openNode()
  expect(locationOf(node, 'abcd')).toBeUndefined()
  await node.stored.link('abcd')
  expect(locationOf(node, 'abcd')).toBe('https://example.com/abcd')
  expect(locationOf(node, 'later')).toBeUndefined()
  await turns()
  const elsewhere = keep(await Stored.open(`sqlite:${node.path}`))
  await elsewhere.link('later')
  expect(locationOf(node, 'later')).toBe('https://example.com/later')
})

test('a change that was rolled back is not believed', async () => {
  const node = await openNode()
  const link = await node.stored.link('abcd')
  expect(locationOf(node, 'abcd')).toBeDefined()
  await turns()
  const other = keep(new SqliteFile(node.path))
  other.run('begin immediate')
  other.run(`update link set url = 'https://example.org/' where id = ${link}`)
  expect(locationOf(node, 'abcd')).toBe('https://example.com/abcd')
  await turns()
  other.run('rollback')
  expect(locationOf(node, 'abcd')).toBe('https://example.com/abcd')
})

describe('what is remembered', () => {
  test('a target is read once, and clicks that are counted do not make it be read again', async () => {
    const node = await openNode()
    const link = await node.stored.link('abcd')
    const first = find(node, 'abcd')
    const recorder = keep(openRecorder(node.stored.url))
    for (let batch = 0; batch < 3; batch++) {
      await recorder.record([click(link, 'abcd')])
      await turns()
      expect(find(node, 'abcd')).toBe(first as Target)
    }
    expect(await node.stored.counts('abcd')).toEqual([3, 3, 3])
  })

  test('no more than a few thousand targets, the ones asked for most recently', async () => {
    const node = await openNode()
    const slugs = Array.from({ length: 10_000 }, (_, index) => `s${index}`)
    await node.stored.database.write(async (tx) => {
      for (const slug of slugs)
        await sql`insert into link (url, url_key, created_by, created_at, primary_slug, search_text)
          values (${`https://example.com/${slug}`}, 1, 'ann@example.com', ${NOW}, ${slug}, '')`.execute(tx)
      await sql`insert into slug (slug, link_id, is_custom, created_at)
        select primary_slug, id, 0, created_at from link`.execute(tx)
    })
    const [often = '', once = '', ...others] = slugs
    const [usedOften, usedOnce] = [find(node, often), find(node, once)]
    for (const slug of others) {
      expect(locationOf(node, slug)).toBe(`https://example.com/${slug}`)
      find(node, often)
    }
    expect(find(node, often)).toBe(usedOften as Target)
    expect(find(node, once)).not.toBe(usedOnce as Target)
    expect(locationOf(node, once)).toBe(`https://example.com/${once}`)
  }, 60_000)
})
