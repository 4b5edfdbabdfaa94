import { z } from 'zod'
import { operation } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import { requireOwnedLink } from '../links/operations.ts'
import { Link } from '../links/schema.ts'
import { IdParams } from '../api/fields.ts'
import { findLinkRow } from '../links/store.ts'
import { readChangedLink } from '../links/read-model.ts'
import { entityTagHeader } from '../api/entity-tag.ts'
import { countedPageHeaders, pageAnswer } from '../api/paging.ts'
import { findChanges, listLinkChanges, toChange } from './list.ts'
import { readValuesAfter, restoreValues } from './restore.ts'
import { Change, ChangesQuery, HistoryQuery, Restoration } from './schema.ts'

const tag = 'History'

const listLinkHistory = operation({
  id: 'listLinkHistory',
  methods: ['GET'],
  path: '/links/{id}/history',
  scope: 'read',
  tag,
  summary: 'List the changes of a link, deleted or not, newest first',
  params: IdParams,
  query: HistoryQuery,
  result: z.array(Change),
  failures: ['link_not_found'],
  async handler(context, { params, query }) {
    const { read } = context.database
    const page = await listLinkChanges(read, params.id, query)
    if (page.total === 0 && !(await findLinkRow(read, params.id))) throw failure('link_not_found')
    return { ...page, items: page.items.map((row) => toChange(row, context)) }
  },
  headers: countedPageHeaders,
  answer: pageAnswer,
})

export const listChanges = operation({
  id: 'listChanges',
  methods: ['GET'],
  path: '/changes',
  scope: 'read',
  tag,
  summary: 'List your changes of links and bundles, latest first; administrators those of everyone',
  query: ChangesQuery,
  result: z.array(Change),
  failures: ['not_admin_history'],
  async handler(context, { query: { limit, cursor, ...filter } }) {
    const { identity, isAdmin, database } = context
    if (!isAdmin && filter.identity !== undefined && filter.identity !== identity)
      throw failure('not_admin_history')
    const own = isAdmin ? filter : { ...filter, identity }
    const page = await findChanges(database.read, own, { limit, cursor })
    return { ...page, items: page.items.map((row) => toChange(row, context)) }
  },
  headers: countedPageHeaders,
  answer: pageAnswer,
})

const restoreLink = operation({
  id: 'restoreLink',
  methods: ['POST'],
  path: '/links/{id}/restore',
  scope: 'create',
  tag,
  summary: 'Give a link the values that it had right after a change; its owner stays',
  params: IdParams,
  body: Restoration,
  result: Link,
  headers: entityTagHeader,
  failures: [
    'link_not_found',
    'not_owner_restore',
    'link_changed',
    'change_not_found',
    'password_not_kept',
    'slug_taken',
    'too_many_slugs',
    'redirect_loop',
    'too_many_hops',
  ],
  async handler(context, { params, body }) {
    await context.flushClicks()
    return context.database.write(async (tx) => {
      const row = await requireOwnedLink(tx, context, params.id, 'not_owner_restore')
      const position = { linkId: row.id, changeId: body.change_id }
      const values = await readValuesAfter(tx, context.database.dialect, position)
      await restoreValues(tx, context, row, values)
      return readChangedLink(tx, row.id, context)
    })
  },
})

/** The history of links and bundles (L29). */
export const historyOperations = [listLinkHistory, listChanges, restoreLink]
