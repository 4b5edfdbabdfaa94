import { KNOWN_SETTINGS, listSettings } from '@latchkey/settings/known'
import type { Database } from '@latchkey/database/database'
import type { Kysely } from 'kysely'
import { VERSION } from '../api/version.ts'
import type { Tables } from '../db/tables.ts'
import { declarations } from './declarations.ts'

/** Stores which settings this version knows, for the check of the next one. */
export async function saveKnownSettings(database: Database<Tables>): Promise<void> {
  const value = listSettings(declarations, VERSION)
  if ((await findKnownSettings(database.read)) === value) return
  await database.write((tx) =>
    tx
      .insertInto('instance')
      .values({ name: KNOWN_SETTINGS, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute(),
  )
}

/** The settings of the version that started last; undefined for one that did not store them. */
export async function findKnownSettings(db: Kysely<Tables>): Promise<string | undefined> {
  const row = await db
    .selectFrom('instance')
    .select('value')
    .where('name', '=', KNOWN_SETTINGS)
    .executeTakeFirst()
  return row?.value
}
