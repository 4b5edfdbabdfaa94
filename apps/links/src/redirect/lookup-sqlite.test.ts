import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { migrations } from '../db/migrations.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-lookup-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** In a process of its own, since it closes a file behind SQLite's back. Prints how the look-up failed, a turn later. */
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

test('a disk that cannot be read fails the look-up, and nothing after it', async () => {
  const path = join(folder, 'links.db')
  const database = openDatabase(`sqlite:${path}`)
  await migrate(database, migrations)
  // Closed, since only then nothing is left in the log, and the file itself has to be read.
  await database.close()
  const child = Bun.spawn([process.execPath, '-e', BROKEN, path], { stdout: 'pipe', stderr: 'pipe' })
  const told = await new Response(child.stdout).text()
  const complained = await new Response(child.stderr).text()
  expect({ told, complained, code: await child.exited }).toEqual({
    told: expect.stringMatching(/^SQLITE_IOERR/),
    complained: '',
    code: 0,
  })
})
