import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { sql } from 'kysely'
import { migrations } from './migrations.ts'
import { prepareQuery } from './prepared-query.ts'
import type { PlatformStateRow, Tables } from './tables.ts'

const put = prepareQuery<PlatformStateRow, Pick<PlatformStateRow, 'key'>>((db, { key, value, updated_at }) =>
  db
    .insertInto('platform_state')
    .values({ key, value, updated_at })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value, updated_at }))
    .returning('key'),
)

const find = prepareQuery<{ minimum: number; ending: string; limit: number }, { key: string; text: string }>(
  (db, { minimum, ending, limit }) =>
    db
      .selectFrom('platform_state')
      .select(['key', sql<string>`value || ${ending}`.as('text')])
      .where('updated_at', '>=', minimum)
      .where('key', 'like', 'test.%')
      .orderBy('key')
      .limit(limit),
)

eachDialect((_dialect, newUrl) => {
  test('a prepared statement runs with new parameters each time, also in transactions and on other handles', async () => {
    const [one, two] = [openDatabase<Tables>(await newUrl()), openDatabase<Tables>(await newUrl())]
    for (const database of [one, two]) {
      await migrate(database, migrations)
      for (const [key, value, updated_at] of [
        ['test.a', 'first', 1],
        ['test.b', `'; drop table users --`, 2],
        ['test.a', 'second', 3],
      ] as const)
        expect(await database.write((tx) => put(tx, { key, value, updated_at }))).toEqual([{ key }])
      const params = { minimum: 2, ending: '!', limit: 5 }
      expect(await find(database.read, params)).toEqual([
        { key: 'test.a', text: 'second!' },
        { key: 'test.b', text: `'; drop table users --!` },
      ])
      expect(await find(database.read, { ...params, minimum: 3 })).toHaveLength(1)
      expect(await database.write((tx) => find(tx, { ...params, limit: 1, ending: '?' }))).toEqual([
        { key: 'test.a', text: 'second?' },
      ])
    }
    await one.close()
    await two.close()
  })

  test('a failed transaction rolls back the writes of a prepared statement', async () => {
    const database = openDatabase<Tables>(await newUrl())
    await migrate(database, migrations)
    const writing = database.write(async (tx) => {
      await put(tx, { key: 'test.c', value: 'x', updated_at: 9 })
      throw new Error('no')
    })
    expect(await writing.catch((error: Error) => error.message)).toBe('no')
    expect(await find(database.read, { minimum: 9, ending: '', limit: 5 })).toEqual([])
    await database.close()
  })
})
