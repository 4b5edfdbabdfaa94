import type { Database } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import type { Database as SqliteFile } from 'bun:sqlite'
import { sql } from 'kysely'
import type { Tables } from '../../src/db/tables.ts'

/** The changes and the events of a link that are stored. */
interface LinkRecords {
  link_id: number
  version: number
  changes: number
  events: number
}

/**
 * Selects the links whose writes, changes and events are not equally many (L29.1, L30.1). Each
 * write raises the version by one, from 1 on.
 */
export function unequalRecords(dialect: DialectName): string {
  const linkId = `cast(${dialect === 'postgres' ? 'data::json' : 'data'} ->> 'link_id' as integer)`
  return `with changes as (select link_id, count(*) as count from history where link_id is not null group by link_id),
      events as (select ${linkId} as link_id, count(*) as count from event
        where type in (select distinct kind from history) and first_click is null group by 1)
    select id as link_id, version, coalesce(changes.count, 0) as changes, coalesce(events.count, 0) as events
    from link left join changes on changes.link_id = id left join events on events.link_id = id
    where version is distinct from changes.count or version is distinct from events.count`
}

/** The rows of `unequalRecords` in a SQLite file. */
export function findUnequalRecords(file: SqliteFile): LinkRecords[] {
  return file.query<LinkRecords, []>(unequalRecords('sqlite')).all()
}

/** Returns the clicks that are in no event, or in several. */
export async function findMisplacedClicks({ read }: Pick<Database<Tables>, 'read'>) {
  const { rows } = await sql<{ id: number; events: number }>`select click.id, count(event.seq) as events
    from click left join event on click.id between first_click and last_click
    group by click.id having count(event.seq) <> 1`.execute(read)
  return rows
}
