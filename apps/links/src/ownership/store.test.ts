import { afterAll, beforeAll, expect, test } from 'bun:test'
import { ALLOW_IDLE_TRANSACTION } from '@latchkey/database/session'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import { waitFor } from '../../test/actions.ts'
import { NOW, TestDatabase } from '../../test/test-database.ts'
import { transferAll } from './store.ts'

const LINKS = 201

eachDialect((dialect, newUrl) => {
  let stored: TestDatabase
  beforeAll(async () => {
    stored = await TestDatabase.open(await newUrl())
    for (let n = 1; n <= LINKS; n++) await stored.createLink(`link-${n}`)
  })
  afterAll(() => stored.close())

  if (dialect === 'postgres')
    test('a transfer of everything takes all links but one that gets another owner meanwhile', async () => {
      const { database, recorded } = stored
      const ids = await database.read.selectFrom('link').select('id').orderBy('id').execute()
      const first = ids[0]?.id ?? 0
      const [transfer] = await database.write(async (tx) => {
        await sql.raw(ALLOW_IDLE_TRANSACTION).execute(tx)
        await tx.updateTable('link').set({ created_by: 'eve' }).where('id', '=', first).execute()
        const waiting = transferAll(recorded, { from: 'ann@example.com', to: 'ben', confirm: true, now: NOW })
        await waitFor(
          async () => {
            const { rows } = await sql`select 1 from pg_stat_activity
              where wait_event_type = 'Lock' and datname = current_database()`.execute(database.read)
            return rows.length
          },
          (count) => count > 0,
        )
        return [waiting]
      })
      expect(await transfer).toEqual({ links: LINKS - 1, bundles: 0 })
      const { rows } =
        await sql`select created_by, count(*) as links from link group by 1 order by 1`.execute(database.read)
      expect(rows).toEqual([
        { created_by: 'ben', links: LINKS - 1 },
        { created_by: 'eve', links: 1 },
      ])
    })
})
