import { Failure } from '@latchkey/http/failure'
import type { Transaction } from 'kysely'
import { z } from 'zod'
import { addMember, lockBundleRow } from '../bundles/store.ts'
import { type Context, operation } from '../context.ts'
import type { Tables } from '../db/tables.ts'
import { failure } from '../failures.ts'
import { hasClicks, requireOwnedLink } from './operations.ts'
import { deleteLink, lockLinkRow, updateLink } from './store.ts'

type Tx = Transaction<Tables>

/** Links of one request, which is one transaction. */
const MAX_LINKS = 500

const LinkId = z.int().min(1)

const BulkChange = z.union([
  z.object({ disabled: z.boolean() }).strict(),
  z.object({ add_to_bundle: LinkId }).strict(),
  z.object({ delete: z.literal(true) }).strict(),
])
type BulkChange = z.output<typeof BulkChange>

const BulkResult = z
  .object({
    changed: z.array(z.int()).meta({ description: 'Ids of the links that were changed.' }),
    refused: z.array(z.object({ id: z.int(), code: z.string() })).meta({
      description: 'The others that could not be, with the code that the change of one link has.',
    }),
  })
  .meta({ id: 'BulkResult' })

/**
 * Changes many links in one transaction. A link that cannot be changed does not prevent the others;
 * one that has the state already is in neither list.
 */
export const changeLinks = operation({
  id: 'changeLinks',
  methods: ['PATCH'],
  path: '/bulk/links',
  scope: 'admin',
  tag: 'Links',
  summary: `Disable, enable, delete or bundle up to ${MAX_LINKS} links; links with clicks are not deleted`,
  body: z.object({ ids: z.array(LinkId).min(1).max(MAX_LINKS), set: BulkChange }),
  result: BulkResult,
  failures: ['bundle_not_found'],
  lasting: true,
  async handler(context, { body: { ids, set } }) {
    // Equal to the order of locks of concurrent calls.
    const ordered = [...new Set(ids)].toSorted((a, b) => a - b)
    if ('delete' in set) await context.flushClicks()
    return context.database.write(async (tx) => {
      const change = await createChange(tx, context, set)
      const changed: number[] = []
      const refused: { id: number; code: string }[] = []
      for (const id of ordered)
        try {
          if (await change(id)) changed.push(id)
        } catch (error) {
          if (!(error instanceof Failure)) throw error
          refused.push({ id, code: error.code })
        }
      return { changed, refused }
    })
  },
})

/** Returns a function that changes one link, and says whether it did. */
async function createChange(
  tx: Tx,
  context: Context,
  set: BulkChange,
): Promise<(id: number) => Promise<boolean>> {
  const { database } = context
  if ('delete' in set)
    return async (id) => {
      const row = await requireOwnedLink(tx, context, id, 'not_owner_delete')
      if (await hasClicks(tx, context, row.id)) throw failure('link_has_clicks')
      await deleteLink(tx, database, row.id)
      return true
    }
  if ('add_to_bundle' in set) {
    const bundle = await lockBundleRow(tx, database, set.add_to_bundle)
    if (!bundle) throw failure('bundle_not_found')
    return async (id) => {
      if (!(await lockLinkRow(tx, database, id))) throw failure('link_not_found')
      return addMember(tx, bundle.id, id)
    }
  }
  return async (id) => {
    const row = await requireOwnedLink(
      tx,
      context,
      id,
      set.disabled ? 'not_owner_disable' : 'not_owner_enable',
    )
    if ((row.disabled_at !== null) === set.disabled) return false
    await updateLink(tx, row, { disabled_at: set.disabled ? context.now : null })
    return true
  }
}
