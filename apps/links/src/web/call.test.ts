import { testCalls } from '@latchkey/web/testing/calls'
import { operations } from './build.ts'

// The pages address links by id, and slugs by link id and slug. Their HTML contains the origin of
// short URLs. They read all statistics with `getAnalytics`. They neither
// create many links at once nor transfer them.
const others = [
  'addSlugToLink',
  'createLinks',
  'createPlan',
  'getPolicy',
  'deleteBehaviour',
  'disableSlugBySlug',
  'enableSlugBySlug',
  'explainSlug',
  'getBundleBreakdown',
  'getConfig',
  'getDashboard',
  'getLinkAnalytics',
  'getLinkBySlug',
  'listDomains',
  'listLegacyPaths',
  'getLinkBreakdown',
  'getLinkTimeline',
  'listBundleLinks',
  'removeSlugBySlug',
  'setPrimarySlug',
  'setPrimarySlugBySlug',
  'transferBundle',
  'transferLink',
]

testCalls(operations, import.meta.dirname, others)
