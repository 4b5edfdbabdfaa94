import { expect, test } from 'bun:test'
import { openDatabase } from '@latchkey/database/database'
import { eachDialect } from '@latchkey/database/testing'
import * as fc from 'fast-check'
import type { Tables } from '../../src/db/tables.ts'
import { exportInstance } from '../../src/transfer/instance/export.ts'
import { sharedTestLinks } from '../testing.ts'

const ann = 'ann@example.com'
let count = 0

interface Op {
  operation: string
  params?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: Record<string, unknown>
}

/** The subjects of random operations. */
interface World {
  linkIds: number[]
  bundleIds: number[]
  slugs: string[]
}

const index = fc.nat({ max: 3 })
const pick = <Item>(items: readonly Item[], at: number) => items[at % items.length]
const newUrl = () => `https://example.com/round/${++count}`
const newSlug = () => `round-${++count}`

/** Operations on what the plan itself creates. */
const ofOwn = fc.tuple(index, fc.boolean()).map(([link, isDeleted]) => ({ linkIds }: World, at: number) => [
  { operation: 'createBundle', body: { name: 'Own' } },
  { operation: 'createLink', body: { url: newUrl() } },
  { operation: 'addLinkToBundle', params: { id: { $op: at } }, body: { link_id: { $op: at + 1 } } },
  { operation: 'addLinkToBundle', params: { id: { $op: at } }, body: { link_id: pick(linkIds, link) } },
  { operation: 'addSlug', params: { id: { $op: at + 1 } }, body: { slug: newSlug() } },
  ...(isDeleted ? [{ operation: 'deleteLink', params: { id: { $op: at + 1 } } }] : []),
])

/** Operations of a plan, each a function of the links and bundles that exist. */
const op: fc.Arbitrary<(world: World) => Op> = fc.oneof(
  fc.constant(() => ({ operation: 'createLink', body: { url: newUrl(), slug: newSlug() } })),
  fc.constant(() => ({ operation: 'createBundle', body: { name: 'Round' } })),
  fc.constant(() => ({ operation: 'createLinks', body: { items: [{ url: newUrl() }, { url: newUrl() }] } })),
  ofLink('updateLink', () => ({ label: 'Round', url: newUrl() })),
  ofLink('updateLink', () => ({ expires_at: 4e9 })),
  ofLink('updateLink', () => ({ slug: newSlug() })),
  ofLink('disableLink'),
  ofLink('enableLink'),
  ofLink('deleteLink'),
  ofLink('addSlug', () => ({ slug: newSlug() })),
  ofLink('setBehaviour', () => ({ max_clicks: 5, after_url: newUrl() })),
  ofLink('deleteBehaviour'),
  index.map((at) => ({ slugs }: World) => ({
    operation: 'disableSlugBySlug',
    params: { slug: pick(slugs, at) },
  })),
  index.map((at) => ({ slugs }: World) => ({
    operation: 'removeSlugBySlug',
    params: { slug: pick(slugs, at) },
  })),
  index.map((at) => ({ slugs }: World) => ({
    operation: 'setPrimarySlugBySlug',
    params: { slug: pick(slugs, at) },
  })),
  // The slug of a link becomes free, and another one gets it.
  index.map((at) => ({ slugs, linkIds }: World) => ({
    operation: 'addSlug',
    params: { id: pick(linkIds, at) },
    body: { slug: pick(slugs, at + 1) },
  })),
  ofBundle('updateBundle', () => ({ name: 'Renamed', accent: 'blue' })),
  ofBundle('archiveBundle'),
  ofBundle('unarchiveBundle'),
  ofBundle('deleteBundle'),
  fc.tuple(index, index).map(([link, bundle]) => ({ linkIds, bundleIds }: World) => ({
    operation: 'addLinkToBundle',
    params: { id: pick(bundleIds, bundle) },
    body: { link_id: pick(linkIds, link) },
  })),
  fc.tuple(index, index).map(([link, bundle]) => ({ linkIds, bundleIds }: World) => ({
    operation: 'removeLinkFromBundle',
    params: { id: pick(bundleIds, bundle), linkId: pick(linkIds, link) },
  })),
)

