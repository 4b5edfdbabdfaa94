import { testCalls } from '@latchkey/web/testing/calls'
import { operations } from './build.ts'

// The pages address links by id, and slugs by link id and slug. Their HTML contains the origin of
// short URLs.
const others = [
  'addSlugToLink',
  'disableSlugBySlug',
  'enableSlugBySlug',
  'getConfig',
  'getLinkBySlug',
  'listBundleLinks',
  'removeSlugBySlug',
  'setPrimarySlug',
  'setPrimarySlugBySlug',
]

/** Operations of analytics, the live feed and shared statistics, which have no controls in the pages yet. */
const withoutPages = [
  'getAnalytics',
  'getAnalyticsBreakdown',
  'getBundleShare',
  'getLinkShare',
  'listRecentClicks',
  'shareBundle',
  'shareLink',
  'unshareBundle',
  'unshareLink',
]

testCalls(operations, import.meta.dirname, [...others, ...withoutPages])
