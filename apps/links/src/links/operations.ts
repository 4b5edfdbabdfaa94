import { ReaderUnavailable } from '@latchkey/database/errors'
import { z } from 'zod'
import { Range } from '../time/schema.ts'
import { type Context, operation } from '../api/context.ts'
import type { Tx } from '../db/tables.ts'
import { failure, type FailureCode } from '../api/failures.ts'
import { findSlug, hasTooManySlugs, insertSlug, setPrimarySlug } from './slugs/store.ts'
import { slugKey } from '../urls/slug.ts'
import { requireDomain } from '../domains/find.ts'
import { DomainHost } from '../domains/schema.ts'
import { requireFinalDestination, requireNoLoop } from './behaviour/redirect-loops.ts'
import { createOrReuse } from './creation.ts'
import { deleteClicks } from './delete-clicks.ts'
import { Config, Link, LinkChanges, NewLink } from './schema.ts'
import { IdParams } from '../api/fields.ts'
import { listLinks } from './list-operations.ts'
import { entityTagHeader, requireVersion } from '../api/entity-tag.ts'
import {
  type LinkRow,
  deleteLinkRow,
  findEntityTag,
  findLinkRow,
  countLifetimeClicks,
  lockLinkForWrite,
  raiseVersion,
  updateLinkRow,
} from './store.ts'
import { readChangedLink, readLinks, withOrigin } from './read-model.ts'

const RangeQuery = z.object({ range: Range.optional() })

/**
 * Returns the locked row of the link for a write by its owner. Throws 404, 403 with the message of
 * the write, or 412 if the caller expects another version.
 */
export async function requireOwnedLink(
  tx: Tx,
  context: Context,
  id: number,
  notOwner: FailureCode,
): Promise<LinkRow> {
  const row = await lockLinkForWrite(tx, context.database, id)
  if (!row) throw failure('link_not_found')
  if (row.created_by !== context.identity) throw failure(notOwner)
  requireVersion(context, row)
  return row
}

export async function readLinkWithTag(context: Context, id: number, range?: Range): Promise<Link> {
  // Lifetime clicks are a few rows; the clicks of a window may be many.
  const database = range === undefined ? context.database : context.database.offThread
  // Read first: an older tag makes the caller read again, a newer one would overwrite a change.
  const tag = await findEntityTag(context.database.read, id)
  const [link] = await readLinks(database, [id], { ...context, range })
  if (!link || tag === undefined) throw failure('link_not_found')
  context.headers['ETag'] = tag
  return withOrigin(context, link)
}

export const createLink = operation({
  id: 'createLink',
  methods: ['POST'],
  path: '/links',
  scope: 'create',
  tag: 'Links',
  summary: 'Shorten a URL',
  body: NewLink,
  result: Link,
  status: 201,
  otherStatus: { status: 200, description: 'The existing active link with this URL' },
  headers: entityTagHeader,
  failures: ['slug_taken', 'redirect_loop', 'too_many_hops'],
  handler: (context, { body }) => createOrReuse(context, { ...body, domain: null }, 'any'),
  answer: (link) => ({ status: link.duplicate ? 200 : 201, body: link }),
})

const createDomainLink = operation({
  id: 'createDomainLink',
  methods: ['POST'],
  path: '/domains/{host}/links',
  scope: 'create',
  tag: 'Domains',
  summary: 'Create a link on a short domain',
  params: z.object({ host: DomainHost }),
  body: NewLink,
  result: Link,
  status: 201,
  otherStatus: { status: 200, description: 'An active link with this URL on this domain' },
  headers: entityTagHeader,
  failures: ['domain_not_found', 'slug_taken', 'redirect_loop', 'too_many_hops'],
  handler: async (context, { params: { host }, body }) =>
    createOrReuse(context, { ...body, domain: requireDomain(context, host) }, 'any'),
  answer: (link) => ({ status: link.duplicate ? 200 : 201, body: link }),
})

export const getLink = operation({
  id: 'getLink',
  methods: ['GET'],
  path: '/links/{id}',
  scope: 'read',
  tag: 'Links',
  summary: 'Read a link',
  params: IdParams,
  query: RangeQuery,
  result: Link,
  headers: entityTagHeader,
  failures: ['link_not_found'],
  async handler(context, { params, query }) {
    await context.flushClicks()
    return readLinkWithTag(context, params.id, query.range)
  },
})

/** Makes a slug the primary slug of a link that the caller owns. An unused slug is added first. */
async function claimPrimary(tx: Tx, context: Context, link: LinkRow, customSlug: string): Promise<void> {
  const linkId = link.id
  const slug = slugKey(link.domain, customSlug)
  const newSlug = { slug, link_id: linkId, is_custom: 1, created_at: context.now, disabled_at: null }
  const isNew = await insertSlug(tx, newSlug)
  const row = await findSlug(tx, slug)
  if (row?.link_id !== linkId) throw failure('slug_taken')
  if (isNew && (await hasTooManySlugs(tx, linkId))) throw failure('too_many_slugs')
  if (isNew) context.slugSpace.recordSlug(slug)
  if (!isNew && row.disabled_at !== null) throw failure('disabled_primary')
  await setPrimarySlug(tx, linkId, slug)
}

