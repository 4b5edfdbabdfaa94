import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openDatabase } from '@latchkey/database/database'
import { sql } from 'kysely'
import type { Tables } from '@latchkey/links/db/tables'
import { Workspace } from './running.ts'

describe('latchkey links transfer', () => {
  const workspace = new Workspace()
  afterAll(() => workspace.remove())
  beforeAll(async () => {
    const rows = Array.from({ length: 450 }, (_, n) => ({
      url: `https://example.com/${n}`,
      created_by: n < 420 ? 'ann@example.com' : 'cleo@example.com',
      slugs: [],
    }))
    const { code } = await workspace.run(
      ['links', 'import', '-', '--format', 'ndjson', '--owner', 'ann@example.com'],
      { stdin: rows.map((row) => `${JSON.stringify(row)}\n`).join('') },
    )
    expect(code).toBe(0)
  })
  const transfer = (...args: string[]) => workspace.run(['links', 'transfer', ...args])
  async function owners(): Promise<Record<string, number>> {
    const database = openDatabase<Tables>(`sqlite:${workspace.database}`)
    const rows = await database.read
      .selectFrom('link')
      .select(({ fn }) => ['created_by', fn.countAll<number>().as('links')])
      .groupBy('created_by')
      .execute()
    await database.close()
    return Object.fromEntries(rows.map(({ created_by, links }) => [created_by, links]))
  }

  async function countChanges(where: string): Promise<Record<string, number>> {
    const database = openDatabase<Tables>(`sqlite:${workspace.database}`)
    const { rows } = await sql<{ name: string; changes: number }>`
      select via || ' ' || kind || ' by ' || identity as name, count(*) as changes from history
      where ${sql.raw(where)} group by 1 order by 1`.execute(database.read)
    await database.close()
    return Object.fromEntries(rows.map(({ name, changes }) => [name, changes]))
  }

  test('L29.1d: an import adds a change for each link, by the person whom it was given', async () => {
    expect(await countChanges('true')).toEqual({ 'import link.created by ann@example.com': 450 })
  })

  test('L28.4: an unknown name needs --confirm, and nothing is transferred without it', async () => {
    const { code, err } = await transfer('--from', 'ann@example.com', '--to', 'ben@example.com')
    expect([code, err]).toEqual([
      1,
      'ben@example.com has created nothing here. If the name is right, add --confirm\n',
    ])
    expect(await owners()).toEqual({ 'ann@example.com': 420, 'cleo@example.com': 30 })
  })

  test('L28.4: one person owns all links of another, and those of others stay theirs', async () => {
    const { code, out, err } = await transfer(
      '--from',
      'ann@example.com',
      '--to',
      'ben@example.com',
      '--confirm',
    )
    expect([code, out, err]).toEqual([0, 'ben@example.com owns 420 more links and 0 more bundles\n', ''])
    // L29.1: a command without an identity writes as the operator.
    expect(await countChanges(`via <> 'import'`)).toEqual({ 'cli link.transferred by operator': 420 })
    expect(await owners()).toEqual({ 'ben@example.com': 420, 'cleo@example.com': 30 })
    expect((await transfer('--from', 'cleo@example.com', '--to', 'ben@example.com')).code).toBe(0)
    expect(await owners()).toEqual({ 'ben@example.com': 450 })
  })

  test('names wrong options, and a person who owns nothing', async () => {
    for (const [args, status, problem] of [
      [['--from', 'a'], 2, 'Missing: --to\n'],
      [['--from', 'a', '--to', 'a'], 2, '--from and --to are the same person\n'],
      [
        ['--from', 'ann@example.com', '--to', 'ben@example.com'],
        1,
        'ann@example.com owns no links and no bundles\n',
      ],
    ] as const) {
      const { code, err } = await transfer(...args)
      expect([code, err.startsWith(problem)]).toEqual([status, true])
    }
  })
})
