import { hashToken } from '@latchkey/tokens/opaque'
import { CompiledQuery } from 'kysely'
import type { Db } from '../db/tables.ts'
import type { SessionLookup } from './types.ts'
import { FIND_SESSION, type SessionUserRow, toSessionWithUser } from './lookup-statement.ts'

/** One round trip per lookup. */
export function openPostgresLookup(db: Db): SessionLookup {
  const findBy = async (column: 'token_hash' | 'sessions.id', value: string) => {
    const query = CompiledQuery.raw(`${FIND_SESSION}${column} = $1`, [value])
    const { rows } = await db.executeQuery<SessionUserRow>(query)
    return toSessionWithUser(rows[0])
  }
  return {
    find: (token) => findBy('token_hash', hashToken(token)),
    findById: (id) => findBy('sessions.id', id),
    close() {},
  }
}
