import { lockKey } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import type { Kysely, Selectable } from 'kysely'
import type { Tables, Tx } from '../db/tables.ts'
import type { NewUtmTemplate, UtmTemplate } from './schema.ts'

type Row = Selectable<Tables['utm_template']>

/** A template as the pages read it. */
export function toTemplate(row: Row): UtmTemplate {
  const { id, name, identity: created_by, shared, created_at } = row
  const { utm_source: source, utm_medium: medium, utm_campaign: campaign } = row
  const { utm_term: term, utm_content: content } = row
  return { id, name, source, medium, campaign, term, content, shared: shared === 1, created_by, created_at }
}

export function toColumns({ name, source, medium, campaign, term, content, shared }: NewUtmTemplate) {
  return {
    name,
    utm_source: source,
    utm_medium: medium,
    utm_campaign: campaign,
    utm_term: term,
    utm_content: content,
    shared: shared ? 1 : 0,
  }
}

/** The templates of a person and those that are shared, by name. */
export function selectTemplates(db: Kysely<Tables>, identity: string): Promise<Row[]> {
  return db
    .selectFrom('utm_template')
    .selectAll()
    .where((eb) => eb.or([eb('identity', '=', identity), eb('shared', '=', 1)]))
    .orderBy('name')
    .orderBy('id')
    .execute()
}

/** A template that the person sees. */
export function findTemplate(db: Kysely<Tables>, id: number, identity: string): Promise<Row | undefined> {
  return db
    .selectFrom('utm_template')
    .selectAll()
    .where('id', '=', id)
    .where((eb) => eb.or([eb('identity', '=', identity), eb('shared', '=', 1)]))
    .executeTakeFirst()
}

/** Counts the templates that a person has made. Until the transaction ends, concurrent counts wait. */
export async function countTemplates(tx: Tx, dialect: DialectName, identity: string): Promise<number> {
  await lockKey(dialect, tx, Number(BigInt.asUintN(53, Bun.hash.xxHash64(`utm ${identity}`))))
  const { count } = await tx
    .selectFrom('utm_template')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('identity', '=', identity)
    .executeTakeFirstOrThrow()
  return count
}
