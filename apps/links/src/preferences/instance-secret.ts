import { randomBytes } from 'node:crypto'
import type { Database } from '@latchkey/database/database'
import type { Tables } from '../db/tables.ts'
import { findInstanceValue } from './store.ts'

const SECRET_BYTES = 32

/** Returns a secret that all nodes of the instance share. The first call generates it. */
export async function findOrCreateInstanceSecret(database: Database<Tables>, name: string): Promise<string> {
  const stored = await findInstanceValue(database.read, name)
  if (stored !== undefined) return stored
  const value = randomBytes(SECRET_BYTES).toString('base64url')
  return database.write(async (tx) => {
    await tx
      .insertInto('instance')
      .values({ name, value })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return (await findInstanceValue(tx, name)) ?? value
  })
}
