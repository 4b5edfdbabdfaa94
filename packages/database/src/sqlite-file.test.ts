import { afterAll, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteFile } from './sqlite-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-file-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('a new database, its log and its index are accessible to the owner only, and an existing database keeps its mode', () => {
  const path = join(folder, 'new', 'some.db')
  for (const mode of ['600', '640']) {
    const file = openSqliteFile(path)
    file.run('create table if not exists some (x integer)')
    expect(['', '-wal', '-shm'].map((end) => modeOf(path + end))).toEqual([mode, mode, mode])
    file.close()
    chmodSync(path, 0o640)
  }
})

test('a new file that another process writes to is waited for', async () => {
  const path = join(folder, 'shared.db')
  const other = Bun.spawn(
    [
      process.execPath,
      '-e',
      `const file = new (require('bun:sqlite').Database)(${JSON.stringify(path)})
       file.run('create table some (x integer)')
       file.run('begin immediate')
       console.log('held')
       await Bun.sleep(100)
       file.run('commit')`,
    ],
    { stdout: 'pipe' },
  )
  await other.stdout.getReader().read()
  const file = openSqliteFile(path)
  expect(file.query('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' })
  file.close()
  expect(await other.exited).toBe(0)
})
