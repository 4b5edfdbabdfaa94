import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '@latchkey/database/database'
import { eachDialect } from '@latchkey/database/testing'
import type { Privacy } from '../clicks/click.ts'
import type { Tables } from '../db/tables.ts'
import { importClicks } from './clicks.ts'
import { NOW, failureOf, importText, openMigrated } from './testing.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-clicks-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36'

let files = 0

function fileWith(lines: readonly unknown[]): string {
  const path = join(folder, `${++files}.ndjson`)
  writeFileSync(
    path,
    lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''),
  )
  return path
}

async function clicksOf({ read }: Database<Tables>) {
  return read.selectFrom('click').selectAll().orderBy('clicked_at').orderBy('id').execute()
}

/** Clicks by every way of counting; they must agree. */
async function readCounts({ read }: Database<Tables>): Promise<number[]> {
  const totals = [
    read.selectFrom('click').select((eb) => eb.fn.countAll<number>().as('total')),
    read.selectFrom('counted_slug').select((eb) => eb.fn.sum<number>('clicks').as('total')),
    read.selectFrom('click_hour').select((eb) => eb.fn.sum<number | null>('clicks').as('total')),
  ]
  return Promise.all(totals.map(async (query) => (await query.executeTakeFirstOrThrow()).total ?? 0))
}

