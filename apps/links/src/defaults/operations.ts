import type { Kysely } from 'kysely'
import { type Context, operation } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import { lockBundleRow } from '../bundles/store.ts'
import type { Tables } from '../db/tables.ts'
import { requireDomain } from '../domains/find.ts'
import { LinkDefaults, NO_DEFAULTS } from './schema.ts'

const tag = 'Settings'

async function findDefaults(db: Kysely<Tables>, { identity, sites, origin }: Context): Promise<LinkDefaults> {
  const row = await db
    .selectFrom('link_default')
    .select(['domain', 'bundle_id as bundle', 'expires_in', 'forward_query'])
    .where('identity', '=', identity)
    .executeTakeFirst()
  if (!row) return NO_DEFAULTS
  // A domain that is no longer in the settings takes no new links.
  return { ...row, domain: row.domain === null ? null : (sites.domainOf(row.domain, origin) ?? null) }
}

/** What the pages put into a new link (L47.1). The API never applies it. */
export const defaultsOperations = [
  operation({
    id: 'getDefaults',
    methods: ['GET'],
    path: '/defaults',
    scope: 'admin',
    tag,
    summary: 'What the pages put into your new links',
    result: LinkDefaults,
    handler: (context) => findDefaults(context.database.read, context),
  }),
  operation({
    id: 'setDefaults',
    methods: ['PUT'],
    path: '/defaults',
    scope: 'admin',
    tag,
    summary: 'Replace what the pages put into your new links',
    body: LinkDefaults,
    result: LinkDefaults,
    failures: ['domain_not_found', 'bundle_not_found'],
    async handler(context, { body: { domain, bundle, ...rest } }) {
      const { database, identity } = context
      const stored = domain === null ? null : requireDomain(context, domain)
      return database.write(async (tx) => {
        if (bundle !== null && !(await lockBundleRow(tx, database, bundle))) throw failure('bundle_not_found')
        const values = { ...rest, domain: stored, bundle_id: bundle }
        await tx
          .insertInto('link_default')
          .values({ identity, ...values })
          .onConflict((conflict) => conflict.column('identity').doUpdateSet(values))
          .execute()
        return findDefaults(tx, context)
      })
    },
  }),
]