export const updateLink = operation({
  id: 'updateLink',
  methods: ['PUT', 'PATCH'],
  path: '/links/{id}',
  scope: 'create',
  tag: 'Links',
  summary: 'Change a link; omitted fields keep their values',
  params: IdParams,
  body: LinkChanges,
  result: Link,
  headers: entityTagHeader,
  failures: [
    'link_not_found',
    'not_owner_update',
    'link_changed',
    'slug_taken',
    'too_many_slugs',
    'disabled_primary',
    'redirect_loop',
    'too_many_hops',
  ],
  async handler(context, { params, body }) {
    const { slug, ...changes } = body
    await context.flushClicks()
    return context.database.write(async (tx) => {
      const row = await requireOwnedLink(tx, context, params.id, 'not_owner_update')
      if (slug !== undefined) {
        await claimPrimary(tx, context, row, slug)
        await raiseVersion(tx, row, context.now)
      }
      if (Object.keys(changes).length > 0) await updateLinkRow(tx, row, changes, context.now)
      if (changes.url !== undefined) await requireFinalDestination(tx, context, { ...row, url: changes.url })
      else if (slug !== undefined) await requireNoLoop(tx, context, row)
      return readChangedLink(tx, row.id, context)
    })
  },
})

function stateChange(verb: 'disable' | 'enable') {
  const notOwner = `not_owner_${verb}` as const
  return operation({
    id: `${verb}Link`,
    methods: ['POST'],
    path: `/links/{id}/${verb}`,
    scope: 'create',
    tag: 'Links',
    summary: verb === 'disable' ? 'Disable a link; its expiry and slugs do not change' : 'Enable a link',
    params: IdParams,
    result: Link,
    headers: entityTagHeader,
    failures: ['link_not_found', notOwner, 'link_changed'],
    async handler(context, { params }) {
      await context.flushClicks()
      return context.database.write(async (tx) => {
        const row = await requireOwnedLink(tx, context, params.id, notOwner)
        const disabled_at = verb === 'disable' ? (row.disabled_at ?? context.now) : null
        if (disabled_at !== row.disabled_at) await updateLinkRow(tx, row, { disabled_at }, context.now)
        return readChangedLink(tx, row.id, context)
      })
    },
  })
}

export const disableLink = stateChange('disable')
export const enableLink = stateChange('enable')

/** Whether the link has any clicks, counted or not. */
export async function hasClicks(tx: Tx, context: Context, linkId: number): Promise<boolean> {
  return context.hasPendingClicks({ linkId }) || (await countLifetimeClicks(tx, linkId)) > 0
}

export const deleteLink = operation({
  id: 'deleteLink',
  methods: ['DELETE'],
  path: '/links/{id}',
  scope: 'create',
  tag: 'Links',
  summary: 'Delete a link with its slugs',
  params: IdParams,
  query: z.object({ force: forceParameter() }),
  result: z.object({ deleted: z.literal(true) }),
  failures: ['link_not_found', 'not_owner_delete', 'link_changed', 'link_has_clicks', 'deletion_stopped'],
  // Millions of clicks take a while.
  lasting: true,
  async handler(context, { params, query }) {
    await flushBeforeDeletion(context, { linkId: params.id }, query.force)
    const lockOwnedLink = (tx: Tx) => requireOwnedLink(tx, context, params.id, 'not_owner_delete')
    const deleteRows = () =>
      context.database.write(async (tx) => {
        const row = await lockOwnedLink(tx)
        if (!query.force && (await hasClicks(tx, context, row.id))) throw failure('link_has_clicks')
        await deleteLinkRow(tx, context.database, row.id)
      })
    if (query.force)
      await deleteClicks(
        context.database,
        async (tx) => ({ link_id: (await lockOwnedLink(tx)).id }),
        deleteRows,
      )
    else await deleteRows()
    return { deleted: true as const }
  },
})

/** `?force=true` also deletes a link or slug that has clicks. */
export function forceParameter() {
  return z
    .enum(['true', 'false'])
    .optional()
    .transform((force) => force === 'true')
    .meta({ description: 'Delete even if there are clicks, and delete them too.' })
}

/**
 * Counts pending clicks. Without `force`, a link or slug with clicks stays, and so does one whose
 * pending clicks cannot be counted.
 */
export async function flushBeforeDeletion(
  context: Context,
  scope: Parameters<Context['hasPendingClicks']>[0],
  force: boolean,
): Promise<void> {
  const isFlushed = await context.flushClicks()
  if (!isFlushed && !force && context.hasPendingClicks(scope))
    throw new ReaderUnavailable('Clicks wait that cannot be counted')
}

/** Throws 404 if the link does not exist. */
export async function requireLink(context: Context, id: number): Promise<LinkRow> {
  const row = await findLinkRow(context.database.read, id)
  if (!row) throw failure('link_not_found')
  return row
}

const getConfig = operation({
  id: 'getConfig',
  methods: ['GET'],
  path: '/config',
  scope: 'read',
  tag: 'Links',
  summary: 'Read the public origin of short URLs',
  result: Config,
  handler: ({ origin }) => Promise.resolve({ short_origin: origin }),
})

export const linkOperations = [
  createLink,
  createDomainLink,
  listLinks,
  getLink,
  updateLink,
  disableLink,
  enableLink,
  deleteLink,
  getConfig,
]
