import { createToken, hashToken } from '@latchkey/tokens/opaque'
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'

/** A link or a bundle whose statistics are shared. */
export type SharedSubject = { link_id: number } | { bundle_id: number }

const SECRET_BYTES = 24
const SECRET = /^[\w-]{32}$/

/**
 * Creates the secret of a public address, in place of an earlier one. Only this result contains
 * it; the database stores its hash.
 */
export async function saveShare(db: Kysely<Tables>, subject: SharedSubject, now: number): Promise<string> {
  const secret = createToken('', SECRET_BYTES, 'base64url')
  const share = { secret_hash: hashToken(secret), created_at: now }
  await db
    .insertInto('stats_share')
    .values({ link_id: null, bundle_id: null, ...subject, ...share })
    .onConflict((conflict) =>
      conflict.column('link_id' in subject ? 'link_id' : 'bundle_id').doUpdateSet(share),
    )
    .execute()
  return secret
}

/** The time at which this was shared, in Unix seconds; undefined if it is not. */
export async function findShareTime(db: Kysely<Tables>, subject: SharedSubject): Promise<number | undefined> {
  const row = await db
    .selectFrom('stats_share')
    .select('created_at')
    .where(isSubject(subject))
    .executeTakeFirst()
  return row?.created_at
}

/** Revokes the public address. Returns false if there was none. */
export async function deleteShare(db: Kysely<Tables>, subject: SharedSubject): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('stats_share').where(isSubject(subject)).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Skips the query for text that cannot be a secret. */
export async function findSharedSubject(
  db: Kysely<Tables>,
  secret: string,
): Promise<SharedSubject | undefined> {
  if (!SECRET.test(secret)) return undefined
  const row = await db
    .selectFrom('stats_share')
    .select(['link_id', 'bundle_id'])
    .where('secret_hash', '=', hashToken(secret))
    .executeTakeFirst()
  if (!row) return undefined
  return row.link_id === null ? { bundle_id: row.bundle_id ?? 0 } : { link_id: row.link_id }
}

function isSubject(subject: SharedSubject): RawBuilder<SqlBool> {
  return 'link_id' in subject ? sql`link_id = ${subject.link_id}` : sql`bundle_id = ${subject.bundle_id}`
}
