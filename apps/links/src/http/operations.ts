import type { AnyOperation } from '@latchkey/http/operation'

import { analyticsOperations, dashboardOperations } from '../analytics/operations.ts'
import { explorerOperations } from '../analytics/explorer/operations.ts'
import { Range } from '../time/schema.ts'
import { listBundlesInAdmin, listBundles } from '../bundles/list-operations.ts'
import { bundleOperations } from '../bundles/operations.ts'
import type { Context } from '../api/context.ts'
import { defaultsOperations } from '../defaults/operations.ts'
import { utmTemplateOperations } from '../utm-templates/operations.ts'
import { domainOperations } from '../domains/operations.ts'
import { listEvents } from '../events/operations.ts'
import { eventOperations } from '../live/operations.ts'
import { faviconOperations } from '../destinations/operations.ts'
import { historyOperations } from '../history/operations.ts'
import { undoOperations } from '../history/undo/operations.ts'
import { keyOperations } from '../keys/operations.ts'
import { bulkOperations, updateLinks, updateLinksInAdmin } from '../bulk/operations.ts'
import { countLinks, listLinks, listLinksInAdmin } from '../links/list-operations.ts'
import { behaviourOperations } from '../links/behaviour/operations.ts'
import { linkOperations } from '../links/operations.ts'
import { ownershipOperations } from '../ownership/operations.ts'
import { planOperations } from '../plans/operations.ts'
import { policyOperations } from '../policies/operations.ts'
import { preferenceOperations } from '../preferences/operations.ts'
import { qrPresetOperations } from '../qr/presets/operations.ts'
import { qrOperations } from '../qr/operations.ts'
import { checkSlug } from '../links/slugs/check.ts'
import { choosePrimarySlug, slugOperations } from '../links/slugs/operations.ts'
import { listLegacyPaths } from '../links/legacy/operations.ts'
import { explainOperations } from '../explain/operations.ts'
import { sharingOperations } from '../sharing/operations.ts'
import { webhookOperations } from '../webhooks/operations.ts'
import { transferOperations } from '../transfer/operations.ts'

/** Operations of the public API and of the admin API. */
const sharedOperations: readonly AnyOperation<Context>[] = [
  ...linkOperations,
  ...bulkOperations,
  ...behaviourOperations,
  ...explainOperations,
  ...slugOperations,
  listLegacyPaths,
  ...domainOperations,
  ...bundleOperations,
  ...ownershipOperations,
  ...historyOperations,
  ...undoOperations,
  ...planOperations,
  ...analyticsOperations,
  ...qrOperations,
  ...webhookOperations,
]

/** Operations of the public API, for API keys. */
export const apiOperations: readonly AnyOperation<Context>[] = [...sharedOperations, listEvents]

/** Writes of the public API that write neither links nor bundles, and so are no changes (L29.1). */
export const unrecordedWrites: ReadonlySet<AnyOperation<Context>> = new Set(
  [...domainOperations, ...webhookOperations].filter(({ methods }) => !methods.includes('GET')),
)

/**
 * Operations whose statistics cover all time without `range`, also on the admin side, and which
 * refuse an invalid range.
 */
const LIFETIME_OPERATIONS: ReadonlySet<string> = new Set(['listLinks', 'getLink', 'getLinkBySlug'])

/**
 * Returns the admin version of an operation (L17): lists have numbered pages, and an invalid range
 * is replaced with the caller's default.
 */
function toAdminOperation(operation: AnyOperation<Context>): AnyOperation<Context> {
  if (operation.id === listLinks.id) return listLinksInAdmin
  if (operation.id === listBundles.id) return withDefaultRange(listBundlesInAdmin)
  if (operation.id === updateLinks.id) return updateLinksInAdmin
  return withDefaultRange(operation)
}

function withDefaultRange(operation: AnyOperation<Context>): AnyOperation<Context> {
  if (!operation.query?.shape.range || LIFETIME_OPERATIONS.has(operation.id)) return operation
  return { ...operation, query: operation.query.safeExtend({ range: Range.optional().catch(undefined) }) }
}

/** Operations of the admin API. */
export const adminOperations: readonly AnyOperation<Context>[] = [
  ...sharedOperations.map(toAdminOperation),
  ...[...dashboardOperations, ...explorerOperations].map(toAdminOperation),
  countLinks,
  checkSlug,
  choosePrimarySlug,
  ...keyOperations,
  ...preferenceOperations,
  ...defaultsOperations,
  ...utmTemplateOperations,
  ...qrPresetOperations,
  ...policyOperations,
  ...eventOperations,
  ...faviconOperations,
  ...sharingOperations,
  ...transferOperations,
]
