import { operation } from '../api/context.ts'
import { createMany } from './create.ts'
import { changeMany } from './change.ts'
import {
  BODY_LIMIT_BYTES,
  BulkChanges,
  BulkChangesInAdmin,
  BulkLinks,
  BulkResults,
  MAX_ITEMS,
} from './schema.ts'

const base = {
  path: '/bulk/links',
  scope: 'create',
  tag: 'Links',
  result: BulkResults,
  lasting: true,
  bodyLimitBytes: BODY_LIMIT_BYTES,
}

export const createLinks = operation({
  ...base,
  id: 'createLinks',
  methods: ['POST'],
  summary: `Shorten up to ${MAX_ITEMS} URLs`,
  body: BulkLinks,
  itemsField: 'items',
  failures: ['slug_taken', 'redirect_loop', 'too_many_hops'],
  handler: async (context, { body }) => ({ results: await createMany(context, body) }),
})

export const updateLinks = operation({
  ...base,
  id: 'updateLinks',
  methods: ['PATCH'],
  summary: `Change up to ${MAX_ITEMS} links, or all that match a filter`,
  body: BulkChanges,
  itemsField: 'ids',
  failures: ['bundle_not_found', 'owner_unknown'],
  handler: async (context, { body }) => ({ results: await changeMany(context, body) }),
})

/** The variant of the admin side (L17.4), which also deletes links without clicks. */
export const updateLinksInAdmin = operation({
  ...updateLinks,
  body: BulkChangesInAdmin,
  handler: async (context, { body }) => ({ results: await changeMany(context, body) }),
})

export const bulkOperations = [createLinks, updateLinks]
