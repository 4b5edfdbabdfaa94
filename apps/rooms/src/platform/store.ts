import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { PlatformSettings } from './schema.ts'

const SETTINGS = Object.keys(PlatformSettings.shape) as (keyof PlatformSettings)[]

/** Settings share the table with markers and other state, which never has this prefix. */
function keyOf(setting: keyof PlatformSettings): string {
  return `setting.${setting}`
}

export async function findPlatformSettings(db: Kysely<Tables>): Promise<PlatformSettings> {
  const rows = await db
    .selectFrom('platform_state')
    .select(['key', 'value'])
    .where('key', 'in', SETTINGS.map(keyOf))
    .execute()
  const values = new Map(rows.map(({ key, value }) => [key, value]))
  const given = SETTINGS.map((setting) => [setting, values.get(keyOf(setting))] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== undefined))
}

/** Null deletes the setting. */
export async function savePlatformSetting(
  tx: Transaction<Tables>,
  setting: keyof PlatformSettings,
  value: string | null,
  nowMs: number,
): Promise<void> {
  if (value === null) await tx.deleteFrom('platform_state').where('key', '=', keyOf(setting)).execute()
  else await saveState(tx, keyOf(setting), value, nowMs)
}

export async function findState(db: Kysely<Tables>, key: string): Promise<string | undefined> {
  const row = await db.selectFrom('platform_state').select('value').where('key', '=', key).executeTakeFirst()
  return row?.value
}

export async function saveState(
  tx: Transaction<Tables>,
  key: string,
  value: string,
  nowMs: number,
): Promise<void> {
  await tx
    .insertInto('platform_state')
    .values({ key, value, updated_at: nowMs })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value, updated_at: nowMs }))
    .execute()
}
