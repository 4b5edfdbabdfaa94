import { z } from 'zod'
import { Range } from '../../time/schema.ts'
import { filteredClicks } from '../../clicks/store.ts'
import { type Context, operation } from '../../api/context.ts'
import type { Tx } from '../../db/tables.ts'
import { queriedDomain } from '../../domains/find.ts'
import { DomainQuery } from '../../domains/schema.ts'
import { failure, type FailureCode } from '../../api/failures.ts'
import { requireNoLoop } from '../behaviour/redirect-loops.ts'
import { forceParameter, readLinkWithTag, flushBeforeDeletion } from '../operations.ts'
import { Link } from '../schema.ts'
import { Id, IdParams, LinkId } from '../../api/fields.ts'
import { findLinkRow, lockLinkForWrite, raiseVersion } from '../store.ts'
import { readChangedLink, toSlug } from '../read-model.ts'
import { entityTagHeader, requireVersion } from '../../api/entity-tag.ts'
import { deleteClicks } from '../delete-clicks.ts'
import { CustomSlug, Slug, SlugParam } from './schema.ts'
import { type SlugReference, domainQuery, keyOf, referenceOf, requireOwnedSlug } from './reference.ts'
import { slugKey } from '../../urls/slug.ts'
import {
  findSlug,
  hasTooManyGuestSlugs,
  hasTooManySlugs,
  insertSlug,
  removeSlug,
  setPrimarySlug,
  setSlugDisabled,
  findNextPrimary,
} from './store.ts'

const slugOfLinkParams = z.object({ id: Id, slug: SlugParam })
const slugParams = z.object({ slug: SlugParam })
type SlugParams = typeof slugOfLinkParams | typeof slugParams

type SlugQuery = typeof domainQuery | undefined

/**
 * Every write exists in both forms. They differ only in the lookup of the slug and in the error for
 * a missing one.
 */
interface PathForm<Suffix extends string, Params extends SlugParams, Query extends SlugQuery> {
  prefix: string
  suffix: Suffix
  params: Params
  query: Query
  missing: readonly FailureCode[]
}

/**
 * Adds a custom slug. A slug of the owner becomes primary while the automatic slug is primary
 * (L8.5).
 */
async function addCustomSlug(context: Context, linkId: number, customSlug: string): Promise<Slug> {
  return context.database.write(async (tx) => {
    const link = await lockLinkForWrite(tx, context.database, linkId)
    if (!link) throw failure('link_not_found')
    requireVersion(context, link)
    const isOwner = link.created_by === context.identity
    const slug = slugKey(link.domain, customSlug)
    const row = { slug, link_id: linkId, is_custom: 1, created_at: context.now, disabled_at: null }
    if (!(await insertSlug(tx, { ...row, added_by: isOwner ? null : context.identity })))
      throw failure('slug_taken')
    if (await hasTooManySlugs(tx, linkId)) throw failure('too_many_slugs')
    if (!isOwner && (await hasTooManyGuestSlugs(tx, linkId, context.identity)))
      throw failure('too_many_guest_slugs')
    context.slugSpace.recordSlug(slug)
    const primary = await findSlug(tx, link.primary_slug)
    const becomesPrimary = isOwner && primary?.is_custom === 0
    if (becomesPrimary) await setPrimarySlug(tx, linkId, slug)
    await raiseVersion(tx, link, context.now)
    await requireNoLoop(tx, context, link)
    return toSlug(row, becomesPrimary ? slug : link.primary_slug, 0)
  })
}

const post = { methods: ['POST'] as ['POST'], scope: 'create', tag: 'Slugs' }
const slugRefusals = ['slug_taken', 'too_many_slugs', 'too_many_guest_slugs', 'redirect_loop'] as const

export const addSlug = operation({
  ...post,
  id: 'addSlug',
  path: '/links/{id}/slugs',
  summary: 'Add a custom slug to any link',
  params: IdParams,
  body: z.object({ slug: CustomSlug }),
  result: Slug,
  status: 201,
  failures: ['link_not_found', 'link_changed', ...slugRefusals],
  handler: (context, { params, body }) => addCustomSlug(context, params.id, body.slug),
})

