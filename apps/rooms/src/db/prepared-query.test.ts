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

const find = prepareQuery<{ least: number; ending: string; limit: number }, { key: string; shown: string }>(
  (db, { least, ending, limit }) =>
    db
      .selectFrom('platform_state')
      .select(['key', sql<string>`value || ${ending}`.as('shown')])
      .where('updated_at', '>=', least)
      .where('key', 'like', 'test.%')
      .orderBy('key')
      .limit(limit),
)

eachDialect((_dialect, newUrl) => {
  test('a statement that is put together once runs with what it is given each time, in transactions and on other handles too', async () => {
    const [one, two] = [openDatabase<Tables>(await newUrl()), openDatabase<Tables>(await newUrl())]
    for (const database of [one, two]) {
      await migrate(database, migrations)
      for (const [key, value, updated_at] of [
        ['test.a', 'first', 1],
        ['test.b', `'; drop table users --`, 2],
        ['test.a', 'second', 3],
      ] as const)
        expect(await database.write((tx) => put(tx, { key, value, updated_at }))).toEqual([{ key }])
      const asked = { least: 2, ending: '!', limit: 5 }
      expect(await find(database.read, asked)).toEqual([
        { key: 'test.a', shown: 'second!' },
        { key: 'test.b', shown: `'; drop table users --!` },
      ])
      expect(await find(database.read, { ...asked, least: 3 })).toHaveLength(1)
      expect(await database.write((tx) => find(tx, { ...asked, limit: 1, ending: '?' }))).toEqual([
        { key: 'test.a', shown: 'second?' },
      ])
    }
    await one.close()
    await two.close()
  })

  test('a transaction that fails takes back what a prepared statement wrote', async () => {
    const database = openDatabase<Tables>(await newUrl())
    await migrate(database, migrations)
    const writing = database.write(async (tx) => {
      await put(tx, { key: 'test.c', value: 'x', updated_at: 9 })
      throw new Error('no')
    })
    expect(await writing.catch((error: Error) => error.message)).toBe('no')
    expect(await find(database.read, { least: 9, ending: '', limit: 5 })).toEqual([])
    await database.close()
  })
})
