import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { NOW, TestDatabase, closeAfterEach } from '../../test/test-database.ts'
import { NO_FILTERS } from '../clicks/filters.ts'
import type { Context } from '../api/context.ts'
import { Sites } from '../domains/sites.ts'
import { SlugSpace } from './slugs/generator.ts'
import { slugOperations } from './slugs/operations.ts'
import { linkOperations } from './operations.ts'

const { closeLater } = closeAfterEach()
const URL = 'https://example.com/answers'

eachDialect((_dialect, newUrl) => {
  /**
   * Operations on a database that can be read only in transactions, as if it failed after each one.
   */
  async function open() {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const gone = new Proxy({} as TestDatabase['database']['read'], {
      get() {
        throw new Error('The database was read outside of the transaction')
      },
    })
    const database = { ...stored.recorded, read: gone, offThread: { ...stored.database, read: gone } }
    const context = {
      database,
      identity: 'ann@example.com',
      createdVia: 'api',
      filters: NO_FILTERS,
      now: NOW,
      headers: {},
      slugSpace: new SlugSpace(),
      flushClicks: async () => true,
      origin: 'http://localhost',
      sites: new Sites({ domains: [], redirectStatus: 302, robots: 'previews' }, database),
    } as unknown as Context
    return (id: string, input: object) => {
      const operation = [...linkOperations, ...slugOperations].find((one) => one.id === id)
      return operation?.handler(context, input as never) as Promise<Record<string, unknown>>
    }
  }

  test('a write of a link or slug reads its answer before it commits, and a failed read rolls it back', async () => {
    const run = await open()
    const link = await run('createLink', { body: { url: URL, slug: 'mine' } })
    const params = { id: link['id'], slug: 'mine' }
    expect(link).toMatchObject({ url: URL, total_clicks: 0, slugs: [{}, { slug: 'mine', is_primary: 1 }] })
    expect(await run('createLink', { body: { url: URL } })).toMatchObject({
      id: link['id'],
      duplicate: true,
      duplicate_count: 1,
    })
    const changes = [
      ['updateLink', { params, body: { label: 'Changed' } }, { label: 'Changed' }],
      ['disableSlug', { params }, { slug: 'mine', disabled_at: NOW, is_primary: 0 }],
      ['enableSlug', { params }, { slug: 'mine', disabled_at: null }],
      ['setPrimarySlug', { params }, { id: link['id'] }],
      ['disableLink', { params }, { disabled_at: NOW }],
      ['enableLink', { params }, { disabled_at: null }],
    ] as const
    for (const [id, input, answer] of changes) expect(await run(id, input)).toMatchObject(answer)
  })
})