const addSlugToLink = operation({
  ...post,
  id: 'addSlugToLink',
  path: '/slugs',
  summary: 'Add a custom slug to the link named in the body',
  body: z.object({ link_id: LinkId, slug: CustomSlug }),
  result: Slug,
  status: 201,
  failures: ['link_not_found', 'link_changed', ...slugRefusals],
  handler: (context, { body }) => addCustomSlug(context, body.link_id, body.slug),
})

const getLinkBySlug = operation({
  id: 'getLinkBySlug',
  methods: ['GET'],
  path: '/slugs/{slug}',
  scope: 'read',
  tag: 'Slugs',
  summary: 'Read the link of a slug, enabled or disabled',
  params: z.object({ slug: SlugParam }),
  query: z.object({ range: Range.optional(), domain: DomainQuery }),
  result: Link,
  headers: entityTagHeader,
  failures: ['link_not_found'],
  async handler(context, { params, query }) {
    await context.flushClicks()
    const key = slugKey(queriedDomain(context, query.domain), params.slug)
    const row = await findSlug(context.database.read, key)
    if (!row) throw failure('link_not_found')
    return readLinkWithTag(context, row.link_id, query.range)
  },
})

/** Returns the key of the slug. */
async function disableSlug(tx: Tx, context: Context, reference: SlugReference): Promise<string> {
  const { link, row } = await requireOwnedSlug(tx, context, reference, 'not_owner_slug_disable')
  if (row.is_custom === 0) throw failure('auto_slug_disable')
  if (row.disabled_at !== null) return row.slug
  if (row.slug === link.primary_slug) await setPrimarySlug(tx, link.id, await findNextPrimary(tx, row, false))
  await setSlugDisabled(tx, row.slug, context.now)
  await raiseVersion(tx, link, context.now)
  return row.slug
}

/** Returns the key of the slug. */
async function enableSlug(tx: Tx, context: Context, reference: SlugReference): Promise<string> {
  const { link, row } = await requireOwnedSlug(tx, context, reference, 'not_owner_slug_enable')
  if (row.disabled_at === null) return row.slug
  await setSlugDisabled(tx, row.slug, null)
  await raiseVersion(tx, link, context.now)
  return row.slug
}

async function setPrimary(tx: Tx, context: Context, reference: SlugReference): Promise<Link> {
  const { link, row } = await requireOwnedSlug(tx, context, reference, 'not_owner_primary')
  if (row.disabled_at !== null) throw failure('disabled_primary')
  await setPrimarySlug(tx, link.id, row.slug)
  await raiseVersion(tx, link, context.now)
  return readChangedLink(tx, link.id, context)
}

/** Reads the answer of a write before it is committed. */
async function readChangedSlug(tx: Tx, context: Context, slug: string): Promise<Slug> {
  const row = await findSlug(tx, slug)
  const link = row && (await findLinkRow(tx, row.link_id))
  if (!link) throw failure('slug_not_found')
  return toSlug(row, link.primary_slug, filteredClicks(row, context.filters))
}

function stateChange<Suffix extends string, Params extends SlugParams, Query extends SlugQuery>(
  verb: 'disable' | 'enable',
  { prefix, suffix, params, query, missing }: PathForm<Suffix, Params, Query>,
) {
  const change = verb === 'disable' ? disableSlug : enableSlug
  return operation({
    ...post,
    id: `${verb}Slug${suffix}` as const,
    path: `${prefix}/{slug}/${verb}`,
    summary:
      verb === 'disable'
        ? 'Disable a slug, which stays taken'
        : 'Enable a slug, which does not become primary',
    params,
    query,
    result: Slug,
    failures: [
      ...missing,
      `not_owner_slug_${verb}`,
      'link_changed',
      ...(verb === 'disable' ? ['auto_slug_disable'] : []),
    ],
    async handler(context, input) {
      const reference = referenceOf(context, input)
      await context.flushClicks()
      return context.database.write(async (tx) =>
        readChangedSlug(tx, context, await change(tx, context, reference)),
      )
    },
  })
}

function primaryChange<Suffix extends string, Params extends SlugParams, Query extends SlugQuery>({
  prefix,
  suffix,
  params,
  query,
  missing,
}: PathForm<Suffix, Params, Query>) {
  return operation({
    ...post,
    id: `setPrimarySlug${suffix}` as const,
    path: `${prefix}/{slug}/primary`,
    summary: 'Make a slug primary: displayed, and encoded in QR codes',
    params,
    query,
    result: Link,
    headers: entityTagHeader,
    failures: [...missing, 'not_owner_primary', 'link_changed', 'disabled_primary'],
    async handler(context, input) {
      await context.flushClicks()
      return context.database.write((tx) => setPrimary(tx, context, referenceOf(context, input)))
    },
  })
}

