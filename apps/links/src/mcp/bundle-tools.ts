import { z } from 'zod'
import { getBundleAnalytics } from '../analytics/operations.ts'
import { listBundles } from '../bundles/list-operations.ts'
import {
  addLinkToBundle,
  archiveBundle,
  updateBundle,
  createBundle,
  deleteBundle,
  listBundleLinks,
  listBundlesForLink,
  getBundle,
  removeLinkFromBundle,
  unarchiveBundle,
} from '../bundles/operations.ts'
import { BundleStats } from '../analytics/bundle-stats-schema.ts'
import { Bundle, BundleChanges, BundleWithSummary, NewBundle } from '../bundles/schema.ts'
import { perform } from '../api/perform.ts'
import { LinkWithShortUrl, withShortUrls } from './short-url.ts'
import {
  BundleId,
  LinkId,
  MAX_ITEMS,
  truncateList,
  listOf,
  plainList,
  plainListOf,
  rangedTool,
  tool,
} from './tool.ts'

const archivedParameter = { active: undefined, archived: 'only', all: 'all' } as const

const readingTools = [
  rangedTool({
    name: 'list_bundles',
    title: 'List bundles',
    description: 'Lists the bundles of all users with their statistics, newest first.',
    input: { filter: z.enum(['active', 'archived', 'all']).default('active') },
    output: listOf(BundleWithSummary),
    run: async (context, { filter }, range) => {
      const query = { archived: archivedParameter[filter], range, limit: MAX_ITEMS }
      return truncateList(await perform(context, listBundles, { query }))
    },
  }),
  rangedTool({
    name: 'get_bundle',
    title: 'Read a bundle',
    description: 'Reads one bundle with its statistics, archived or not.',
    input: { bundle_id: BundleId },
    output: BundleWithSummary.shape,
    run: (context, { bundle_id }, range) =>
      perform(context, getBundle, { params: { id: bundle_id }, query: { range } }),
  }),
  rangedTool({
    name: 'get_bundle_analytics',
    title: 'Analyse a bundle',
    description:
      'Returns the visitors, countries, referrers, devices and channels of a bundle, and compares its links.',
    input: { bundle_id: BundleId },
    output: BundleStats.shape,
    run: (context, { bundle_id }, range) =>
      perform(context, getBundleAnalytics, { params: { id: bundle_id }, query: { range } }),
  }),
  tool({
    name: 'list_bundle_links',
    title: 'List the links of a bundle',
    description: 'Lists the links of a bundle, newest first, with their all-time clicks.',
    effect: 'read',
    input: { bundle_id: BundleId },
    output: plainListOf(LinkWithShortUrl),
    run: async (context, { bundle_id }) => {
      const request = { params: { id: bundle_id }, query: { limit: MAX_ITEMS } }
      return plainList(withShortUrls(context, await perform(context, listBundleLinks, request)))
    },
  }),
  tool({
    name: 'list_bundles_for_link',
    title: 'List the bundles of a link',
    description: 'Lists the bundles of a link by name, without archived ones.',
    effect: 'read',
    input: { link_id: LinkId },
    output: plainListOf(Bundle),
    run: async (context, { link_id }) => {
      const items = await perform(context, listBundlesForLink, { params: { id: link_id } })
      return plainList({ items, total: items.length })
    },
  }),
]

const bundleParams = ({ bundle_id }: { bundle_id: number }) => ({ params: { id: bundle_id } })

const writingTools = [
  tool({
    name: 'create_bundle',
    title: 'Create a bundle',
    description: 'Creates an empty bundle with a name, and optionally a description, an icon and a colour.',
    effect: 'add',
    input: NewBundle.shape,
    output: Bundle,
    run: (context, body) => perform(context, createBundle, { body }),
  }),
  tool({
    name: 'update_bundle',
    title: 'Change a bundle',
    description:
      'Changes the given fields of a bundle that you own. Null clears the description or the icon.',
    effect: 'set',
    input: { bundle_id: BundleId, ...BundleChanges.shape },
    output: Bundle,
    run: (context, { bundle_id, ...body }) =>
      perform(context, updateBundle, { params: { id: bundle_id }, body }),
  }),
  tool({
    name: 'delete_bundle',
    title: 'Delete a bundle',
    description: 'Deletes a bundle that you own and keeps its links.',
    effect: 'remove',
    input: { bundle_id: BundleId },
    output: z.object({ deleted: z.literal(true) }),
    run: (context, args) => perform(context, deleteBundle, bundleParams(args)),
  }),
  tool({
    name: 'archive_bundle',
    title: 'Archive a bundle',
    description: 'Hides a bundle that you own from the default list. unarchive_bundle reverses this.',
    effect: 'set',
    input: { bundle_id: BundleId },
    output: Bundle,
    run: (context, args) => perform(context, archiveBundle, bundleParams(args)),
  }),
  tool({
    name: 'unarchive_bundle',
    title: 'Unarchive a bundle',
    description: 'Shows an archived bundle that you own in the default list again.',
    effect: 'set',
    input: { bundle_id: BundleId },
    output: Bundle,
    run: (context, args) => perform(context, unarchiveBundle, bundleParams(args)),
  }),
  tool({
    name: 'add_link_to_bundle',
    title: 'Add a link to a bundle',
    description: 'Adds any link to any bundle. The link may already be in it.',
    effect: 'set',
    input: { bundle_id: BundleId, link_id: LinkId },
    output: z.object({ added: z.literal(true) }),
    run: (context, { bundle_id, link_id }) =>
      perform(context, addLinkToBundle, { params: { id: bundle_id }, body: { link_id } }),
  }),
  tool({
    name: 'remove_link_from_bundle',
    title: 'Remove a link from a bundle',
    description:
      'Removes a link from a bundle that you own. `removed` is false if the bundle did not contain it.',
    effect: 'set',
    input: { bundle_id: BundleId, link_id: LinkId },
    output: z.object({ removed: z.boolean() }),
    run: (context, { bundle_id, link_id }) =>
      perform(context, removeLinkFromBundle, { params: { id: bundle_id, linkId: link_id } }),
  }),
]

export const bundleTools = [...readingTools, ...writingTools]
