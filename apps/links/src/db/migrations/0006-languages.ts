import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/** A person's language is one that the code knows: a new language needs no migration. */
export const languages: Migration = async (tx, dialect) => {
  const run = (statement: string) => sql.raw(statement).execute(tx)
  if (dialect === 'postgres') {
    await run('alter table preference drop constraint preference_lang_check')
    await run("alter table preference add constraint preference_lang_check check (lang ~ '^[a-z]{2}$')")
    return
  }
  await run(`create table new_preference (
    identity text not null primary key,
    slug_default_length integer not null default 4 check (slug_default_length between 3 and 128),
    theme text check (theme in ('light', 'dark')),
    lang text check (lang glob '[a-z][a-z]'),
    time_zone text,
    default_range text not null default '30d',
    filter_bots integer not null default 1 check (filter_bots in (0, 1)),
    filter_self_referrers integer not null default 1 check (filter_self_referrers in (0, 1)),
    list_views text not null default '[]'
  ) strict`)
  await run(
    `insert into new_preference select identity, slug_default_length, theme, lang, time_zone, default_range,
      filter_bots, filter_self_referrers, list_views from preference`,
  )
  await run('drop table preference')
  await run('alter table new_preference rename to preference')
}