/** The variant of the admin side (L17). */
export const choosePrimarySlug = operation({
  id: 'choosePrimarySlug',
  methods: ['PUT'],
  path: '/links/{id}/slugs/primary',
  scope: 'create',
  tag: 'Slugs',
  summary: 'Make a slug primary: displayed, and encoded in QR codes',
  params: IdParams,
  body: z.object({ slug: CustomSlug }),
  result: Link,
  headers: entityTagHeader,
  failures: ['link_not_found', 'slug_not_on_link', 'not_owner_primary', 'link_changed', 'disabled_primary'],
  async handler(context, { params, body }) {
    const reference = { id: params.id, slug: body.slug, domain: null }
    await context.flushClicks()
    return context.database.write((tx) => setPrimary(tx, context, reference))
  },
})

/** Call this once the slug is locked: a row read earlier lacks the clicks counted since. */
async function hasClicks(tx: Tx, context: Context, slug: string): Promise<boolean> {
  if (context.hasPendingClicks({ slug })) return true
  const row = await findSlug(tx, slug)
  return row !== undefined && row.clicks > 0
}

function removeOperation<Suffix extends string, Params extends SlugParams, Query extends SlugQuery>({
  prefix,
  suffix,
  params,
  query,
  missing,
}: PathForm<Suffix, Params, Query>) {
  return operation({
    ...post,
    id: `removeSlug${suffix}` as const,
    methods: ['DELETE'],
    path: `${prefix}/{slug}`,
    summary: 'Remove a custom slug, which becomes available again',
    params,
    query: z.object({ ...query?.shape, force: forceParameter() }),
    result: z.object({ removed: z.literal(true) }),
    failures: [
      ...missing,
      'not_owner_slug_remove',
      'link_changed',
      'auto_slug_remove',
      'slug_has_clicks',
      'deletion_stopped',
    ],
    // Millions of clicks take a while.
    lasting: true,
    async handler(context, input) {
      const named = input.query as z.output<typeof domainQuery>
      const reference = referenceOf(context, { params: input.params, query: named })
      await flushBeforeDeletion(context, { slug: await keyOf(context, reference) }, input.query.force)
      const requireRemovable = async (tx: Tx) => {
        const owned = await requireOwnedSlug(tx, context, reference, 'not_owner_slug_remove')
        if (owned.row.is_custom === 0) throw failure('auto_slug_remove')
        return owned
      }
      const findScope = async (tx: Tx) => {
        const { link_id, slug } = (await requireRemovable(tx)).row
        return { link_id, slug }
      }
      const removeRows = () =>
        context.database.write(async (tx) => {
          const { link, row } = await requireRemovable(tx)
          if (!input.query.force && (await hasClicks(tx, context, row.slug))) throw failure('slug_has_clicks')
          if (row.slug === link.primary_slug)
            await setPrimarySlug(tx, link.id, await findNextPrimary(tx, row, true))
          await removeSlug(tx, context.database, row)
          await raiseVersion(tx, link, context.now)
        })
      if (input.query.force) await deleteClicks(context.database, findScope, removeRows)
      else await removeRows()
      return { removed: true as const }
    },
  })
}

function writeOperations<Suffix extends string, Params extends SlugParams, Query extends SlugQuery>(
  form: PathForm<Suffix, Params, Query>,
) {
  return {
    disable: stateChange('disable', form),
    enable: stateChange('enable', form),
    setPrimary: primaryChange(form),
    remove: removeOperation(form),
  }
}

/** Writes of a slug of one link. */
export const slugOfLink = writeOperations({
  prefix: '/links/{id}/slugs',
  suffix: '',
  params: slugOfLinkParams,
  query: undefined,
  missing: ['link_not_found', 'slug_not_on_link'],
})

const anySlug = writeOperations({
  prefix: '/slugs',
  suffix: 'BySlug',
  params: slugParams,
  query: domainQuery,
  missing: ['slug_not_found'],
})

export const slugOperations = [
  addSlug,
  addSlugToLink,
  getLinkBySlug,
  ...Object.values(slugOfLink),
  ...Object.values(anySlug),
]
