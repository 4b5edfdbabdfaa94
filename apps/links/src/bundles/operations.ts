import { z } from 'zod'
import { type Context, operation } from '../api/context.ts'
import type { Tx } from '../db/tables.ts'
import { failure, type FailureCode } from '../api/failures.ts'
import { trackBundle } from '../changes/change-tracker.ts'
import { requireLink } from '../links/operations.ts'
import { Link } from '../links/schema.ts'
import { IdParams, PageQuery } from '../api/fields.ts'
import { lockLinkRow } from '../links/store.ts'
import { readLinks, withOrigin } from '../links/read-model.ts'
import { cutPage, pageAnswer, pageHeaders, parseCursor } from '../api/paging.ts'
import { listBundles } from './list-operations.ts'
import {
  Bundle,
  BundleChanges,
  BundleWithSummary,
  MemberParams,
  NewBundle,
  NewMember,
  SummaryQuery,
} from './schema.ts'
import {
  type BundleRow,
  addMembers,
  listBundlesOfLink,
  countMembers,
  deleteBundleRow,
  findBundleRow,
  insertBundle,
  listMemberPositions,
  lockBundleRow,
  removeMember,
  summarise,
  toBundle,
  updateBundleRow,
} from './store.ts'

const tag = 'Bundles'

/**
 * The bundle's row, locked, for a write by its owner. Otherwise throws 404, or 403 with the message
 * of the write.
 */
export async function requireOwnedBundle(
  tx: Tx,
  context: Context,
  id: number,
  notOwner: FailureCode,
): Promise<BundleRow> {
  const row = await lockBundleRow(tx, context.database, id)
  if (!row) throw failure('bundle_not_found')
  if (row.created_by !== context.identity) throw failure(notOwner)
  await trackBundle(tx, row.id)
  return row
}

/** Throws 404 unless the bundle exists. */
export async function requireBundle(context: Context, id: number): Promise<BundleRow> {
  const row = await findBundleRow(context.database.read, id)
  if (!row) throw failure('bundle_not_found')
  return row
}

export const createBundle = operation({
  id: 'createBundle',
  methods: ['POST'],
  path: '/bundles',
  scope: 'create',
  tag,
  summary: 'Create a bundle',
  body: NewBundle,
  result: Bundle,
  status: 201,
  async handler({ database, identity, createdVia, now }, { body }) {
    const row = await database.write((tx) =>
      insertBundle(tx, {
        ...body,
        description: body.description ?? null,
        icon: body.icon ?? null,
        archived_at: null,
        created_via: createdVia,
        created_by: identity,
        created_at: now,
        updated_at: now,
      }),
    )
    return toBundle(row)
  },
})

export const getBundle = operation({
  id: 'getBundle',
  methods: ['GET'],
  path: '/bundles/{id}',
  scope: 'read',
  tag,
  summary: 'Read a bundle with its statistics, archived or not',
  params: IdParams,
  query: SummaryQuery,
  result: BundleWithSummary,
  failures: ['bundle_not_found'],
  async handler(context, { params, query }): Promise<BundleWithSummary> {
    await context.flushClicks()
    const row = await requireBundle(context, params.id)
    const { range = context.defaultRange } = query
    const [bundle] = await summarise(context.database.offThread, [row], { ...context, range })
    if (!bundle) throw failure('bundle_not_found')
    return bundle
  },
})

export const updateBundle = operation({
  id: 'updateBundle',
  methods: ['PUT', 'PATCH'],
  path: '/bundles/{id}',
  scope: 'create',
  tag,
  summary: 'Change a bundle; omitted fields keep their values',
  params: IdParams,
  body: BundleChanges,
  result: Bundle,
  failures: ['bundle_not_found', 'not_owner_bundle_update'],
  async handler(context, { params, body }) {
    const row = await context.database.write(async (tx) => {
      const { id } = await requireOwnedBundle(tx, context, params.id, 'not_owner_bundle_update')
      return updateBundleRow(tx, id, { ...body, updated_at: context.now })
    })
    return toBundle(row)
  },
})

export const deleteBundle = operation({
  id: 'deleteBundle',
  methods: ['DELETE'],
  path: '/bundles/{id}',
  scope: 'create',
  tag,
  summary: 'Delete a bundle and keep its links',
  params: IdParams,
  result: z.object({ deleted: z.literal(true) }),
  failures: ['bundle_not_found', 'not_owner_bundle_delete'],
  async handler(context, { params }) {
    await context.database.write(async (tx) => {
      const { id } = await requireOwnedBundle(tx, context, params.id, 'not_owner_bundle_delete')
      await deleteBundleRow(tx, id)
    })
    return { deleted: true as const }
  },
})

