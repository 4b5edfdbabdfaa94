import { requireOwnedBundle } from '../bundles/operations.ts'
import { Bundle } from '../bundles/schema.ts'
import { toBundle, updateBundleRow } from '../bundles/store.ts'
import { operation } from '../api/context.ts'
import { requireOwnedLink } from '../links/operations.ts'
import { Link } from '../links/schema.ts'
import { IdParams } from '../api/fields.ts'
import { readChangedLink } from '../links/read-model.ts'
import { entityTagHeader } from '../api/entity-tag.ts'
import { NewOwner } from './schema.ts'
import { requireKnownOwner, setOwner } from './store.ts'

const transferLink = operation({
  id: 'transferLink',
  methods: ['POST'],
  path: '/links/{id}/transfer',
  scope: 'create',
  tag: 'Links',
  summary: 'Make another identity the owner of a link',
  params: IdParams,
  body: NewOwner,
  result: Link,
  headers: entityTagHeader,
  failures: ['link_not_found', 'not_owner_transfer', 'link_changed', 'owner_unknown'],
  async handler(context, { params, body }) {
    await context.flushClicks()
    return context.database.write(async (tx) => {
      const row = await requireOwnedLink(tx, context, params.id, 'not_owner_transfer')
      await requireKnownOwner(tx, body)
      await setOwner(tx, row, { owner: body.owner, now: context.now })
      return readChangedLink(tx, row.id, context)
    })
  },
})

const transferBundle = operation({
  id: 'transferBundle',
  methods: ['POST'],
  path: '/bundles/{id}/transfer',
  scope: 'create',
  tag: 'Bundles',
  summary: 'Make another identity the owner of a bundle; its links keep their owners',
  params: IdParams,
  body: NewOwner,
  result: Bundle,
  failures: ['bundle_not_found', 'not_owner_bundle_transfer', 'owner_unknown'],
  handler: (context, { params, body }) =>
    context.database.write(async (tx) => {
      const { id } = await requireOwnedBundle(tx, context, params.id, 'not_owner_bundle_transfer')
      await requireKnownOwner(tx, body)
      return toBundle(await updateBundleRow(tx, id, { created_by: body.owner, updated_at: context.now }))
    }),
})

export const ownershipOperations = [transferLink, transferBundle]
