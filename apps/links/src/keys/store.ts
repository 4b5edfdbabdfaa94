import { lockKey } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import { createToken, hashToken } from '@latchkey/tokens/opaque'
import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { ApiKey, NewApiKey } from './schema.ts'
import { Scope } from './schema.ts'

const PREFIX_LENGTH = 7
const SECRET_BYTES = 24
const RAW_KEY = /^sk_[0-9a-f]{48}$/

/** A key that a request presented, with its rights. */
export interface PresentedKey {
  id: number
  title: string
  identity: string
  scope: string
  lastUsedAt: number | null
}

/**
 * Creates a key that acts as `identity`. Only this result contains the raw key; the database stores
 * its hash.
 */
export async function insertKey(
  db: Kysely<Tables>,
  { title, scope, identity, now }: NewApiKey & { identity: string; now: number },
): Promise<{ key: ApiKey; rawKey: string }> {
  const rawKey = createToken('sk_', SECRET_BYTES, 'hex')
  const publicFields = {
    title,
    scope,
    key_prefix: rawKey.slice(0, PREFIX_LENGTH),
    created_at: now,
    last_used_at: null,
  }
  const { id } = await db
    .insertInto('api_key')
    .values({ ...publicFields, identity, key_hash: hashToken(rawKey) })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { key: { id, ...publicFields }, rawKey }
}

/**
 * Counts the keys of a person. Until the transaction ends, concurrent counts for this person wait.
 */
export async function countKeys(
  tx: Transaction<Tables>,
  dialect: DialectName,
  identity: string,
): Promise<number> {
  await lockKey(dialect, tx, Number(BigInt.asUintN(53, Bun.hash.xxHash64(identity))))
  const { count } = await tx
    .selectFrom('api_key')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('identity', '=', identity)
    .executeTakeFirstOrThrow()
  return count
}

/** Skips the query for text that cannot be a key. */
export async function findKey(db: Kysely<Tables>, rawKey: string): Promise<PresentedKey | undefined> {
  if (!RAW_KEY.test(rawKey)) return undefined
  return db
    .selectFrom('api_key')
    .select(['id', 'title', 'identity', 'scope', 'last_used_at as lastUsedAt'])
    .where('key_hash', '=', hashToken(rawKey))
    .executeTakeFirst()
}

/** False for a key that was revoked. */
export async function hasKey(db: Kysely<Tables>, id: number): Promise<boolean> {
  const row = await db.selectFrom('api_key').select('id').where('id', '=', id).executeTakeFirst()
  return row !== undefined
}

export async function markKeyUsed(db: Kysely<Tables>, id: number, now: number): Promise<void> {
  await db.updateTable('api_key').set({ last_used_at: now }).where('id', '=', id).execute()
}

/** Lists keys, newest first: those of one identity, or all of them for the operator. */
export async function listKeys(
  db: Kysely<Tables>,
  identity?: string,
): Promise<(ApiKey & { identity: string })[]> {
  const rows = await db
    .selectFrom('api_key')
    .select(['id', 'title', 'key_prefix', 'scope', 'created_at', 'last_used_at', 'identity'])
    .$if(identity !== undefined, (query) => query.where('identity', '=', identity ?? ''))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute()
  return rows.map((row) => ({ ...row, scope: Scope.parse(row.scope) }))
}

/**
 * Revokes a key of this identity or, for the operator, of any identity. Returns false if there is
 * none.
 */
export async function deleteKey(db: Kysely<Tables>, id: number, identity?: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('api_key')
    .where('id', '=', id)
    .$if(identity !== undefined, (query) => query.where('identity', '=', identity ?? ''))
    .executeTakeFirst()
  return numDeletedRows > 0n
}
