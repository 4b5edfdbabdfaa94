import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/**
 * A salt for each UTC day, in place of one secret from which the salt of any day could be made. The secret goes from the
 * files too: SQLite overwrites it, and PostgreSQL, which keeps deleted rows in the file, gets a new one.
 */
export const visitorSalts: Migration = async (tx, dialect) => {
  const [integer, strict] = dialect === 'sqlite' ? ['integer', 'strict'] : ['bigint', '']
  await sql
    .raw(`create table visitor_salt (day ${integer} not null primary key, salt text not null) ${strict}`)
    .execute(tx)
  if (dialect === 'sqlite') {
    await sql`pragma secure_delete = on`.execute(tx)
    await sql`delete from instance where name = 'visitor_secret'`.execute(tx)
    await sql`pragma secure_delete = off`.execute(tx)
    return
  }
  await sql`create temporary table kept on commit drop as
    select * from instance where name <> 'visitor_secret'`.execute(tx)
  await sql`truncate instance`.execute(tx)
  await sql`insert into instance select * from kept`.execute(tx)
}
