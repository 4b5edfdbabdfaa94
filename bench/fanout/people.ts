import { openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { hashToken } from '@latchkey/tokens/opaque'
import { migrations } from '../../apps/rooms/src/db/migrations.ts'
import type { Tables } from '../../apps/rooms/src/db/tables.ts'
import { csrfTokenOf } from '../../apps/rooms/src/sessions/csrf.ts'
import { namesOf } from '../../apps/rooms/src/users/names.ts'

const DAY_MS = 86_400_000

/** A person with a session, and the headers of their browser's requests. */
export interface Person {
  headers: Record<string, string>
}

export const HOST = 'rooms.example.com'

function personOf(token: string): Person {
  const csrf = csrfTokenOf(token)
  const cookie = `__Host-latchkey_session=${token}; __Host-latchkey_csrf=${csrf}`
  return {
    headers: {
      host: HOST,
      origin: `https://${HOST}`,
      cookie,
      'x-csrf-token': csrf,
      'sec-fetch-site': 'same-origin',
      'content-type': 'application/json',
    },
  }
}

/** Creates `count` people with a session each, in a database that is migrated first. */
export async function seedPeople(url: string, count: number): Promise<Person[]> {
  const database = openDatabase<Tables>(url)
  await migrate(database, migrations)
  const now = Date.now()
  const tokens: string[] = []
  for (let from = 0; from < count; from += 200)
    await database.write(async (tx) => {
      for (let i = from; i < Math.min(from + 200, count); i++) {
        const [userId, token] = [crypto.randomUUID(), Buffer.from(crypto.getRandomValues(new Uint8Array(32)))]
        tokens.push(token.toString('base64url'))
        await tx
          .insertInto('users')
          .values({
            id: userId,
            ...namesOf(`Person ${i}`),
            email: null,
            avatar_color: '#1565c0',
            disabled: 0,
            is_guest: 0,
            created_at: now,
            last_seen_at: now,
            guest_ended_at: null,
          })
          .execute()
        await tx
          .insertInto('sessions')
          .values({
            id: crypto.randomUUID(),
            user_id: userId,
            token_hash: hashToken(token.toString('base64url')),
            idp_issuer: null,
            idp_sub: null,
            idp_sid: null,
            id_token_sealed: null,
            login_at: now,
            created_at: now,
            last_seen_at: now,
            idle_expires_at: now + 7 * DAY_MS,
            absolute_expires_at: now + 30 * DAY_MS,
            revoked_at: null,
            revoke_reason: null,
            user_agent: 'bench',
            client_ip: '127.0.0.1',
          })
          .execute()
      }
    })
  await database.close()
  return tokens.map(personOf)
}
