import { z } from 'zod'
import { BundleStats } from '../bundles/stats-schema.ts'
import { Bundle, BundleChanges, BundleWithSummary, NewBundle } from '../bundles/schema.ts'
import type { Link } from '../links/schema.ts'
import { ShortLink, shortLinks } from './short-link.ts'
import {
  BundleId,
  type Found,
  LinkId,
  MOST_ITEMS,
  cutList,
  listOf,
  perform,
  plainList,
  plainListOf,
  rangedTool,
  tool,
} from './tool.ts'

const shown = { active: undefined, archived: 'only', all: 'all' } as const

const readingTools = [
  rangedTool({
    name: 'list_bundles',
    title: 'List bundles',
    description: 'Bundles of everyone with their figures, newest first.',
    input: { filter: z.enum(['active', 'archived', 'all']).default('active') },
    output: listOf(BundleWithSummary),
    run: async (context, { filter }, range) => {
      const query = { archived: shown[filter], range, limit: MOST_ITEMS }
      return cutList(await perform<Found<BundleWithSummary>>(context, 'listBundles', { query }))
    },
  }),
  rangedTool({
    name: 'get_bundle',
    title: 'Read a bundle',
    description: 'One bundle with its figures, archived or not.',
    input: { bundle_id: BundleId },
    output: BundleWithSummary.shape,
    run: (context, { bundle_id }, range) =>
      perform(context, 'getBundle', { params: { id: bundle_id }, query: { range } }),
  }),
  rangedTool({
    name: 'get_bundle_analytics',
    title: 'Analyse a bundle',
    description: 'Who clicked the links of a bundle, from where and with what, and how its links compare.',
    input: { bundle_id: BundleId },
    output: BundleStats.shape,
    run: (context, { bundle_id }, range) =>
      perform(context, 'getBundleAnalytics', { params: { id: bundle_id }, query: { range } }),
  }),
  tool({
    name: 'list_bundle_links',
    title: 'List the links of a bundle',
    description: 'The links of a bundle, newest first, with their lifetime clicks.',
    effect: 'read',
    input: { bundle_id: BundleId },
    output: plainListOf(ShortLink),
    run: async (context, { bundle_id }) => {
      const request = { params: { id: bundle_id }, query: { limit: MOST_ITEMS } }
      return plainList(shortLinks(context, await perform<Found<Link>>(context, 'listBundleLinks', request)))
    },
  }),
  tool({
    name: 'list_bundles_for_link',
    title: 'List the bundles of a link',
    description: 'The bundles that a link is in, by name; archived ones are left out.',
    effect: 'read',
    input: { link_id: LinkId },
    output: plainListOf(Bundle),
    run: async (context, { link_id }) => {
      const items = await perform<Bundle[]>(context, 'listBundlesForLink', { params: { id: link_id } })
      return plainList({ items, total: items.length })
    },
  }),
]

const onBundle = ({ bundle_id }: { bundle_id: number }) => ({ params: { id: bundle_id } })

const writingTools = [
  tool({
    name: 'create_bundle',
    title: 'Make a bundle',
    description: 'Makes an empty bundle, with a name and maybe a description, an icon and a colour.',
    effect: 'add',
    input: NewBundle.shape,
    output: Bundle,
    run: (context, body) => perform(context, 'createBundle', { body }),
  }),
  tool({
    name: 'update_bundle',
    title: 'Change a bundle',
    description: 'Changes what is given of a bundle that you own; null clears description or icon.',
    effect: 'set',
    input: { bundle_id: BundleId, ...BundleChanges.shape },
    output: Bundle,
    run: (context, { bundle_id, ...body }) =>
      perform(context, 'updateBundle', { params: { id: bundle_id }, body }),
  }),
  tool({
    name: 'delete_bundle',
    title: 'Delete a bundle',
    description: 'Deletes a bundle that you own; its links stay.',
    effect: 'remove',
    input: { bundle_id: BundleId },
    output: z.object({ deleted: z.literal(true) }),
    run: (context, args) => perform(context, 'deleteBundle', onBundle(args)),
  }),
  tool({
    name: 'archive_bundle',
    title: 'Archive a bundle',
    description: 'Takes a bundle that you own off the default lists. unarchive_bundle undoes it.',
    effect: 'set',
    input: { bundle_id: BundleId },
    output: Bundle,
    run: (context, args) => perform(context, 'archiveBundle', onBundle(args)),
  }),
  tool({
    name: 'unarchive_bundle',
    title: 'Unarchive a bundle',
    description: 'Puts an archived bundle that you own back on the lists.',
    effect: 'set',
    input: { bundle_id: BundleId },
    output: Bundle,
    run: (context, args) => perform(context, 'unarchiveBundle', onBundle(args)),
  }),
  tool({
    name: 'add_link_to_bundle',
    title: 'Add a link to a bundle',
    description: 'Adds any link to any bundle; it may be in it already.',
    effect: 'set',
    input: { bundle_id: BundleId, link_id: LinkId },
    output: z.object({ added: z.literal(true) }),
    run: (context, { bundle_id, link_id }) =>
      perform(context, 'addLinkToBundle', { params: { id: bundle_id }, body: { link_id } }),
  }),
  tool({
    name: 'remove_link_from_bundle',
    title: 'Take a link out of a bundle',
    description: 'Takes a link out of a bundle that you own; `removed` is false when it was not in it.',
    effect: 'set',
    input: { bundle_id: BundleId, link_id: LinkId },
    output: z.object({ removed: z.boolean() }),
    run: (context, { bundle_id, link_id }) =>
      perform(context, 'removeLinkFromBundle', { params: { id: bundle_id, linkId: link_id } }),
  }),
]

export const bundleTools = [...readingTools, ...writingTools]
