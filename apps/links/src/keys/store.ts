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

/** A key that a request presented, with what it may do. */
export interface PresentedKey {
  id: number
  identity: string
  scope: string
  lastUsedAt: number | null
}

/** Makes a key that acts as `identity`. The raw key exists only in this answer; the database keeps its hash. */
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

/** Counts the keys of a person; until the transaction ends, nobody else who counts them gets further. */
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

/** Never looks up what cannot be a key. */
export async function findKey(db: Kysely<Tables>, rawKey: string): Promise<PresentedKey | undefined> {
  if (!RAW_KEY.test(rawKey)) return undefined
  return db
    .selectFrom('api_key')
    .select(['id', 'identity', 'scope', 'last_used_at as lastUsedAt'])
    .where('key_hash', '=', hashToken(rawKey))
    .executeTakeFirst()
}

export async function markKeyUsed(db: Kysely<Tables>, id: number, now: number): Promise<void> {
  await db.updateTable('api_key').set({ last_used_at: now }).where('id', '=', id).execute()
}

/** Newest first; of one identity, or of everyone for the operator. */
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

/** Revokes a key, of this identity or (for the operator) anyone's; false when there is none. */
export async function deleteKey(db: Kysely<Tables>, id: number, identity?: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('api_key')
    .where('id', '=', id)
    .$if(identity !== undefined, (query) => query.where('identity', '=', identity ?? ''))
    .executeTakeFirst()
  return numDeletedRows > 0n
}
