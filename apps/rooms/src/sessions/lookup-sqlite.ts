import { openSqliteFile } from '@latchkey/database/sqlite-file'
import { hashToken } from '@latchkey/tokens/opaque'
import type { SessionLookup } from './types.ts'
import { FIND_SESSION, type SessionUserRow, toSessionWithUser } from './lookup-statement.ts'

/** Reads the database for every request. Ended sessions and revoked rights take effect at once. */
export function openSqliteLookup(path: string): SessionLookup {
  const file = openSqliteFile(path, { readonly: true })
  // SQLite would plan a join with a bare `?` again for each request
  // (packages/database/src/sqlite.ts).
  const findBy = (column: 'token_hash' | 'sessions.id') =>
    file.prepare<SessionUserRow, [string]>(`${FIND_SESSION}${column} = +?`)
  const byToken = findBy('token_hash')
  const byId = findBy('sessions.id')
  return {
    find: (token) => toSessionWithUser(byToken.get(hashToken(token))),
    findById: (id) => toSessionWithUser(byId.get(id)),
    close() {
      byToken.finalize()
      byId.finalize()
      file.close()
    },
  }
}
