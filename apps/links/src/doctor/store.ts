import type { Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'

/** Unix seconds of the newest click; 0 without any. */
export async function findNewestClickTime(read: Kysely<Tables>): Promise<number> {
  const newest = await read
    .selectFrom('click')
    .select((eb) => eb.fn.max<number | null>('clicked_at').as('at'))
    .executeTakeFirst()
  return newest?.at ?? 0
}

/** The start (Unix seconds) of the oldest UTC day with a stored salt; undefined without any. */
export async function findOldestSaltDay(read: Kysely<Tables>): Promise<number | undefined> {
  const oldest = await read
    .selectFrom('visitor_salt')
    .select((eb) => eb.fn.min<number | null>('day').as('day'))
    .executeTakeFirst()
  return oldest?.day ?? undefined
}
