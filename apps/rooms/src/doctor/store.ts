import type { Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'

/** The time of the newest session activity in Unix seconds; 0 without sessions. */
export async function newestSessionAt(read: Kysely<Tables>): Promise<number> {
  const newest = await read
    .selectFrom('sessions')
    .select((eb) => eb.fn.max<number | null>('last_seen_at').as('at'))
    .executeTakeFirst()
  return (newest?.at ?? 0) / 1000
}

/** Whether users of this issuer have signed in and none of them owns a team. */
export async function hasLoginsWithoutTeams(db: Kysely<Tables>, issuer: string): Promise<boolean> {
  const person = db.selectFrom('identities').select('id').where('issuer', '=', issuer).limit(1)
  const team = db.selectFrom('role_grants').select('id').where('source', '=', 'teamidp').limit(1)
  return (await person.executeTakeFirst()) !== undefined && (await team.executeTakeFirst()) === undefined
}
