import { describe, expect, test } from 'bun:test'
import { createHash, createHmac, hkdfSync } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { eachDialect } from '@latchkey/database/testing'
import { backUp } from '../src/backup/backup.ts'
import { openRecorder } from '../src/counting/open-recorder.ts'
import { dayOf, visitorHasher } from '../src/clicks/visitor.ts'
import { sql } from 'kysely'
import { closeAfterEach, until } from './test-database.ts'
import { TestLinks } from './testing.ts'
import { exportText } from './transfer/filled-database.ts'

const { closeLater } = closeAfterEach()

const DAY = 86_400
const ADDRESS = '198.51.100.7'
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0'

eachDialect((dialect, newUrl) => {
  /** A service with one click from `ADDRESS`, and the stored hash of its visitor. */
  async function startWithClick(url?: string): Promise<{ links: TestLinks; hash: string }> {
    const links = closeLater(new TestLinks())
    await links.start(url ?? (await newUrl()))
    await links.createLink(await links.key('ann@example.com'), { slug: 'talk' })
    return { links, hash: await visit(links) }
  }

  async function visit(links: TestLinks): Promise<string> {
    await links.fetch('/talk', { headers: { 'User-Agent': AGENT } }, ADDRESS)
    await links.databaseState()
    const [row] = await links.rows<{ visitor_fp: string }>(
      'select visitor_fp from click order by id desc limit 1',
    )
    return row?.visitor_fp ?? ''
  }

  /** All values in all tables of the database, as text. */
  async function texts(links: TestLinks): Promise<string[]> {
    const tables = await links.rows<{ name: string }>(
      dialect === 'sqlite'
        ? `select name from sqlite_master where type = 'table'`
        : `select table_name as name from information_schema.tables
            where table_schema = current_schema() and table_type = 'BASE TABLE'`,
    )
    const rows = await Promise.all(tables.map(({ name }) => links.rows<object>(`select * from "${name}"`)))
    const values = rows.flat().flatMap((row) => Object.values(row) as unknown[])
    return [...new Set(values.flatMap(spell))]
  }

  /** How a salt could be written: as a text, as bytes, or within JSON. */
  function spell(value: unknown): string[] {
    if (value instanceof Uint8Array) {
      const bytes = Buffer.from(value)
      return [bytes.toString('base64url'), bytes.toString('hex'), bytes.toString('latin1')]
    }
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return [text, ...(text.match(/[\w+/=-]{16,}/g) ?? [])]
  }

  /**
   * Checks whether these texts suffice to test an address against the hash of a day: a text is the
   * salt, or the salt can be derived from it and the day by a usual function.
   */
  function testsAddress(databaseTexts: readonly string[], hash: string, now: number): boolean {
    const days = [
      new Date(now * 1000).toISOString().slice(0, 10),
      String(dayOf(now)),
      String(dayOf(now) / DAY),
    ]
    const derive = (text: string) =>
      days.flatMap((day) => [
        createHmac('sha256', text).update(day).digest(),
        createHmac('sha256', day).update(text).digest(),
        createHash('sha256')
          .update(text + day)
          .digest(),
        createHash('sha256')
          .update(day + text)
          .digest(),
        Buffer.from(hkdfSync('sha256', text, '', day, 32)),
      ])
    return databaseTexts.some((text) =>
      [text, ...derive(text).flatMap((bytes) => [bytes.toString('base64url'), bytes.toString('hex')])].some(
        (salt) => visitorHasher(() => salt)(ADDRESS, AGENT, now) === hash,
      ),
    )
  }

  async function deleteSalts(links: TestLinks): Promise<void> {
    const recorder = openRecorder(links.url)
    await recorder.deleteSalts(dayOf(links.now))
    await recorder.close()
  }

  const saltsOf = (links: TestLinks) =>
    links.rows<{ day: number; salt: string }>('select day, salt from visitor_salt order by day')

  describe('visitor hashes', () => {
    test('L37.1c: of a past day cannot be tested against an address with any stored data', async () => {
      const { links, hash } = await startWithClick()
      const day = links.now
      // On the day itself the hash can be tested, which proves that this test would notice.
      expect(testsAddress(await texts(links), hash, day)).toBe(true)
      links.advance(DAY)
      await deleteSalts(links)
      expect(testsAddress(await texts(links), hash, day)).toBe(false)
    })

    test('are equal all day across a restart, and different the next day', async () => {
      const { links, hash } = await startWithClick()
      expect(await visit(links)).toBe(hash)
      const again = closeLater(new TestLinks())
      await again.start(links.url)
      expect(await visit(again)).toBe(hash)
      again.advance(DAY)
      expect(await visit(again)).not.toBe(hash)
    })

    test('L37.1a, L37.1d: of a click that is counted days later belong to its own day and count one visitor', async () => {
      const { links, hash } = await startWithClick()
      await links.fetch('/talk', { headers: { 'User-Agent': AGENT } }, ADDRESS)
      links.advance(3 * DAY)
      await deleteSalts(links)
      await links.databaseState()
      const rows = await links.rows<{ visitor_fp: string }>('select visitor_fp from click')
      expect(rows).toEqual([{ visitor_fp: hash }, { visitor_fp: hash }])
    })

    test('are not in an archive of the instance, and cannot be tested with it', async () => {
      const { links, hash } = await startWithClick()
      const [row] = await saltsOf(links)
      const file = await exportText(links.database)
      expect(file).toContain(hash)
      expect(file).not.toContain(row?.salt ?? '')
    })
  })

  if (dialect === 'sqlite')
    describe('files', () => {
      test('L37.1c: contain no bytes, used or free, with which an address can be tested', async () => {
        const { links, hash } = await startWithClick()
        const day = links.now
        const path = links.url.replace('sqlite:', '')
        const journal = join(links.folder, 'journal.db')
        /** Every run of 43 characters of base64url, and every 32 bytes, in all files of the service. */
        const testsWithFiles = () =>
          [path, `${path}-wal`, journal, `${journal}-wal`].some((file) => {
            const bytes = readFileSync(file)
            for (let at = 0; at + 32 <= bytes.length; at++) {
              const salts = [bytes.toString('latin1', at, at + 43), bytes.toString('base64url', at, at + 32)]
              if (salts.some((salt) => visitorHasher(() => salt)(ADDRESS, AGENT, day) === hash)) return true
            }
            return false
          })
        expect(testsWithFiles()).toBe(true)
        links.advance(DAY)
        await visit(links)
        await until('the log is empty', async () => {
          await deleteSalts(links)
          return statSync(`${path}-wal`).size === 0
        })
        expect(testsWithFiles()).toBe(false)
      }, 60_000)

      test('L37.1: contain no salt of a past day, including the log, while the service runs', async () => {
        const { links } = await startWithClick()
        const [row] = await saltsOf(links)
        const path = links.url.replace('sqlite:', '')
        const holdSalt = () =>
          [path, `${path}-wal`].some((file) => readFileSync(file).includes(row?.salt ?? ''))
        expect(holdSalt()).toBe(true)
        links.advance(DAY)
        await visit(links)
        await until('the salt is gone', async () => {
          await deleteSalts(links)
          return !holdSalt()
        })
        expect(await visit(links)).toHaveLength(43)
      })

      test('of a backup contain no salt, even on the day itself, and the copy creates another', async () => {
        const { links, hash } = await startWithClick()
        const [row] = await saltsOf(links)
        const copy = join(links.folder, 'copy.db')
        const journal = `sqlite:${join(links.folder, 'journal.db')}`
        await backUp({ databaseUrl: links.url, journal, privacy: 'full' }, copy)
        expect(readFileSync(copy).includes(row?.salt ?? '')).toBe(false)
        const restored = closeLater(new TestLinks())
        await restored.start(`sqlite:${copy}`)
        expect(testsAddress(await texts(restored), hash, links.now)).toBe(false)
        expect(await visit(restored)).not.toBe(hash)
      })
    })

  if (dialect === 'postgres')
    describe('files', () => {
      const pages = async (links: TestLinks) => {
        await links.rows('checkpoint')
        const [row] = await links.rows<{ bytes: Buffer }>(
          `select pg_read_binary_file(pg_relation_filepath('visitor_salt')) as bytes`,
        )
        return row?.bytes ?? Buffer.alloc(0)
      }

      test('contain no salt of a past day, as deleted rows would without a vacuum', async () => {
        const { links } = await startWithClick()
        const [row] = await saltsOf(links)
        expect((await pages(links)).includes(row?.salt ?? '')).toBe(true)
        links.advance(DAY)
        await visit(links)
        await deleteSalts(links)
        expect((await pages(links)).includes(row?.salt ?? '')).toBe(false)
      })

      test('keep a salt while another connection reads the table, without waiting for it', async () => {
        const { links } = await startWithClick()
        links.advance(DAY)
        await links.database.write(async (tx) => {
          await sql`lock table visitor_salt in access share mode`.execute(tx)
          await deleteSalts(links)
        })
        expect(await saltsOf(links)).toHaveLength(1)
        await deleteSalts(links)
        expect(await saltsOf(links)).toEqual([])
      })
    })
})
