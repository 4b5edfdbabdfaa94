import type { Migration } from '@latchkey/database/migrate'
import { type Transaction, sql } from 'kysely'
import { skeleton } from '../../users/lookalikes.ts'

const ROWS_AT_ONCE = 1_000

/** Finds people of a room whose names look the same, and not only those whose names are. */
export const skeletons: Migration = async (tx) => {
  await sql`alter table users add column skeleton text not null default ''`.execute(tx)
  await storeSkeletons(tx)
  await sql`drop index users_by_nickname`.execute(tx)
  await sql`create index users_by_skeleton on users (skeleton)`.execute(tx)
}

/** Of everybody who is there. */
export async function storeSkeletons(tx: Transaction<unknown>): Promise<void> {
  for (let after = ''; ;) {
    const { rows } = await sql<{ id: string; nickname: string }>`
      select id, nickname from users where id > ${after} order by id limit ${ROWS_AT_ONCE}`.execute(tx)
    const last = rows.at(-1)
    if (!last) break
    after = last.id
    const named = sql.join(rows.map(({ id, nickname }) => sql`(${id}, ${skeleton(nickname)})`))
    await sql`
      update users set skeleton = named.column2 from (values ${named}) as named where users.id = named.column1`.execute(
      tx,
    )
  }
}
