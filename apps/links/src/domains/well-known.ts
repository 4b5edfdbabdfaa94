import type { Kysely } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { Site } from './sites.ts'
import { DEFAULT_HOST, findDomainRow } from './store.ts'
import { WELL_KNOWN_NAMES } from './well-known-names.ts'

export const WELL_KNOWN_PATH = '/.well-known/'

/** Serves a file of the domain below `/.well-known/`; undefined if it has none of this name. */
export async function serveWellKnown(
  db: Kysely<Tables>,
  { domain }: Site,
  name: string,
): Promise<Response | undefined> {
  if (!WELL_KNOWN_NAMES.some((supported) => supported === name)) return undefined
  const row = await findDomainRow(db, domain ?? DEFAULT_HOST)
  const file = (JSON.parse(row?.well_known ?? '{}') as Record<string, unknown>)[name]
  return file === undefined
    ? undefined
    : Response.json(file, { headers: { 'Cache-Control': 'public, max-age=300' } })
}
