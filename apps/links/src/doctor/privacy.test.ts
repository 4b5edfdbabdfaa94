import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import type { Kysely, Updateable } from 'kysely'
import { NOW, TestDatabase, click, closeAfterEach } from '../../test/test-database.ts'
import { RollupJob } from '../rollups/index.ts'
import { DAY } from '../time/window.ts'
import type { ClassifiedClick } from '../clicks/click.ts'
import { openRecorder } from '../counting/open-recorder.ts'
import { deleteClicksBefore } from '../counting/old-clicks.ts'
import { dayOf } from '../clicks/visitor.ts'
import type { ClickTable } from '../db/click-tables.ts'
import type { Settings } from '../settings/settings.ts'
import { checkPrivacy } from './privacy.ts'
import { readValueCandidates } from './store.ts'

const { closeLater } = closeAfterEach()
const FULL = { retentionDays: null, privacy: 'full' } as const
const ADDRESS = '198.51.100.7'

eachDialect((_dialect, newUrl) => {
  async function openWith(make: (link: number) => ClassifiedClick[]) {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const link = await stored.createLink('abcd')
    const recorder = closeLater(openRecorder(stored.url))
    await recorder.record(make(link))
    const change = (id: number, values: Updateable<ClickTable>) =>
      stored.database.write((tx) => tx.updateTable('click').set(values).where('id', '=', id).execute())
    return { stored, recorder, change }
  }

  /** The sentences of what is contradicted; null if everything is proven. */
  async function problemsOf(
    { database }: TestDatabase,
    settings: Pick<Settings, 'retentionDays' | 'privacy'> = FULL,
    now = NOW,
  ): Promise<string[] | null> {
    const findings = await checkPrivacy(database.read, settings, now)
    expect(findings.length).toBeGreaterThanOrEqual(3)
    const problems = findings.filter(({ level }) => level !== 'ok')
    expect(problems.every(({ level, name }) => level === 'fail' && name === 'privacy')).toBe(true)
    return problems.length === 0 ? null : problems.map(({ sentence }) => sentence)
  }

  test('L37.4 ordinary clicks, a version in a user agent and an address within a referrer are no problem', async () => {
    const { stored } = await openWith((link) => [
      click(link, 'abcd', { referrer: `http://${ADDRESS}/page`, query: '?utm_campaign=v1.2.3.4' }),
      click(link, 'abcd', { userAgent: 'App/131.0.0.0' }),
      click(link, 'abcd', { visitorFp: 'x'.repeat(43), country: 'SE' }),
    ])
    expect(await problemsOf(stored)).toBeNull()
  })

  test('L37.4 an address in any text of a click is found, with row and column but without the address', async () => {
    const { stored, change } = await openWith((link) => [click(link, 'abcd'), click(link, 'abcd')])
    const columns = [
      'referrer',
      'referrer_host',
      'country',
      'user_agent',
      'utm_term',
      'visitor_fp',
      'os',
    ] as const
    for (const column of columns)
      for (const address of [ADDRESS, '2001:db8::7', '[2001:db8::7]:443']) {
        await change(2, { [column]: address })
        const problems = await problemsOf(stored)
        expect(problems).toEqual([`click 2: ${column} is an IP address: erase this value`])
        await change(2, { [column]: null })
      }
    expect(await problemsOf(stored)).toBeNull()
  })

  test('L37.4 an address in a column that this version does not know is found', async () => {
    const { stored } = await openWith((link) => [click(link, 'abcd')])
    const database = stored.database as unknown as { writer: Kysely<unknown> }
    await database.writer.schema.alterTable('click').addColumn('later', 'text').execute()
    await (database.writer as Kysely<{ click: { later: string } }>)
      .updateTable('click')
      .set({ later: ADDRESS })
      .execute()
    expect(await problemsOf(stored)).toEqual(['click 1: later is an IP address: erase this value'])
  })

  test('L37.4 an address among the values of deleted clicks is found', async () => {
    const { stored } = await openWith((link) => [
      click(link, 'abcd', { clickedAt: NOW - 40 * DAY, query: '?utm_source=spring' }),
      click(link, 'abcd', { clickedAt: NOW - 50 * DAY, query: '?utm_source=autumn' }),
    ])
    await deleteClicksBefore(stored.database, NOW - 30 * DAY)
    expect(await problemsOf(stored)).toBeNull()
    await stored.database.write((tx) =>
      tx.updateTable('click_forgotten').set({ name: ADDRESS }).where('name', '=', 'spring').execute(),
    )
    expect(await problemsOf(stored)).toEqual([
      expect.stringMatching(/^click_forgotten, link 1, hour \d+: a value of utm_source is an IP address/),
    ])
  })

  test('L37.4 a click older than the setting is found, and none is while deletion keeps up', async () => {
    const settings = { retentionDays: 30, privacy: 'full' } as const
    const oldest = dayOf(NOW - 30 * DAY)
    const { stored, change } = await openWith((link) => [click(link, 'abcd', { clickedAt: oldest })])
    expect(await problemsOf(stored, settings)).toBeNull()
    await change(1, { clicked_at: oldest - 1 })
    expect(await problemsOf(stored)).toBeNull()
    const [problem, ...more] = (await problemsOf(stored, settings)) ?? []
    expect(problem).toStartWith(
      `click 1 of ${new Date((oldest - 1) * 1000).toISOString().slice(0, 10)} is older than LINKS_RETENTION_DAYS=30 allows`,
    )
    expect(more).toEqual([])
  })

  test('L37.4 blocks and rollups that hold what single deleted clicks held are found', async () => {
    const settings = { retentionDays: 30, privacy: 'full' } as const
    const old = dayOf(NOW - 95 * DAY)
    const { stored, recorder } = await openWith((link) =>
      Array.from({ length: 120 }, (_, n) =>
        click(link, 'abcd', { clickedAt: old, visitorFp: `${n}`, referrer: `https://ref.example/${n}` }),
      ),
    )
    while (await recorder.closeHours(NOW));
    const job = new RollupJob(stored.database)
    while (await job.step(NOW));
    await stored.database.write((tx) => tx.deleteFrom('click').execute())
    expect((await problemsOf(stored, settings))?.[0]).toStartWith('click_block, ')
    await stored.database.write((tx) => tx.deleteFrom('click_block').execute())
    expect((await problemsOf(stored, settings))?.[0]).toMatch(/^click_sum, link \d, (referrer|visitor_fp), /)
    await stored.database.write((tx) =>
      tx.deleteFrom('click_sum').where('dimension', 'in', ['referrer', 'visitor_fp']).execute(),
    )
    expect(await problemsOf(stored, settings)).toBeNull()
  })

  test('L37.4 with lean, a click with a user agent or a full referrer is found', async () => {
    const lean = { retentionDays: null, privacy: 'lean' } as const
    const { stored, change } = await openWith((link) => [click(link, 'abcd')])
    expect(await problemsOf(stored, lean)).toEqual([
      expect.stringMatching(/^click 1 has a user agent or a full referrer: start the service/),
    ])
    await change(1, { user_agent: null, referrer: null })
    expect(await problemsOf(stored, lean)).toBeNull()
  })

  test('L37.4 a salt that is stored 48 hours after its day is found', async () => {
    const { stored } = await openWith((link) => [click(link, 'abcd')])
    const add = (day: number) =>
      stored.database.write((tx) => tx.insertInto('visitor_salt').values({ day, salt: 'salt' }).execute())
    await add(dayOf(NOW) - 2 * DAY)
    expect(await problemsOf(stored)).toBeNull()
    await add(dayOf(NOW) - 3 * DAY)
    expect(await problemsOf(stored)).toEqual([expect.stringContaining('visitor salt of 2026-11-21')])
  })

  test('clicks are read in parts, across gaps of deleted ones', async () => {
    const { stored, change } = await openWith((link) => Array.from({ length: 4 }, () => click(link, 'abcd')))
    await change(3, { id: 100_000 })
    await change(4, { id: 5_000_000_000, utm_term: ADDRESS })
    const parts = []
    for await (const { count } of readValueCandidates(stored.database.read)) parts.push(count)
    expect(parts).toEqual([2, 1, 1])
    expect(await problemsOf(stored)).toEqual([
      'click 5000000000: utm_term is an IP address: erase this value',
    ])
  })
})
