import type { Kysely, Selectable, Updateable } from 'kysely'
import type { Tables } from '../db/tables.ts'

export type PreferenceRow = Selectable<Tables['preference']>

const defaults = {
  slug_default_length: 4,
  theme: null,
  lang: null,
  time_zone: null,
  default_range: '30d',
  filter_bots: 1,
  filter_self_referrers: 1,
  list_views: '[]',
}

/** Returns the preferences of the person, with defaults for those that are not set. */
export async function findPreferences(db: Kysely<Tables>, identity: string): Promise<PreferenceRow> {
  const row = await db
    .selectFrom('preference')
    .selectAll()
    .where('identity', '=', identity)
    .executeTakeFirst()
  return row ?? { identity, ...defaults }
}

export async function savePreferences(
  db: Kysely<Tables>,
  identity: string,
  changes: Updateable<Tables['preference']>,
): Promise<void> {
  if (Object.keys(changes).length === 0) return
  await db
    .insertInto('preference')
    .values({ ...defaults, ...changes, identity })
    .onConflict((conflict) => conflict.column('identity').doUpdateSet(changes))
    .execute()
}

/** Returns a value of the instance that all nodes share; undefined if it was never set. */
export async function findInstanceValue(db: Kysely<Tables>, name: string): Promise<string | undefined> {
  const row = await db.selectFrom('instance').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value
}

export async function saveInstanceValue(
  db: Kysely<Tables>,
  name: string,
  value: string | null,
): Promise<void> {
  if (value === null) await db.deleteFrom('instance').where('name', '=', name).execute()
  else
    await db
      .insertInto('instance')
      .values({ name, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute()
}
