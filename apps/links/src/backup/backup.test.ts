import { afterAll, expect, test } from 'bun:test'
import { Database as SqliteFile } from 'bun:sqlite'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Journal } from '../counting/journal.ts'
import { JournalReader } from '../counting/journal-reader.ts'
import { failureOf, importText, openMigrated, readExportedLinks } from '../transfer/testing.ts'
import { backUp } from './backup.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-backup-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let folderCount = 0

async function instance() {
  const home = join(folder, String(++folderCount))
  const settings = {
    databaseUrl: `sqlite:${join(home, 'links.db')}`,
    journal: `sqlite:${join(home, 'journal.db')}`,
    privacy: 'full' as const,
  }
  const database = await openMigrated(settings.databaseUrl)
  await importText(database, 'url,slug\nhttps://example.com/a,one\nhttps://example.com/b,two\n')
  return { home, settings, database, file: join(home, 'backup.db') }
}

function journalOf(home: string): Journal {
  return new Journal(join(home, 'journal.db'), {
    onCommit: () => {},
    onLoss: (error) => {
      throw error
    },
  })
}

const click = {
  slug: 'one',
  linkId: 1,
  clickedAt: 1_700_000_000,
  host: null,
  query: null,
  referrer: null,
  userAgent: null,
  country: null,
  visitorFp: null,
  variant: null,
}

test('a backup is a complete database, readable only by its owner', async () => {
  const { settings, database, file } = await instance()
  const { bytes, rows } = await backUp(settings, file)
  expect(bytes).toBe(statSync(file).size)
  expect([rows.get('link'), rows.get('slug'), rows.get('click')]).toEqual([2, 4, 0])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const copy = await openMigrated(`sqlite:${file}`)
  expect(await readExportedLinks(copy)).toEqual(await readExportedLinks(database))
  await Promise.all([copy.close(), database.close()])
})

test('a backup includes the pending clicks of the journal, each once, and leaves them counted once', async () => {
  const { home, settings, database, file } = await instance()
  const journal = journalOf(home)
  await Promise.all([journal.append(click), journal.append({ ...click, slug: 'two', linkId: 2 })])
  await journal.append(click)
  const { rows } = await backUp(settings, file)
  expect(rows.get('click')).toBe(3)
  const again = await backUp(settings, join(home, 'second.db'))
  expect(again.rows.get('click')).toBe(3)
  await journal.close()
  await database.close()
})

test('written batches of a journal are flushed to disk before they may be counted, with and without its log', async () => {
  const { home, database } = await instance()
  const journal = journalOf(home)
  await journal.append(click)
  await journal.append(click)
  const reader = new JournalReader(join(home, 'journal.db'))
  expect([existsSync(join(home, 'journal.db-wal')), reader.sync()]).toEqual([true, journal.state.lastSeq])
  reader.close()
  await journal.close()
  const later = new JournalReader(join(home, 'journal.db'))
  expect(later.sync()).toBe(journal.state.lastSeq)
  later.close()
  await database.close()
})

test('a backup during concurrent writes is consistent', async () => {
  const { settings, database, file } = await instance()
  let isDone = false
  const writing = (async () => {
    for (let at = 0; !isDone; at++) {
      await importText(database, `url,slug\nhttps://example.com/${at},w${at}\n`, { pieceBytes: 1000 })
      await Bun.sleep(0)
    }
  })()
  const { rows } = await backUp(settings, file)
  isDone = true
  await writing
  expect(rows.get('slug')).toBe(2 * (rows.get('link') ?? 0))
  await database.close()
})

test('an existing file is not replaced', async () => {
  const { settings, database, file } = await instance()
  writeFileSync(file, 'precious')
  expect(await failureOf(backUp(settings, file))).toContain(`${file} already exists`)
  expect(await Bun.file(file).text()).toBe('precious')
  await database.close()
})

test('the database itself is not replaced by its backup', async () => {
  const { home, settings, database } = await instance()
  expect(await failureOf(backUp(settings, join(home, 'links.db')))).toContain('already exists')
  expect(await readExportedLinks(database)).toHaveLength(2)
  await database.close()
})

test('a database with broken references is not backed up, and no file is left behind', async () => {
  const { home, settings, database, file } = await instance()
  await database.close()
  const damaged = new SqliteFile(join(home, 'links.db'))
  damaged.run('pragma foreign_keys = off')
  damaged.run("insert into slug (slug, link_id, is_custom, created_at) values ('loose', 99, 1, 1)")
  damaged.close()
  expect(await failureOf(backUp(settings, file))).toContain('The copy is damaged')
  expect(existsSync(file)).toBe(false)
  expect(readdirSync(home).filter((name) => name.includes('partial'))).toEqual([])
})

test('a missing folder is named in the error', async () => {
  const { settings, database } = await instance()
  expect(await failureOf(backUp(settings, join(folder, 'nowhere', 'b.db')))).toContain(
    'nowhere does not exist',
  )
  await database.close()
})
