import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/** Domains take `previews` for `robots`, and null for the value of the instance. */
export const robots: Migration = async (tx, dialect) => {
  const run = (statement: string) => sql.raw(statement).execute(tx)
  if (dialect === 'postgres') {
    await run('alter table domain drop constraint domain_robots_check')
    await run('alter table domain alter column robots drop not null')
    await run(
      "alter table domain add constraint domain_robots_check check (robots in ('allow', 'disallow', 'previews'))",
    )
    return
  }
  await run(`create table new_domain (
    host text not null primary key,
    root_url text check (root_url is null or host <> ''),
    not_found_url text check (not_found_url is null or host <> ''),
    status integer check (status in (301, 302, 307, 308)),
    robots text check (robots in ('allow', 'disallow', 'previews')),
    also_of text check (also_of <> host),
    well_known text
  ) strict`)
  await run(
    'insert into new_domain select host, root_url, not_found_url, status, robots, also_of, well_known from domain',
  )
  await run('drop table domain')
  await run('alter table new_domain rename to domain')
}
