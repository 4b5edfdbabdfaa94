import { hashToken } from '@latchkey/tokens/opaque'
import { sql } from 'kysely'
import { NOW, type TestDatabase } from '../test-database.ts'
import { fillDatabase } from './filled-database.ts'

/** A key of the filled instance that creates and reads links. */
export const API_KEY = `sk_${'0123456789abcdef'.repeat(3)}`
/** The slug of a link of the filled instance that redirects, and its destination. */
export const REDIRECT = { slug: 'auto3', url: `https://example.com/3?q=%C3%B6#'"` }

const DAY = 86_400
/** Salts of the past are deleted when a service starts. */
const YEAR_2100 = 4_102_444_800

/** An instance with rows in every table, also in those that archives leave out. */
export async function fillEveryTable(stored: TestDatabase): Promise<void> {
  await fillDatabase(stored)
  await stored.run(sql`insert into api_key (title, key_prefix, key_hash, scope, identity, created_at)
    values ('Program', ${API_KEY.slice(0, 7)}, ${hashToken(API_KEY)}, 'create,read', 'ann@example.com', ${NOW})`)
  for (const statement of [
    sql`insert into link_password (link_id, hash) values (2, '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA')`,
    sql`insert into legacy_path (domain, path, link_id, source, created_at)
      values ('', 'Old/Päth', 1, 'bitly', ${NOW}), ('l.example.org', 'a/b', 7, 'csv', ${NOW})`,
    sql`update click set legacy_path = 'Old/Päth' where id = (select min(id) from click)`,
    sql`insert into idempotent_answer
      (api_key_id, idempotency_key, created_at, path_hash, body_hash, status, headers, body)
      values (1, 'once', ${NOW}, 'path', 'body', 201, '{}', 'sealed')`,
    sql`insert into history_erasure (before) values (${NOW - 9 * DAY})`,
    sql`insert into visitor_salt (day, salt) values (${YEAR_2100}, 'salt')`,
    sql`insert into favicon (host, type, bytes, fetched_at) values ('example.com', 'image/png',
      ${Buffer.from('not really')}, ${NOW}), ('none.example', null, null, ${NOW})`,
    sql`insert into webhook_delivery
      (webhook_id, seq, type, attempt, attempted_at, duration_ms, status, answer, error)
      values (1, 1, 'link.created', 1, ${NOW}, 9, 500, 'no', null),
        (1, 1, 'link.created', 2, ${NOW}, 9, null, null, 'timeout')`,
  ])
    await stored.run(statement)
}
