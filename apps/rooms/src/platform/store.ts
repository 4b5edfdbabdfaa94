import type { Db, PlatformStateRow, Tx } from '../db/tables.ts'
import { PlatformSettings } from './schema.ts'

const SETTINGS = Object.keys(PlatformSettings.shape) as (keyof PlatformSettings)[]

/** Settings share the table with other state, whose keys never have this prefix. */
function keyOf(setting: keyof PlatformSettings): string {
  return `setting.${setting}`
}

export async function findPlatformSettings(db: Db): Promise<PlatformSettings> {
  const rows = await db
    .selectFrom('platform_state')
    .select(['key', 'value'])
    .where('key', 'in', SETTINGS.map(keyOf))
    .execute()
  const values = new Map(rows.map(({ key, value }) => [key, value]))
  const entries = SETTINGS.map((setting) => [setting, values.get(keyOf(setting))] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/** Null deletes the setting. */
export async function savePlatformSetting(
  tx: Tx,
  setting: keyof PlatformSettings,
  value: string | null,
  nowMs: number,
): Promise<void> {
  if (value === null) await tx.deleteFrom('platform_state').where('key', '=', keyOf(setting)).execute()
  else await saveState(tx, keyOf(setting), value, nowMs)
}

export async function saveState(tx: Tx, key: string, value: string, nowMs: number): Promise<void> {
  await tx
    .insertInto('platform_state')
    .values({ key, value, updated_at: nowMs })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value, updated_at: nowMs }))
    .execute()
}

/**
 * Saves a value and returns the previous one. Of nodes that start together, one sees the old value.
 */
export async function exchangeState(
  tx: Tx,
  key: string,
  value: string,
  nowMs: number,
): Promise<string | undefined> {
  // The early write makes other transactions wait for this one.
  const touched = await tx
    .updateTable('platform_state')
    .set({ updated_at: nowMs })
    .where('key', '=', key)
    .returning('value')
    .executeTakeFirst()
  await saveState(tx, key, value, nowMs)
  return touched?.value
}

export async function findState(db: Db, key: string): Promise<string | undefined> {
  const row = await db.selectFrom('platform_state').select('value').where('key', '=', key).executeTakeFirst()
  return row?.value
}

/** The first key with this prefix, with its value. */
export async function findFirstState(
  db: Db,
  prefix: string,
): Promise<Pick<PlatformStateRow, 'key' | 'value'> | undefined> {
  return db
    .selectFrom('platform_state')
    .select(['key', 'value'])
    .where('key', 'like', `${prefix}%`)
    .orderBy('key')
    .limit(1)
    .executeTakeFirst()
}

/** The first key with this prefix. Other transactions that lock it wait until this one ends. */
export async function lockFirstState(tx: Tx, prefix: string): Promise<string | undefined> {
  const first = tx
    .selectFrom('platform_state')
    .select('key')
    .where('key', 'like', `${prefix}%`)
    .orderBy('key')
    .limit(1)
  const held = await tx
    .updateTable('platform_state')
    .set((eb) => ({ updated_at: eb.ref('updated_at') }))
    .where('key', '=', first)
    .returning('key')
    .executeTakeFirst()
  return held?.key
}

const INSTANCE = 'instance'

/** The random id of this instance, shared by all nodes. It lasts as long as the database. */
export async function instanceIdOf(tx: Tx, nowMs: number): Promise<string> {
  await tx
    .insertInto('platform_state')
    .values({ key: INSTANCE, value: crypto.randomUUID(), updated_at: nowMs })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute()
  const { value } = await tx
    .selectFrom('platform_state')
    .select('value')
    .where('key', '=', INSTANCE)
    .executeTakeFirstOrThrow()
  return value
}

/** Undefined before the first start. */
export async function findInstanceId(db: Db): Promise<string | undefined> {
  return findState(db, INSTANCE)
}

export async function hasIdentities(db: Db): Promise<boolean> {
  return (await db.selectFrom('identities').select('id').limit(1).executeTakeFirst()) !== undefined
}

/** Counts identities of an issuer that were created at or before `untilMs`. */
export async function countIdentitiesOf(db: Db, issuer: string, untilMs: number): Promise<number> {
  const { count } = await db
    .selectFrom('identities')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('issuer', '=', issuer)
    .where('created_at', '<=', untilMs)
    .executeTakeFirstOrThrow()
  return count
}

/**
 * Counts accounts of other providers. Their subjects are never treated as subjects of the current
 * provider (R8.5).
 */
export async function countUnreachableAccounts(db: Db, issuer: string): Promise<number> {
  const { count } = await db
    .selectFrom('identities')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('issuer', '<>', issuer)
    .executeTakeFirstOrThrow()
  return count
}
