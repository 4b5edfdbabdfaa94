import { afterAll, expect, spyOn, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyDatabase } from './copy-sqlite.ts'
import { openSqliteFile } from '../sqlite-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-copy-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a backup deletes partial files of any name that killed backups left a day ago, and no other file', async () => {
  const source = join(folder, 'source.db')
  openSqliteFile(source).close()
  const ended = Bun.spawn(['true'])
  await ended.exited
  const home = join(folder, 'backups')
  mkdirSync(home)
  // Higher than any process id.
  const ofToday = '.b.db.99999998.partial'
  const keptNames = [
    `.b.db.${process.ppid}.partial`,
    `.b.db.${ended.pid}.partial.txt`,
    `.b.db.${ended.pid}.partial-wal`,
    `.b.db.0${ended.pid}.partial`,
    '.b.db..partial',
    `..${ended.pid}.partial`,
    `b.db.${ended.pid}.partial`,
    ofToday,
  ]
  const removed = [
    `.b.db.${ended.pid}.partial`,
    `.b.db.${ended.pid}.partial-journal`,
    '.b.db.99999999.partial',
    `.rooms-2026-01-31.db.${ended.pid}.partial`,
  ]
  const overADayAgo = new Date(Date.now() - 25 * 3_600_000)
  for (const name of [...keptNames, ...removed]) {
    writeFileSync(join(home, name), '')
    if (name !== ofToday) utimesSync(join(home, name), overADayAgo, overADayAgo)
  }
  const folderOfThatName = `.folder.${ended.pid}.partial`
  mkdirSync(join(home, folderOfThatName))
  utimesSync(join(home, folderOfThatName), overADayAgo, overADayAgo)
  const link = `.link.${ended.pid}.partial`
  symlinkSync(keptNames[0] as string, join(home, link))
  for (const name of [folderOfThatName, link]) keptNames.push(name)
  const uid = spyOn(process, 'getuid').mockReturnValue((process.getuid?.() ?? 0) + 1)
  await copyDatabase(source, join(home, 'a.db'))
  uid.mockRestore()
  expect(readdirSync(home).toSorted()).toEqual([...keptNames, ...removed, 'a.db'].toSorted())
  await copyDatabase(source, join(home, 'b.db'))
  expect(readdirSync(home).toSorted()).toEqual([...keptNames, 'a.db', 'b.db'].toSorted())
})
