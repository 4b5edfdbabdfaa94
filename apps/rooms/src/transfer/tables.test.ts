import { expect, test } from 'bun:test'
import { openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { eachDialect } from '@latchkey/database/testing'
import { migrations } from '../db/migrations.ts'
import type { Tables } from '../db/tables.ts'
import { omittedTables, readFormat } from './tables.ts'

eachDialect((_dialect, newUrl) => {
  test('R20: an archive has every column of every table except computed columns and omitted tables', async () => {
    const database = openDatabase<Tables>(await newUrl())
    await migrate(database, migrations)
    const tables = await database.read.introspection.getTables()
    await database.close()
    const omitted: readonly string[] = ['migration', ...omittedTables]
    const expected = tables
      // With the tables of the index itself, which SQLite lists too.
      .filter(({ name }) => !omitted.includes(name) && !name.startsWith('message_words'))
      .flatMap(({ name: table, columns }) =>
        columns.map(({ name, dataType, isNullable }) => {
          const type = /int/i.test(dataType) ? 'int' : 'text'
          return `${table}.${name} ${type}${isNullable ? ' or null' : ''}`
        }),
      )
      .filter((column) => !column.startsWith('users.skeleton '))
    const archived = Object.entries((await readFormat()).tables).flatMap(([table, { columns }]) =>
      Object.entries(columns).map(
        ([name, { type, nullable }]) => `${table}.${name} ${type}${nullable ? ' or null' : ''}`,
      ),
    )
    expect(archived.toSorted()).toEqual(expected.toSorted())
  })
})

test('R20: an archive has the rows of a table in the order of its primary key or a sort order of its own', async () => {
  const { tables } = await readFormat()
  expect(tables.users.orderBy).toEqual(['id'])
  expect(tables.room_events.orderBy).toEqual(['room_id', 'seq'])
  expect(tables.room_messages.orderBy).toEqual(['room_id', 'seq'])
})
