import { Database as SqliteFile } from 'bun:sqlite'
import { createHash } from 'node:crypto'
import { openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { hashToken } from '@latchkey/tokens/opaque'
import { migrations } from '../../apps/rooms/src/db/migrations.ts'

const DAY_MS = 86_400_000

/** Returns the cookie of a seeded session. */
export function tokenOf(id: number): string {
  return createHash('sha256').update(`session ${id}`).digest('base64url')
}

/**
 * Marks these sessions as used now, which keeps them from being extended within the next minute.
 */
export function touch(path: string, tokens: readonly string[]): void {
  const file = new SqliteFile(path)
  const update = file.prepare('update sessions set last_seen_at = ? where token_hash = ?')
  file.transaction(() => {
    for (const token of tokens) update.run(Date.now(), hashToken(token))
  })()
  update.finalize()
  file.close()
}

/** Creates `count` people with a session each, in a database that Rooms has migrated. */
export async function seed(path: string, count: number): Promise<void> {
  const database = openDatabase(`sqlite:${path}`)
  await migrate(database, migrations)
  await database.close()
  const file = new SqliteFile(path)
  // An unfinished database may be lost, and random keys touch every page of the indexes.
  for (const pragma of ['journal_mode = off', 'synchronous = off', 'cache_size = -2000000'])
    file.run(`pragma ${pragma}`)
  const user = file.prepare(
    `insert into users (id, nickname, search_name, avatar_color, disabled, is_guest, created_at, last_seen_at)
     values (?, ?, ?, '#1565c0', 0, 0, ?, ?)`,
  )
  const session = file.prepare(
    `insert into sessions (id, user_id, token_hash, idp_issuer, idp_sub, idp_sid, id_token_sealed, login_at, created_at,
       last_seen_at, idle_expires_at, absolute_expires_at, user_agent, client_ip)
     values (?, ?, ?, 'https://login.example.com', ?, ?, ?, ?, ?, ?, ?, ?, ?, '192.0.2.1')`,
  )
  const sealed = 'x'.repeat(1_200)
  const agent =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36'
  const now = Date.now()
  file.transaction(() => {
    for (let id = 1; id <= count; id++) {
      const [userId, sessionId] = [crypto.randomUUID(), crypto.randomUUID()]
      user.run(userId, `Person ${id}`, `person ${id}`, now, now)
      const [idle, absolute] = [now + 7 * DAY_MS, now + 30 * DAY_MS]
      session.run(
        sessionId,
        userId,
        hashToken(tokenOf(id)),
        `sub-${id}`,
        `sid-${id}`,
        sealed,
        now,
        now,
        now,
        idle,
        absolute,
        agent,
      )
    }
  })()
  file.close()
}
