import { Database } from 'bun:sqlite'
import { afterAll, expect, spyOn, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { sql } from 'kysely'
import { migrations } from '../db/migrations.ts'
import type { Tables } from '../db/tables.ts'
import { SELECT_BY_PRIMARY, openSqliteLookup } from './lookup-sqlite.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-lookup-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/**
 * Runs in a separate process, since it closes a file behind SQLite's back. Prints the error of the
 * lookup, one turn later.
 */
const BROKEN = `
  import { closeSync, readdirSync, readlinkSync } from 'node:fs'
  import { openSqliteLookup } from '${import.meta.dir}/lookup-sqlite.ts'
  const [path] = process.argv.slice(1)
  const lookup = openSqliteLookup(path, { afterWrite() {} })
  for (const name of readdirSync('/proc/self/fd'))
    try {
      if (readlinkSync('/proc/self/fd/' + name) === path) closeSync(Number(name))
    } catch {}
  let failed = 'not at all'
  try {
    lookup.find('abcd')
  } catch (error) {
    failed = error.code
  }
  setImmediate(() => setImmediate(() => process.stdout.write(failed, () => process.exit())))
`

test('a disk that cannot be read fails the lookup and nothing after it', async () => {
  const path = join(folder, 'links.db')
  const database = openDatabase(`sqlite:${path}`)
  await migrate(database, migrations)
  // Closing empties the log, which forces reads from the file itself.
  await database.close()
  const child = Bun.spawn([process.execPath, '-e', BROKEN, path], { stdout: 'pipe', stderr: 'pipe' })
  const output = await new Response(child.stdout).text()
  const stderr = await new Response(child.stderr).text()
  expect({ output, stderr, code: await child.exited }).toEqual({
    output: expect.stringMatching(/^SQLITE_IOERR/),
    stderr: '',
    code: 0,
  })
})

async function openWithLink(path = join(folder, `${crypto.randomUUID()}.db`)) {
  const database = openDatabase<Tables>(`sqlite:${path}`)
  await migrate(database, migrations)
  const link = {
    url: 'https://example.com/',
    url_key: 1,
    host: 'example.com',
    created_by: 'ann',
    created_at: 1,
    search_text: '',
  }
  await database.write(async (tx) => {
    await tx
      .insertInto('link')
      .values({ ...link, id: 1, primary_slug: 'first' })
      .execute()
    for (const slug of [
      { slug: 'auto', is_custom: 0, disabled_at: null },
      { slug: 'first', is_custom: 1, disabled_at: null },
      { slug: 'second', is_custom: 1, disabled_at: 9 },
    ])
      await tx
        .insertInto('slug')
        .values({ ...slug, link_id: 1, created_at: 1 })
        .execute()
  })
  return database
}

test('L24.14 a redirect by a primary slug reads an index and no table', async () => {
  const database = await openWithLink()
  const { rows } = await sql<{ detail: string }>`explain query plan ${sql.raw(SELECT_BY_PRIMARY)}`.execute(
    database.read,
  )
  await database.close()
  expect(rows.map(({ detail }) => detail)).toEqual([
    expect.stringMatching(/^SEARCH link USING COVERING INDEX link_by_primary_slug/),
  ])
})

/** Records the statements that read, of files that are opened from now on. */
function recordReads(): { reads: string[]; stop: () => void } {
  const reads: string[] = []
  // oxlint-disable-next-line typescript/unbound-method -- it is called with the file below.
  const prepare = Database.prototype.prepare
  const spy = spyOn(Database.prototype, 'prepare').mockImplementation(function (
    this: Database,
    statement: string,
  ) {
    return new Proxy(prepare.call(this, statement), {
      get(target, name: 'get' | 'all' | 'values') {
        if (['get', 'all', 'values'].includes(name)) reads.push(statement)
        const value: unknown = target[name]
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  } as typeof prepare)
  return { reads, stop: () => spy.mockRestore() }
}

test('L31.1g, L25.1: a redirect is one statement, with behaviour or without', async () => {
  const path = join(folder, `${crypto.randomUUID()}.db`)
  const database = await openWithLink(path)
  const { reads, stop } = recordReads()
  const lookup = openSqliteLookup(path, database)
  const program = { forward: 'all' }
  for (const behaviour of [null, JSON.stringify(program)]) {
    await database.write((tx) => sql`update link set behaviour = ${behaviour}`.execute(tx))
    reads.length = 0
    expect(lookup.find('first')).toMatchObject({ linkId: 1, program: behaviour === null ? null : program })
    expect(reads).toEqual([SELECT_BY_PRIMARY])
  }
  stop()
  await lookup.close()
  await database.close()
})

test('the database refuses a disabled primary slug, whatever statement causes it', async () => {
  const database = await openWithLink()
  const write = (change: ReturnType<typeof sql>) => database.write((tx) => change.execute(tx))
  const insertDisabledPrimary = async () =>
    database.write(async (tx) => {
      await sql`update link set primary_slug = 'third'`.execute(tx)
      await sql`insert into slug (slug, link_id, is_custom, created_at, disabled_at)
        values ('third', 1, 1, 1, 9)`.execute(tx)
    })
  const tries = [
    async () => write(sql`update slug set disabled_at = 9 where slug = 'first'`),
    async () => write(sql`update link set primary_slug = 'second'`),
    insertDisabledPrimary,
  ]
  for (const attempt of tries)
    expect(await attempt().then(String, String)).toMatch('a primary slug is never disabled')
  await write(sql`update link set primary_slug = 'auto'`)
  await write(sql`update slug set disabled_at = 9 where slug = 'first'`)
  await database.close()
})
