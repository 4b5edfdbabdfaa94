import type { Kysely } from 'kysely'
import { operation } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import type { Tables } from '../db/tables.ts'
import { requireDomain } from '../domains/find.ts'
import { LinkDefaults, NO_DEFAULTS } from './schema.ts'

const tag = 'Settings'

async function findDefaults(db: Kysely<Tables>, identity: string): Promise<LinkDefaults> {
  const row = await db
    .selectFrom('link_default')
    .select(['domain', 'bundle_id as bundle', 'expires_in', 'forward_query'])
    .where('identity', '=', identity)
    .executeTakeFirst()
  return row ?? NO_DEFAULTS
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
    handler: ({ database, identity }) => findDefaults(database.read, identity),
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
        const exists =
          bundle === null ||
          (await tx.selectFrom('bundle').select('id').where('id', '=', bundle).executeTakeFirst())
        if (!exists) throw failure('bundle_not_found')
        const values = { ...rest, domain: stored, bundle_id: bundle }
        await tx
          .insertInto('link_default')
          .values({ identity, ...values })
          .onConflict((conflict) => conflict.column('identity').doUpdateSet(values))
          .execute()
        return findDefaults(tx, identity)
      })
    },
  }),
]
