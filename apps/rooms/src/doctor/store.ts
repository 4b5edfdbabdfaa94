import type { Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'

/** Unix seconds at which somebody was last seen; 0 without anybody. */
export async function newestSessionAt(read: Kysely<Tables>): Promise<number> {
  const newest = await read
    .selectFrom('sessions')
    .select((eb) => eb.fn.max<number | null>('last_seen_at').as('at'))
    .executeTakeFirst()
  return (newest?.at ?? 0) / 1000
}