function ofLink(operation: string, body?: () => Record<string, unknown>) {
  return index.map((at) => ({ linkIds }: World): Op => ({
    operation,
    params: { id: pick(linkIds, at) },
    ...(body && { body: body() }),
  }))
}

function ofBundle(operation: string, body?: () => Record<string, unknown>) {
  return index.map((at) => ({ bundleIds }: World): Op => ({
    operation,
    params: { id: pick(bundleIds, at) },
    ...(body && { body: body() }),
  }))
}

/** Tables that may differ: a slug that was in use is never an automatic one again. */
const OTHERS = ['history', 'plan', 'retired_slug', 'api_key']

eachDialect((dialect, newDatabaseUrl) => {
  // Each run takes a second on PostgreSQL.
  const runs = dialect === 'sqlite' ? 40 : 15
  const links = sharedTestLinks(newDatabaseUrl)

  /** The export of the instance without versions and history. */
  async function readExport(): Promise<string[]> {
    const database = openDatabase<Tables>(links.url)
    const chunks: string[] = []
    try {
      await exportInstance(database, 0, async (chunk) => void chunks.push(chunk.text))
    } finally {
      await database.close()
    }
    return withoutOthers(chunks.join(''))
  }

  function withoutOthers(text: string): string[] {
    let table = ''
    let columns: string[] = []
    // The first line has the numbers of rows and the last ids.
    const lines = text.trimEnd().split('\n').slice(1)
    return lines.flatMap((line) => {
      const parsed = JSON.parse(line) as unknown[] | { table: string; columns: string[] }
      if (!Array.isArray(parsed)) {
        table = parsed.table
        columns = parsed.columns
      }
      if (OTHERS.includes(table)) return []
      if (!Array.isArray(parsed) || table !== 'link') return [line]
      return [JSON.stringify(parsed.with(columns.indexOf('version'), null))]
    })
  }

  async function createWorld(key: string): Promise<World> {
    const made = []
    for (let n = 0; n < 3; n++) made.push(await links.createLink(key, { slug: newSlug() }))
    const post = (path: string, body: object) => links.call('POST', path, { key, body })
    const bundleIds: number[] = []
    for (let n = 0; n < 2; n++) bundleIds.push((await post('/bundles', { name: `World ${n}` })).body.id)
    await post(`/bundles/${bundleIds[0]}/links`, { link_id: made[0].id })
    await post(`/bundles/${bundleIds[1]}/links`, { link_id: made[1].id })
    await links.call('PUT', `/links/${made[2].id}/behaviour`, { key, body: { after_url: newUrl() } })
    await post(`/links/${made[0].id}/slugs`, { slug: newSlug() })
    return {
      linkIds: made.map(({ id }) => id),
      bundleIds,
      slugs: made.map(({ slugs }) => slugs.at(-1).slug),
    }
  }

  test('L29.3: a random plan that is applied and undone leaves everything as it was', async () => {
    const key = await links.key(ann)
    const world = await createWorld(key)
    let applied = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            { arbitrary: op.map((choose) => (of: World) => [choose(of)]), weight: 8 },
            { arbitrary: ofOwn, weight: 1 },
          ),
          { minLength: 1, maxLength: 8 },
        ),
        async (choices) => {
          const before = await readExport()
          // An operation that is refused after the others is left out.
          const ops: Op[] = []
          let planId = 0
          for (const choose of choices) {
            const { status, body } = await links.call('POST', '/plans', {
              key,
              body: { ops: [...ops, ...choose(world, ops.length)] },
            })
            if (status !== 201) continue
            ops.splice(0, ops.length, ...body.ops)
            planId = body.id
          }
          expect(await readExport()).toEqual(before)
          if (planId === 0) return
          const reply = await links.call('POST', `/plans/${planId}/apply`, { key })
          expect([reply.status, ops]).toEqual([200, ops])
          applied++
          const { body: undone } = await links.call('POST', `/plans/${planId}/undo`, { key })
          expect({ ops, remaining: undone.remaining }).toEqual({ ops, remaining: [] })
          expect({ ops, export: await readExport() }).toEqual({ ops, export: before })
        },
      ),
      { numRuns: runs, endOnFailure: true },
    )
    expect(applied).toBeGreaterThan(runs / 2)
  })
})
