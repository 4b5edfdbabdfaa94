import { describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { RollupJob } from '../../src/rollups/index.ts'
import { openRecorder } from '../../src/counting/open-recorder.ts'
import { DatabaseInUse } from '@latchkey/database/instance-lock'
import { DatabaseNotEmpty } from '@latchkey/database/archive/restore'
import { importInstance } from '../../src/transfer/instance/import.ts'
import { InvalidArchive } from '@latchkey/database/archive/reader'
import { instanceFormat } from '../../src/transfer/instance/tables.ts'
import { fileOf } from '../../src/transfer/testing.ts'
import { NOW, TestDatabase, click, closeAfterEach } from '../test-database.ts'
import { LINKS, readContents, exportText, readAllStats, fillDatabase } from './filled-database.ts'

const { closeLater } = closeAfterEach()

async function empty(url: string): Promise<string> {
  const stored = await TestDatabase.open(url)
  await stored.close()
  return url
}

const take = (databaseUrl: string, text: string, more: { dryRun?: boolean } = {}) =>
  importInstance({ databaseUrl, source: fileOf(text, 1000), now: NOW, dryRun: false, ...more })

async function failureOf(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => new Error('Nothing went wrong'),
    (error: unknown) => error as Error,
  )
}

eachDialect((from, newFrom) =>
  eachDialect((to, newTo) => {
    if (from === to) return
    describe(`an archive of an instance on ${from}, restored into an empty one on ${to}`, () => {
      test('L31.4c, L30.1f, L29.1i, L28.2h: restores every row, every total of the database and all statistics, and the instance continues from there', async () => {
        const source = closeLater(await TestDatabase.open(await newFrom()))
        await fillDatabase(source)
        const text = await exportText(source.database)
        const url = await empty(await newTo())
        expect(await take(url, text)).toMatchObject({
          link: LINKS,
          slug: 3 * LINKS - 1,
          bundle: 6,
          api_key: 7,
        })
        const target = closeLater(await TestDatabase.open(url))
        expect(await readContents(target)).toEqual(await readContents(source))
        const expected = await readAllStats(source)
        expect(await readAllStats(target)).toEqual(expected)
        const rollupJob = new RollupJob(target.database, 1)
        while (await rollupJob.step(NOW));
        expect(await readAllStats(target)).toEqual(expected)
        expect(await exportText(target.database)).toBe(text)

        const recorder = closeLater(openRecorder(url))
        expect(
          await recorder.record([click(1, 'auto0')], { from: { journalId: 'node-1', seq: 41 }, to: 42 }),
        ).toBe(true)
        while (await recorder.closeHours(NOW + 7200));
        const [sum, hours] = await target.countClicks('auto0')
        const [before] = await source.countClicks('auto0')
        expect([sum, hours]).toEqual([before + 1, before + 1])
        expect(await target.createLink('fresh', 'new')).toBe(LINKS + 2)
      }, 120_000)
    })
  }),
)