function stateChange(verb: 'archive' | 'unarchive') {
  const notOwner = `not_owner_bundle_${verb}` as const
  return operation({
    id: `${verb}Bundle`,
    methods: ['POST'],
    path: `/bundles/{id}/${verb}`,
    scope: 'create',
    tag,
    summary:
      verb === 'archive' ? 'Hide a bundle from the default list' : 'Show a bundle in the default list again',
    params: IdParams,
    result: Bundle,
    failures: ['bundle_not_found', notOwner],
    async handler(context, { params }) {
      const row = await context.database.write(async (tx) => {
        const { id, archived_at: since } = await requireOwnedBundle(tx, context, params.id, notOwner)
        const archived_at = verb === 'archive' ? (since ?? context.now) : null
        return updateBundleRow(tx, id, { archived_at, updated_at: context.now })
      })
      return toBundle(row)
    },
  })
}

export const archiveBundle = stateChange('archive')
export const unarchiveBundle = stateChange('unarchive')

export const listBundleLinks = operation({
  id: 'listBundleLinks',
  methods: ['GET'],
  path: '/bundles/{id}/links',
  scope: 'read',
  tag,
  summary: 'List the links of a bundle, newest first, with their all-time clicks',
  params: IdParams,
  query: PageQuery,
  result: z.array(Link),
  failures: ['bundle_not_found'],
  async handler(context, { params, query }) {
    const database = context.database.offThread
    const listKey = ['links', params.id]
    const after = parseCursor(listKey, query.cursor)
    await context.flushClicks()
    const { id } = await requireBundle(context, params.id)
    const candidates = await listMemberPositions(database, { bundleId: id, limit: query.limit + 1 }, after)
    const { rows, next } = cutPage(listKey, candidates, query.limit)
    const ids = rows.map((row) => row.id)
    const links = await readLinks(database, ids, context)
    const items = links.map((link) => withOrigin(context, link))
    return { items, total: (await countMembers(database, [id])).get(id) ?? 0, next }
  },
  headers: pageHeaders,
  answer: pageAnswer,
})

export const addLinkToBundle = operation({
  id: 'addLinkToBundle',
  methods: ['POST'],
  path: '/bundles/{id}/links',
  scope: 'create',
  tag,
  summary: 'Add any link to any bundle',
  params: IdParams,
  body: NewMember,
  result: z.object({ added: z.literal(true) }),
  failures: ['bundle_not_found', 'link_not_found'],
  async handler({ database }, { params, body }) {
    await database.write(async (tx) => {
      const bundle = await lockBundleRow(tx, database, params.id)
      if (!bundle) throw failure('bundle_not_found')
      const link = await lockLinkRow(tx, database, body.link_id)
      if (!link) throw failure('link_not_found')
      await addMembers(tx, [{ bundle_id: bundle.id, link_id: link.id }])
    })
    return { added: true as const }
  },
})

export const removeLinkFromBundle = operation({
  id: 'removeLinkFromBundle',
  methods: ['DELETE'],
  path: '/bundles/{id}/links/{linkId}',
  scope: 'create',
  tag,
  summary: 'Remove a link from a bundle and keep the link',
  params: MemberParams,
  result: z.object({ removed: z.boolean() }),
  failures: ['bundle_not_found', 'not_owner_bundle_links'],
  async handler(context, { params }) {
    const removed = await context.database.write(async (tx) => {
      const { id } = await requireOwnedBundle(tx, context, params.id, 'not_owner_bundle_links')
      return removeMember(tx, id, params.linkId)
    })
    return { removed }
  },
})

export const listBundlesForLink = operation({
  id: 'listBundlesForLink',
  methods: ['GET'],
  path: '/links/{id}/bundles',
  scope: 'read',
  tag,
  summary: 'List the bundles of a link by name, without archived ones',
  params: IdParams,
  result: z.array(Bundle),
  failures: ['link_not_found'],
  async handler(context, { params }) {
    const { id } = await requireLink(context, params.id)
    const rows = await listBundlesOfLink(context.database.offThread, id)
    return rows.map(toBundle)
  },
})

/** Bundles of links (L15). Their statistics belong to analytics. */
export const bundleOperations = [
  listBundles,
  createBundle,
  getBundle,
  updateBundle,
  deleteBundle,
  archiveBundle,
  unarchiveBundle,
  listBundleLinks,
  addLinkToBundle,
  removeLinkFromBundle,
  listBundlesForLink,
]