eachDialect((_, newUrl) => {
  async function start() {
    const url = await newUrl()
    const database = await openMigrated(url)
    await importText(database, 'url,slug\nhttps://example.com/a,one\nhttps://example.com/b,two\n')
    const problems: [number, string][] = []
    const take = (
      path: string,
      options: {
        again?: boolean
        slug?: string
        ownHost?: string
        privacy?: Privacy
        onProblem?: () => void
      } = {},
    ) => {
      problems.length = 0
      return importClicks({
        database,
        databaseUrl: url,
        privacy: options.privacy ?? 'full',
        path,
        again: options.again ?? false,
        ...(options.slug !== undefined && { slug: options.slug }),
        now: NOW,
        ownHost: options.ownHost ?? null,
        onProblem: (line, reason) => {
          problems.push([line, reason])
          options.onProblem?.()
        },
      })
    }
    return { url, database, problems, take }
  }

  describe('importing clicks', () => {
    test('L37.6 with lean stores neither their user agents nor their full referrers', async () => {
      const { database, take } = await start()
      const referrer = 'https://www.google.com/search'
      const path = fileWith([{ slug: 'one', clicked_at: 1_700_000_000, referrer, user_agent: CHROME }])
      await take(path, { privacy: 'lean' })
      expect(await clicksOf(database)).toMatchObject([
        {
          referrer: null,
          user_agent: null,
          referrer_host: 'google.com',
          channel: 'search',
          browser: 'Chrome',
        },
      ])
      await database.close()
    })

    test('classifies them as live ones, without a visitor', async () => {
      const { database, take } = await start()
      const path = fileWith([
        {
          slug: 'ONE',
          clicked_at: 1_700_000_000,
          referrer: 'https://www.google.com/search',
          user_agent: CHROME,
          country: 'se',
        },
        { slug: 'one', clicked_at: '2023-11-15 00:00:00', user_agent: 'Googlebot/2.1', country: 'XX' },
        { slug: 'two', clicked_at: 1_700_100_000, referrer: 'https://go.test/one', user_agent: CHROME },
        {
          slug: 'two',
          clicked_at: 1_700_200_000,
          referrer: null,
          user_agent: null,
          country: null,
          ip: '192.0.2.1',
        },
      ])
      expect(await take(path, { ownHost: 'go.test' })).toEqual({
        imported: 4,
        bad: 0,
        incomplete: 1,
        resumedAfter: 0,
      })
      const clicks = await clicksOf(database)
      expect(clicks).toMatchObject([
        {
          slug: 'one',
          clicked_at: 1_700_000_000,
          referrer: 'https://www.google.com/search',
          referrer_host: 'google.com',
          country: 'SE',
          device_type: 'desktop',
          os: 'windows',
          browser: 'Chrome',
          channel: 'search',
          is_bot: 0,
          is_self_referrer: 0,
          visitor_fp: null,
        },
        { slug: 'one', clicked_at: 1_700_006_400, country: null, is_bot: 1, visitor_fp: null },
        { slug: 'two', channel: 'direct', is_self_referrer: 1, is_bot: 0 },
        { slug: 'two', referrer: null, user_agent: null, is_bot: 1, device_type: null },
      ])
      expect(JSON.stringify(clicks)).not.toContain('192.0.2.1')
      expect(await readCounts(database)).toEqual([4, 4, 4])
      await database.close()
    })

    test('reads the visits that Shlink’s web client exports', async () => {
      const { database, take, problems } = await start()
      const header = 'date,userAgent,referer,country,city,potentialBot,visitedUrl,browser,os'
      const path = fileWith([
        'sep=,',
        header,
        `2023-11-14T22:13:20+00:00,"${CHROME}",google.com,Sweden,Lund,false,https://s.example/one?a=1,Chrome,Windows`,
        `2023-11-14T22:13:21+00:00,"${CHROME}",Direct,Unknown,Unknown,false,https://s.example/Two/,Chrome,Windows`,
        `2023-11-14T22:13:22+00:00,"${CHROME}",Direct,Nowhere,Unknown,false,https://s.example/gone,Chrome,Windows`,
        `2023-11-14T22:13:23+00:00,"${CHROME}",Direct,Nowhere,Unknown,false,,Chrome,Windows`,
      ])
      expect(await take(path, { slug: 'one' })).toEqual({
        imported: 3,
        bad: 1,
        incomplete: 1,
        resumedAfter: 0,
      })
      expect(problems).toEqual([[5, 'there is no slug "gone"']])
      expect(await clicksOf(database)).toMatchObject([
        {
          slug: 'one',
          clicked_at: 1_700_000_000,
          referrer_host: 'google.com',
          channel: 'search',
          country: 'SE',
        },
        { slug: 'two', clicked_at: 1_700_000_001, referrer: null, country: null, browser: 'Chrome' },
        { slug: 'one', clicked_at: 1_700_000_003, country: null },
      ])
      await database.close()
    })

    test('keeps a click whose optional fields are not valid, and counts it', async () => {
      const { database, take } = await start()
      const click = { slug: 'one', clicked_at: 1_700_000_000, referrer: 5, user_agent: {}, country: ['SE'] }
      expect(await take(fileWith([click]))).toMatchObject({ imported: 1, bad: 0, incomplete: 1 })
      await database.close()
    })

    test('refuses a dump in SQL, with what to export instead', async () => {
      const { database, take, problems } = await start()
      expect(await take(fileWith(['-- MySQL dump 10.13', 'INSERT INTO `x` VALUES (1);']))).toMatchObject({
        imported: 0,
        bad: 1,
      })
      expect(problems[0]?.[1]).toContain('export the table of links as CSV')
      await database.close()
    })

    test('reports future times, unknown slugs and unreadable lines in order, and stores the rest', async () => {
      const { database, problems, take } = await start()
      const path = fileWith([
        { slug: 'one', clicked_at: NOW },
        { slug: 'nobody', clicked_at: 5 },
        { slug: 'one', clicked_at: NOW + 1 },
        '{"slug":"one",',
        '',
        '[1]',
        { slug: 'one' },
        { slug: 'one', clicked_at: 'yesterday' },
        { slug: 7, clicked_at: 5 },
        { slug: 'no good!', clicked_at: 5 },
        { slug: 'two', clicked_at: 5 },
      ])
      expect(await take(path)).toEqual({ imported: 2, bad: 8, incomplete: 0, resumedAfter: 0 })
      expect(problems).toEqual([
        [2, 'there is no slug "nobody"'],
        [3, 'clicked_at: is in the future'],
        [4, 'is not a JSON object'],
        [6, 'is not a JSON object'],
        [7, 'clicked_at: must be Unix seconds'],
        [8, 'clicked_at: must be Unix seconds or a time like 2026-01-31 12:00:00'],
        [9, 'there is no slug "7"'],
        [10, 'there is no slug "no good!"'],
      ])
      expect(await readCounts(database)).toEqual([2, 2, 2])
      await database.close()
    })

    test('refuses a file that was imported before, under any name, and counts it again only on request', async () => {
      const { database, take } = await start()
      const lines = [{ slug: 'one', clicked_at: 1 }]
      await take(fileWith(lines))
      expect(await failureOf(take(fileWith(lines)))).toContain('This file was imported before')
      expect(await readCounts(database)).toEqual([1, 1, 1])
      expect(await take(fileWith(lines), { again: true })).toMatchObject({ imported: 1 })
      expect(await failureOf(take(fileWith(lines)))).toContain('This file was imported before')
      expect(await take(fileWith(lines), { again: true })).toMatchObject({ imported: 1 })
      expect(await readCounts(database)).toEqual([3, 3, 3])
      await database.close()
    })

    test('resumes after an interrupted import, and every click counts once', async () => {
      const { database, take } = await start()
      const lines = Array.from({ length: 5_000 }, (_line, at) => ({
        slug: at === 2_500 ? 'nobody' : at % 2 ? 'one' : 'two',
        clicked_at: 1_700_000_000 + at,
      }))
      const path = fileWith(lines)
      const interrupt = () => {
        throw new Error('interrupted')
      }
      expect(await failureOf(take(path, { onProblem: interrupt }))).toContain('interrupted')
      expect(await readCounts(database)).toEqual([3_999, 3_999, 3_999])
      expect(await take(path)).toEqual({ imported: 1_000, bad: 0, incomplete: 0, resumedAfter: 4_000 })
      expect(await readCounts(database)).toEqual([4_999, 4_999, 4_999])
      await database.close()
    })

    test('resumes an interrupted second import instead of starting a third', async () => {
      const { database, take } = await start()
      const lines = Array.from({ length: 2_500 }, () => ({ slug: 'one', clicked_at: 1 }))
      const path = fileWith([...lines, { slug: 'nobody', clicked_at: 1 }])
      await take(path)
      const interrupt = () => {
        throw new Error('interrupted')
      }
      expect(await failureOf(take(path, { again: true, onProblem: interrupt }))).toContain('interrupted')
      await take(path, { again: true })
      expect(await readCounts(database)).toEqual([5_000, 5_000, 5_000])
      await database.close()
    })

    test('by two processes at once counts every click once', async () => {
      const { url, database, take } = await start()
      const path = fileWith(Array.from({ length: 9_000 }, (_line, at) => ({ slug: 'one', clicked_at: at })))
      const other = await openMigrated(url)
      const options = {
        databaseUrl: url,
        privacy: 'full' as const,
        path,
        again: false,
        now: NOW,
        ownHost: null,
        onProblem: () => {},
      }
      const outcomes = await Promise.allSettled([take(path), importClicks({ ...options, database: other })])
      expect(outcomes.some(({ status }) => status === 'fulfilled')).toBe(true)
      expect(await readCounts(database)).toEqual([9_000, 9_000, 9_000])
      await Promise.all([database.close(), other.close()])
    })

    test('a file with only bad lines stores nothing, and can be imported again once its slugs exist', async () => {
      const { database, take } = await start()
      const path = fileWith([{ slug: 'later', clicked_at: 1 }])
      expect(await take(path)).toMatchObject({ imported: 0, bad: 1 })
      expect(await readCounts(database)).toEqual([0, 0, 0])
      await importText(database, 'url,slug\nhttps://example.com/c,later\n')
      expect(await take(path)).toMatchObject({ imported: 1, bad: 0 })
      expect(await readCounts(database)).toEqual([1, 1, 1])
      await database.close()
    })
  })
})