eachDialect((dialect, newUrl, testOnSqlite) => {
  describe('restoring an archive', () => {
    const small = async () => {
      const stored = closeLater(await TestDatabase.open(await newUrl()))
      await stored.createLink('one', 'two')
      return { text: await exportText(stored.database), stored }
    }

    test('refuses an instance that is not empty, and changes nothing in it', async () => {
      const { text, stored } = await small()
      const before = await readContents(stored)
      await stored.close()
      expect(await failureOf(take(stored.url, text))).toBeInstanceOf(DatabaseNotEmpty)
      const again = closeLater(await TestDatabase.open(stored.url))
      expect(await readContents(again)).toEqual(before)
    })

    test('leaves the instance empty and usable if the file is incomplete, changed or of another kind, and names the line', async () => {
      const { text } = await small()
      const url = await empty(await newUrl())
      const lines = text.trimEnd().split('\n')
      const row = lines.findIndex((line) => line.startsWith('[1,"https'))
      const slug = lines.findIndex((line) => line.startsWith('["two"'))
      for (const [changed, message] of [
        [lines.slice(0, -1).join('\n'), `The file ends too early, after line ${lines.length - 1}`],
        [lines.slice(1).join('\n'), 'line 1: is not the first line of an export with --everything'],
        ['', 'The file is empty'],
        [lines.toSpliced(slug, 1).join('\n'), 'The file has 1 rows of slug, but its first line says 2'],
        [text.replace('[1,"https', '["1","https'), `line ${row + 1}: id: is no int`],
        [
          text.replace('[1,"https', '[1,[],"https'),
          `line ${row + 1}: has 14 values where link has 13 columns`,
        ],
        [text.replace('[1,"https', '{"a":'), `line ${row + 1}: is not JSON`],
        [
          text.replace('"version":1', '"version":2'),
          'line 1: the file has version 2, this program reads version 1',
        ],
        [
          text.replace('[1,"https', `[${'['.repeat(1e6)}${']'.repeat(1e6)},"https`),
          `line ${row + 1}: is nested more than 32 levels deep`,
        ],
        [
          text.replace('[1,"https', `[1,"${'x'.repeat(2 * 1024 ** 2)}`),
          `line ${row + 1}: is longer than 2 MiB`,
        ],
        [text.replace('["two",1,', '["two",9,'), /^The database rejects the file: .*foreign key/i],
        [text.replace('["two",1,1,', '["two",1,7,'), /^The database rejects the file: /],
      ] as const) {
        const failure = await failureOf(take(url, changed))
        expect(failure).toBeInstanceOf(InvalidArchive)
        expect(failure.message).toMatch(message)
      }
      await take(url, text)
      const target = closeLater(await TestDatabase.open(url))
      expect(await exportText(target.database)).toBe(text)
    }, 60_000)

    testOnSqlite('reads everything in a dry run and stores nothing', async () => {
      const { text } = await small()
      const url = await empty(await newUrl())
      expect(await take(url, text, { dryRun: true })).toMatchObject({ link: 1, slug: 2, click: 0 })
      const target = closeLater(await TestDatabase.open(url))
      expect((await readContents(target))['link']).toEqual([])
    })

    if (dialect === 'sqlite')
      test('covers every column of every table that does not follow from others', async () => {
        const stored = closeLater(await TestDatabase.open(await newUrl()))
        const columns = await stored.rows<{
          name: string
        }>(`select m.name || '.' || c.name || ' ' || lower(c.type) ||
          case when c."notnull" then '' else ' or null' end as name
          from sqlite_master as m, pragma_table_info(m.name) as c
          where m.type = 'table' and m.name not like 'sqlite_%' and m.name <> 'migration'`)
        const follows =
          /^(click_(hour_open|hour_closed|period|sum|link|block|due)|link_(clicks|count|day|password|search|trigram\w*)|change|history_erasure|visitor_salt|favicon|idempotent_answer|event|webhook_delivery)\.|^webhook\.(lease_\w+|position|failures|failing_since|next_attempt_at) |^link\.(url_key|host|search_text) |^bundle\.search_text |^slug\.closed_|^click(_forgotten)?\.id /
        const declared = Object.entries(instanceFormat.tables).flatMap(([table, format]) =>
          Object.entries(format.columns).map(
            ([column, { type, nullable }]) =>
              `${table}.${column} ${type === 'int' ? 'integer' : type}${nullable ? ' or null' : ''}`,
          ),
        )
        const all = columns.map(({ name }) => name.replace(/^(\w+\.id integer) or null$/, '$1'))
        expect(declared.toSorted()).toEqual(all.filter((name) => !follows.test(name)).toSorted())
      })

    if (dialect === 'sqlite')
      test('refuses a database that is open elsewhere without waiting, and keeps its log', async () => {
        const { text } = await small()
        const running = closeLater(await TestDatabase.open(await newUrl()))
        await running.rows('select 1 from link')
        expect(await failureOf(take(running.url, text))).toBeInstanceOf(DatabaseInUse)
        expect(await running.rows('pragma journal_mode')).toEqual([{ journal_mode: 'wal' }])
        await running.createLink('still', 'works')
      })
  })
})
