import { expect, test } from 'bun:test'
import { openDatabase } from '@latchkey/database/database'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import { withSnapshot } from './snapshot.ts'
import type { Tables } from './tables.ts'

eachDialect((_, newUrl) => {
  test('an error that ends the transaction is the one reported, and the next snapshot works', async () => {
    const database = openDatabase<Tables>(await newUrl())
    const broken = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' })
    const failing = withSnapshot(database, async ({ read }) => {
      await sql`rollback`.execute(read)
      throw broken
    })
    expect(await failing.catch((error: unknown) => error)).toBe(broken)
    expect(
      await withSnapshot(database, async ({ read }) => (await sql`select 1 as one`.execute(read)).rows),
    ).toEqual([{ one: 1 }])
    await database.close()
  })
})
