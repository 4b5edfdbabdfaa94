import { expect, test } from 'bun:test'
import { openDatabase } from '@latchkey/database/database'
import { eachDialect } from '@latchkey/database/testing'
import { Relay } from '@latchkey/database/testing-relay'
import { createLog } from '@latchkey/http/log'
import { sql } from 'kysely'
import { NOW, TestDatabase, closeAfterEach, until } from '../../test/test-database.ts'
import type { Tables } from '../db/tables.ts'
import { VisitorSalts, oldestSaltedDay } from './visitor-salts.ts'
import { dayOf } from '../clicks/visitor.ts'

const { closeLater } = closeAfterEach()

const DAY = 86_400
const TODAY = dayOf(NOW)
const TOMORROW = TODAY + DAY

eachDialect((dialect, newUrl) => {
  /** A node on the database; `clock` is in Unix seconds. */
  async function node(url: string, clock = { now: NOW }) {
    const database = closeLater(openDatabase<Tables>(url)).withStatementTimeout(1_000)
    const lines: string[] = []
    const log = createLog({ write: (line) => void lines.push(line) })
    const salts = closeLater(await VisitorSalts.open(database, () => clock.now, log))
    return { salts, clock, lines }
  }

  const storedSalts = (stored: TestDatabase) =>
    stored.rows<{ day: number; salt: string }>('select day, salt from visitor_salt order by day')

  test('L37.1 nodes that start at the same moment share the salt of the day', async () => {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const nodes = await Promise.all(Array.from({ length: 8 }, () => node(stored.url)))
    const salts = nodes.map(({ salts: one }) => one.of(TODAY))
    expect(new Set(salts).size).toBe(1)
    expect(salts[0]).toMatch(/^[\w-]{43}$/)
    expect(await storedSalts(stored)).toEqual([{ day: TODAY, salt: salts[0] ?? '' }])
  })

  test('the next day starts with a salt that all nodes already share, however fast redirects arrive', async () => {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const [one, other] = [await node(stored.url), await node(stored.url)]
    for (const each of [one, other]) {
      each.clock.now = TOMORROW - 60
      await each.salts.refresh()
      each.clock.now = TOMORROW
    }
    expect(one.salts.of(TOMORROW)).toBe(other.salts.of(TOMORROW))
    expect(one.salts.of(TOMORROW)).not.toBe(one.salts.of(TODAY))
    expect(await storedSalts(stored)).toHaveLength(2)
  })

  test('the salt of the next day is not created before the last minutes of the day', async () => {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const { salts, clock } = await node(stored.url)
    clock.now = TOMORROW - 600
    await salts.refresh()
    expect(await storedSalts(stored)).toHaveLength(1)
  })

  test('a node whose clock leaps continues at once, and its new salt is shared', async () => {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const { salts, clock } = await node(stored.url)
    clock.now = TOMORROW + 5
    const own = salts.of(TOMORROW)
    await until('it is stored', async () => (await storedSalts(stored)).length === 2)
    expect((await node(stored.url, clock)).salts.of(TOMORROW)).toBe(own)
  })

  test('the salt of a day is deleted from memory an hour after the day', async () => {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const { salts, clock } = await node(stored.url)
    const old = salts.of(TODAY)
    clock.now = TOMORROW + 3_599
    await salts.refresh()
    expect(salts.of(TODAY)).toBe(old)
    await stored.run(sql`delete from visitor_salt`)
    clock.now = TOMORROW + 3_600
    await salts.refresh()
    expect(salts.of(TODAY)).not.toBe(old)
  })

  test('L37.1b a salt is deleted at the earliest an hour after its day, never during it', () => {
    expect(oldestSaltedDay(TODAY)).toBe(TODAY - DAY)
    expect(oldestSaltedDay(TODAY + 3_599)).toBe(TODAY - DAY)
    expect(oldestSaltedDay(TODAY + 3_600)).toBe(TODAY)
    expect(oldestSaltedDay(TOMORROW - 1)).toBe(TODAY)
  })

  if (dialect === 'sqlite') return

  /** A node behind a relay, in its last minute of the day, without the salt of the next day. */
  async function beforeMidnight() {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const relay = closeLater(await Relay.before(stored.url))
    return { stored, relay, ...(await node(relay.through(stored.url))) }
  }

  test('L37.1 a node that cannot reach the database over midnight uses its own salt for the day', async () => {
    const { stored, relay, salts, clock, lines } = await beforeMidnight()
    relay.cut()
    clock.now = TOMORROW
    const own = salts.of(TOMORROW)
    await salts.refresh()
    expect(lines.filter((line) => line.includes('visitor salt: not shared'))).toHaveLength(1)
    const { salts: other } = await node(stored.url, clock)
    expect(other.of(TOMORROW)).not.toBe(own)
    relay.restore()
    await salts.refresh()
    expect(salts.of(TOMORROW)).toBe(own)
    expect((await storedSalts(stored)).map(({ salt }) => salt)).not.toContain(own)
    expect(lines.join('')).not.toContain(own)
  })

  test('the salt that a node used while disconnected becomes the shared one if it is the first to reconnect', async () => {
    const { stored, relay, salts, clock } = await beforeMidnight()
    relay.cut()
    clock.now = TOMORROW
    const own = salts.of(TOMORROW)
    await salts.refresh()
    relay.restore()
    await salts.refresh()
    expect((await node(stored.url, clock)).salts.of(TOMORROW)).toBe(own)
  })
})
