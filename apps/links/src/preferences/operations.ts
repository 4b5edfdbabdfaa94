import type { Kysely } from 'kysely'
import { Range } from '../time/schema.ts'
import { operation } from '../api/context.ts'
import type { Tables } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import { PreferenceChanges, Preferences } from './schema.ts'
import { findInstanceValue, findPreferences, saveInstanceValue, savePreferences } from './store.ts'

const ROOT_REDIRECT = 'root_redirect_url'
const NOT_FOUND = 'not_found_url'

/**
 * Returns the URL to which `/` redirects people without admin access; undefined if it is not set.
 */
export function findRootRedirect(db: Kysely<Tables>): Promise<string | undefined> {
  return findInstanceValue(db, ROOT_REDIRECT)
}

/** Returns the URL to which short URLs that lead nowhere redirect; undefined if it is not set. */
export function findNotFoundUrl(db: Kysely<Tables>): Promise<string | undefined> {
  return findInstanceValue(db, NOT_FOUND)
}

interface InstanceUrls {
  root_url: string | null
  not_found_url: string | null
}

/** The URLs of the default domain, which are values of the instance (L31.1). */
export async function findInstanceUrls(db: Kysely<Tables>): Promise<InstanceUrls> {
  return {
    root_url: (await findRootRedirect(db)) ?? null,
    not_found_url: (await findNotFoundUrl(db)) ?? null,
  }
}

export async function saveInstanceUrls(db: Kysely<Tables>, urls: InstanceUrls): Promise<void> {
  await saveInstanceValue(db, ROOT_REDIRECT, urls.root_url)
  await saveInstanceValue(db, NOT_FOUND, urls.not_found_url)
}

async function readPreferences(db: Kysely<Tables>, identity: string): Promise<Preferences> {
  const row = await findPreferences(db, identity)
  return Preferences.parse({
    ...row,
    default_range: Range.parse(row.default_range),
    filter_bots: row.filter_bots === 1,
    filter_self_referrers: row.filter_self_referrers === 1,
    list_views: JSON.parse(row.list_views),
    root_redirect_url: (await findRootRedirect(db)) ?? null,
    not_found_url: (await findNotFoundUrl(db)) ?? null,
  })
}

function toColumn(value: boolean | undefined): 0 | 1 | undefined {
  return value === undefined ? undefined : value ? 1 : 0
}

export const preferenceOperations = [
  operation({
    id: 'getSettings',
    methods: ['GET'],
    path: '/settings',
    scope: 'admin',
    tag: 'Settings',
    summary: 'Your preferences, and those of the instance',
    result: Preferences,
    handler: ({ database, identity }) => readPreferences(database.read, identity),
  }),
  operation({
    id: 'updateSettings',
    methods: ['PUT'],
    path: '/settings',
    scope: 'admin',
    tag: 'Settings',
    summary: 'Change preferences; omitted fields keep their values',
    body: PreferenceChanges,
    result: Preferences,
    failures: ['not_admin'],
    handler: ({ database, identity, isAdmin }, { body }) =>
      database.write(async (tx) => {
        const { root_redirect_url: rootRedirect, not_found_url: notFoundUrl, ...personal } = body
        const { default_range: range, ...own } = personal
        if (notFoundUrl !== undefined && !isAdmin) throw failure('not_admin')
        const changes = {
          ...own,
          default_range: range === null ? '30d' : range,
          filter_bots: toColumn(body.filter_bots),
          filter_self_referrers: toColumn(body.filter_self_referrers),
          list_views: body.list_views && JSON.stringify(body.list_views),
        }
        const entries = Object.entries(changes).filter(([, value]) => value !== undefined)
        await savePreferences(tx, identity, Object.fromEntries(entries))
        if (rootRedirect !== undefined) await saveInstanceValue(tx, ROOT_REDIRECT, rootRedirect)
        if (notFoundUrl !== undefined) await saveInstanceValue(tx, NOT_FOUND, notFoundUrl)
        return readPreferences(tx, identity)
      }),
  }),
]
