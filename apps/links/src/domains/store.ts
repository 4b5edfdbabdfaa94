import type { Insertable, Kysely, Selectable } from 'kysely'
import type { Tables } from '../db/tables.ts'

/** The host of the default domain's row: its real host is that of the public origin. */
export const DEFAULT_HOST = ''

/** The settings of a domain for which nothing is set. */
export const UNSET = {
  root_url: null,
  not_found_url: null,
  status: null,
  robots: null,
  alias_of: null,
  well_known: null,
} as const

export type DomainRow = Selectable<Tables['domain']>

/** The settings of all domains, without their files. */
export async function listDomainRows(db: Kysely<Tables>): Promise<Omit<DomainRow, 'well_known'>[]> {
  return db
    .selectFrom('domain')
    .select(['host', 'root_url', 'not_found_url', 'status', 'robots', 'alias_of'])
    .execute()
}

export async function findDomainRow(db: Kysely<Tables>, host: string): Promise<DomainRow | undefined> {
  return db.selectFrom('domain').selectAll().where('host', '=', host).executeTakeFirst()
}

export async function saveDomainRow(db: Kysely<Tables>, row: Insertable<Tables['domain']>): Promise<void> {
  const { host: _, ...values } = row
  await db
    .insertInto('domain')
    .values(row)
    .onConflict((conflict) => conflict.column('host').doUpdateSet(values))
    .execute()
}

/** Whether any link is off the default domain. */
export async function hasFurtherLinks(db: Kysely<Tables>): Promise<boolean> {
  const row = await db
    .selectFrom('link')
    .select('id')
    .where('domain', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Whether any link is on this domain, which may not be in the settings any more. */
export async function hasLinks(db: Kysely<Tables>, domain: string): Promise<boolean> {
  const row = await db
    .selectFrom('link')
    .select('id')
    .where('domain', '=', domain)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
