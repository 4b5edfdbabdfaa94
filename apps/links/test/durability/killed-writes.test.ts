import { expect, test } from 'bun:test'
import { type Database, openDatabase } from '@latchkey/database/database'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import { join } from 'node:path'
import { LATCHKEY } from '../../../../scripts/latchkey-command.ts'
import type { Tables } from '../../src/db/tables.ts'
import { closeAfterEach, testFolder } from '../test-database.ts'
import { unequalRecords } from './event-checks.ts'
import { Server, createKey, withKey } from './server.ts'

const { closeLater } = closeAfterEach()

const ROUNDS = 3
const CLIENTS = 4
/** Rows of an import, of which most are missing when it is killed. */
const ROWS = 6_000

const urlOf = (n: number) => `https://example.com/killed/${n}`

async function countLinks({ read }: Database<Tables>): Promise<number> {
  const { count } = await read
    .selectFrom('link')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

eachDialect((dialect, newUrl) => {
  const open = (url: string) => closeLater(openDatabase<Tables>(url))
  const findUnequal = async ({ read }: Database<Tables>) =>
    (await sql.raw(unequalRecords(dialect)).execute(read)).rows

  test('L29.1, L30.1: a killed import leaves one change and one event of each stored link, and its repetition the rest', async () => {
    const [folder, url] = [testFolder(), await newUrl()]
    const env = { PATH: process.env['PATH'] ?? '', LINKS_DATABASE_URL: url }
    const run = (file: string) =>
      Bun.spawn([...LATCHKEY, 'links', 'import', file, '--format', 'csv', '--owner', 'ann@example.com'], {
        cwd: folder,
        env,
        stdin: 'ignore',
        stdout: 'ignore',
        stderr: 'inherit',
      })
    await Bun.write(join(folder, 'one.csv'), `url\n${urlOf(0)}\n`)
    await Bun.write(
      join(folder, 'all.csv'),
      `url\n${Array.from({ length: ROWS }, (_, n) => urlOf(n + 1)).join('\n')}\n`,
    )
    expect(await run('one.csv').exited).toBe(0)
    const database = open(url)
    for (let round = 0; round < ROUNDS; round++) {
      const before = await countLinks(database)
      const importing = run('all.csv')
      while ((await countLinks(database)) === before && importing.exitCode === null) await Bun.sleep(1)
      await Bun.sleep(Math.random() * 100)
      importing.kill('SIGKILL')
      await importing.exited
      expect(await countLinks(database)).toBeLessThan(ROWS)
      expect(await findUnequal(database)).toEqual([])
    }
    expect(await run('all.csv').exited).toBe(0)
    expect(await countLinks(database)).toBe(ROWS + 1)
    expect(await findUnequal(database)).toEqual([])
  }, 120_000)

  // `kill.test.ts` kills a server on SQLite.
  if (dialect === 'sqlite') return

  test('L29.1, L30.1: a server that is killed while it writes leaves one change and one event of each write', async () => {
    const [folder, url] = [testFolder(), await newUrl()]
    const environment = { LINKS_DATABASE_URL: url }
    let server = closeLater(await Server.start(folder, { environment }))
    const headers = withKey(await createKey(server))
    const database = open(url)
    const answered = new Map<number, string>()
    let [count, unanswered] = [0, 0]

    async function writeUntilKilled(to: Server, onAnswer: () => void): Promise<void> {
      const wire = await to.connect()
      for (;;) {
        const label = `label ${++count}`
        const body = {
          items: [1, 2, 3].map((n) => ({ url: urlOf(3 * count + n), label: 'new' })),
          mode: 'all',
        }
        const created = await wire
          .request('POST', '/_/api/bulk/links', { headers, body })
          .catch(() => undefined)
        const ids = created
          ? (JSON.parse(created.text) as { results: { link: { id: number } }[] }).results.map(
              ({ link }) => link.id,
            )
          : []
        for (const id of ids) answered.set(id, 'new')
        const set = { headers, body: { ids, set: { label } } }
        const changed =
          created && (await wire.request('PATCH', '/_/api/bulk/links', set).catch(() => undefined))
        if (changed) for (const id of ids) answered.set(id, label)
        else {
          // Whether these have the new label is open.
          for (const id of ids) answered.delete(id)
          unanswered++
          return wire.close()
        }
        onAnswer()
      }
    }

    for (let round = 0; round < ROUNDS; round++) {
      let missing = 5 + Math.floor(Math.random() * 20)
      const { promise: enough, resolve } = Promise.withResolvers<void>()
      const onAnswer = () => void (--missing === 0 && resolve())
      const clients = Array.from({ length: CLIENTS }, () => writeUntilKilled(server, onAnswer))
      await enough
      await server.kill()
      await Promise.all(clients)
      server = closeLater(await Server.start(folder, { environment }))
      expect(await findUnequal(database)).toEqual([])
    }
    expect(unanswered).toBe(ROUNDS * CLIENTS)
    const rows = await database.read.selectFrom('link').select(['id', 'label']).execute()
    const stored = new Map(rows.map(({ id, label }) => [id, label]))
    for (const [id, label] of answered) expect([id, stored.get(id)]).toEqual([id, label])
    expect(answered.size).toBeGreaterThan(3 * 5 * ROUNDS - 1)
  }, 120_000)
})
