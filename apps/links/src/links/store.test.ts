import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { openSqliteFile } from '@latchkey/database/sqlite-file'
import { sqlitePath } from '@latchkey/database/url'
import { type KyselyPlugin, sql } from 'kysely'
import { NOW, TestDatabase, closeAfterEach } from '../../test/test-database.ts'
import { NO_FILTERS } from '../clicks/filters.ts'
import { removeSlug, setPrimarySlug } from './slugs/store.ts'
import { countMatches, readLinkCounts } from './count.ts'
import { listLinkPositions } from './list.ts'
import { readLinks } from './read-model.ts'

const { closeLater } = closeAfterEach()

const OWNERS = ['ann@example.com', 'ben@example.com']
const STATES = ['active', 'disabled', 'expired', 'all'] as const

eachDialect((dialect, newUrl) => {
  /** Links of two owners: some are disabled, some expired, some both. */
  async function openStates() {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const links = []
    for (let n = 0; n < 40; n++) {
      const id = await stored.createLink(`slug-${n}`)
      const owner = OWNERS[n % 3 === 0 ? 1 : 0] ?? ''
      const disabled = n % 4 === 1 ? NOW - 5 : null
      const expires = [null, NOW - 1, NOW, NOW + 1, 0][n % 5] ?? null
      await stored.run(sql`update link set created_by = ${owner}, created_at = ${NOW - n}, disabled_at = ${disabled},
        expires_at = ${expires} where id = ${id}`)
      const state =
        disabled === null ? (expires === null || expires > NOW ? 'active' : 'expired') : 'disabled'
      links.push({ id, owner, state })
    }
    return { stored, links }
  }

  test('lists and counts of each state and owner match a check of every link', async () => {
    const { stored, links } = await openStates()
    for (const status of STATES)
      for (const owner of [undefined, '', ...OWNERS, 'nobody@example.com']) {
        const filter = { status, owner, search: undefined }
        const expected = links
          .filter((link) => status === 'all' || link.state === status)
          .filter((link) => !owner || link.owner === owner)
          .map(({ id }) => id)
        const listed = await listLinkPositions(stored.database, { ...filter, limit: 100 }, NOW, undefined)
        expect(listed.map(({ id }) => id)).toEqual(expected)
        expect([status, owner, (await countMatches(stored.database, filter, NOW)).total]).toEqual([
          status,
          owner,
          expected.length,
        ])
      }
  })

  if (dialect === 'sqlite')
    test('a count, and a list of links that do not redirect, read no link only to exclude it', async () => {
      const { stored } = await openStates()
      const { database } = stored
      const plans: string[] = []
      const watch: KyselyPlugin = {
        transformQuery({ node, queryId }) {
          const { sql: text, parameters } = database.read.getExecutor().compileQuery(node, queryId)
          plans.push(planOf(text, parameters))
          return node
        },
        transformResult: async ({ result }) => result,
      }
      const planOf = (text: string, parameters: readonly unknown[]) => {
        const file = openSqliteFile(sqlitePath(stored.url), { readonly: true })
        const rows = file
          .query<{ detail: string }, never[]>(`explain query plan ${text}`)
          .all(...(parameters as never[]))
        file.close()
        return rows.map(({ detail }) => detail).join('; ')
      }
      const watched = { ...database, read: database.read.withPlugin(watch) }
      for (const status of STATES)
        await countMatches(watched, { status, owner: undefined, search: undefined }, NOW)
      await readLinkCounts(watched, { status: 'all' }, NOW)
      for (const status of ['disabled', 'expired'] as const)
        await listLinkPositions(
          watched,
          { status, owner: undefined, search: undefined, limit: 10 },
          NOW,
          undefined,
        )
      expect(plans.length).toBeGreaterThanOrEqual(6)
      for (const plan of plans) {
        expect(plan).not.toMatch(/SCAN link(?!_count| USING (?:COVERING )?INDEX link_disabled)/)
        expect(plan).toMatch(/link_count|link_disabled|link_expiring/)
      }
    })

  test('a link that changes during a read has exactly one primary slug', async () => {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const id = await stored.createLink('auto', 'mine')
    await stored.database.write((tx) => setPrimarySlug(tx, id, 'mine'))
    // Another writer deletes the primary slug between the statements.
    let removal: Promise<void> | undefined
    const between: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (result.rows.length > 0)
          await (removal ??= stored.database.write(async (tx) => {
            await setPrimarySlug(tx, id, 'auto')
            await removeSlug(tx, stored.database, { link_id: id, slug: 'mine' })
          }))
        return result
      },
    }
    const database = { ...stored.database, read: stored.database.read.withPlugin(between) }
    const view = { now: NOW, filters: NO_FILTERS }
    const [inconsistent] = await readLinks(database, [id], view)
    expect(removal).toBeDefined()
    expect(inconsistent?.slugs.filter((slug) => slug.is_primary === 1)).toHaveLength(1)
    const [after] = await readLinks(stored.database, [id], view)
    expect(after?.slugs.map(({ slug, is_primary }) => [slug, is_primary])).toEqual([['auto', 1]])
  })
})
