import type { Transaction } from 'kysely'
import { z } from 'zod'
import { requireBundle, requireOwnedBundle } from '../bundles/operations.ts'
import { type Context, operation } from '../api/context.ts'
import type { Tables } from '../db/tables.ts'
import { requireLink, requireOwnedLink } from '../links/operations.ts'
import { IdParams } from '../api/fields.ts'
import { NewShare, Share } from './schema.ts'
import { type SharedSubject, deleteShare, findShareTime, saveShare } from './store.ts'

/** Path of the public pages, before the secret. */
export const SHARED_STATS_PATH = '/_/stats/'

const tag = 'Shared statistics'

/** The differences between links and bundles. */
interface Kind<Name extends string> {
  /** The end of the operations' ids. */
  name: Name
  path: '/links/{id}/share' | '/bundles/{id}/share'
  failures: { notFound: 'link_not_found' | 'bundle_not_found'; notOwner: NotOwner }
  requireSubject: (context: Context, id: number) => Promise<SharedSubject>
  /** Locks the row until the transaction ends. */
  requireOwnSubject: (tx: Transaction<Tables>, context: Context, id: number) => Promise<SharedSubject>
}

type NotOwner = 'not_owner_link_share' | 'not_owner_bundle_share'

const link: Kind<'Link'> = {
  name: 'Link',
  path: '/links/{id}/share',
  failures: { notFound: 'link_not_found', notOwner: 'not_owner_link_share' },
  requireSubject: async (context, id) => ({ link_id: (await requireLink(context, id)).id }),
  requireOwnSubject: async (tx, context, id) => ({
    link_id: (await requireOwnedLink(tx, context, id, 'not_owner_link_share')).id,
  }),
}

const bundle: Kind<'Bundle'> = {
  name: 'Bundle',
  path: '/bundles/{id}/share',
  failures: { notFound: 'bundle_not_found', notOwner: 'not_owner_bundle_share' },
  requireSubject: async (context, id) => ({ bundle_id: (await requireBundle(context, id)).id }),
  requireOwnSubject: async (tx, context, id) => ({
    bundle_id: (await requireOwnedBundle(tx, context, id, 'not_owner_bundle_share')).id,
  }),
}

function readShare<Name extends string>({ name, path, failures, requireSubject }: Kind<Name>) {
  return operation({
    id: `get${name}Share`,
    methods: ['GET'],
    path,
    scope: 'admin',
    tag,
    summary: `Whether the statistics of the ${name.toLowerCase()} are shared`,
    params: IdParams,
    result: Share,
    failures: [failures.notFound],
    async handler(context, { params }) {
      const subject = await requireSubject(context, params.id)
      return { created_at: (await findShareTime(context.database.read, subject)) ?? null }
    },
  })
}

function share<Name extends string>({ name, path, failures, requireOwnSubject }: Kind<Name>) {
  return operation({
    id: `share${name}`,
    methods: ['POST'],
    path,
    scope: 'admin',
    tag,
    summary: 'Create a public address of the statistics, which replaces an earlier one',
    params: IdParams,
    result: NewShare,
    status: 201,
    failures: [failures.notFound, failures.notOwner],
    async handler(context, { params }): Promise<NewShare> {
      const secret = await context.database.write(async (tx) =>
        saveShare(tx, await requireOwnSubject(tx, context, params.id), context.now),
      )
      return { url: context.origin + SHARED_STATS_PATH + secret, created_at: context.now }
    },
  })
}

function revoke<Name extends string>({ name, path, failures, requireOwnSubject }: Kind<Name>) {
  return operation({
    id: `unshare${name}`,
    methods: ['DELETE'],
    path,
    scope: 'admin',
    tag,
    summary: 'Revoke the public address of the statistics',
    params: IdParams,
    result: z.object({ revoked: z.boolean() }),
    failures: [failures.notFound, failures.notOwner],
    async handler(context, { params }) {
      const revoked = await context.database.write(async (tx) =>
        deleteShare(tx, await requireOwnSubject(tx, context, params.id)),
      )
      return { revoked }
    },
  })
}

/** Public addresses of statistics, on the admin side only (L41). */
export const sharingOperations = [
  readShare(link),
  share(link),
  revoke(link),
  readShare(bundle),
  share(bundle),
  revoke(bundle),
]
