import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyDatabase } from './backup.ts'
import { openSqliteFile } from './sqlite-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-copy-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a backup removes what killed ones of its name left a day ago, and no other file', async () => {
  const source = join(folder, 'source.db')
  openSqliteFile(source).close()
  const ended = Bun.spawn(['true'])
  await ended.exited
  const home = join(folder, 'backups')
  mkdirSync(home)
  const kept = [
    `.b.db.${process.ppid}.partial`,
    `.b.db.${ended.pid}.partial.txt`,
    `.b.db.0${ended.pid}.partial`,
    '.b.db..partial',
    `.other.db.${ended.pid}.partial`,
    `b.db.${ended.pid}.partial`,
    // Past what any process is called, and of today.
    '.b.db.99999998.partial',
  ]
  const removed = [`.b.db.${ended.pid}.partial`, '.b.db.99999999.partial']
  const overADayAgo = new Date(Date.now() - 25 * 3_600_000)
  for (const name of [...kept, ...removed]) {
    writeFileSync(join(home, name), '')
    if (!name.includes('98')) utimesSync(join(home, name), overADayAgo, overADayAgo)
  }
  await copyDatabase(source, join(home, 'b.db'))
  expect(readdirSync(home).toSorted()).toEqual([...kept, 'b.db'].toSorted())
})
