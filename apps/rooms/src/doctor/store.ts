import type { Db } from '../db/tables.ts'

/** The time of the newest session activity in Unix seconds; 0 without sessions. */
export async function newestSessionAt(read: Db): Promise<number> {
  const newest = await read
    .selectFrom('sessions')
    .select((eb) => eb.fn.max<number | null>('last_seen_at').as('at'))
    .executeTakeFirst()
  return (newest?.at ?? 0) / 1000
}

/** Whether users of this issuer have signed in and none of them got a grant from this source. */
export async function hasLoginsWithoutGrants(
  db: Db,
  issuer: string,
  source: 'teamidp' | 'claim',
): Promise<boolean> {
  const person = db.selectFrom('identities').select('id').where('issuer', '=', issuer).limit(1)
  const grant = db.selectFrom('role_grants').select('id').where('source', '=', source).limit(1)
  return (await person.executeTakeFirst()) !== undefined && (await grant.executeTakeFirst()) === undefined
}
