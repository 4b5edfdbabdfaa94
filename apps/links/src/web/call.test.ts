import { testCalls } from '@latchkey/web/testing/calls'
import { operations } from './build.ts'

// The pages address links by id, and slugs by link id and slug. Their HTML contains the origin of
// short URLs. They read all statistics with `getAnalytics`.
const others = [
  'addSlugToLink',
  'deleteBehaviour',
  'disableSlugBySlug',
  'enableSlugBySlug',
  'explainSlug',
  'getBundle',
  'getBundleBreakdown',
  'getConfig',
  'getDashboard',
  'getLinkAnalytics',
  'getLinkBySlug',
  'listDomains',
  'getLinkTimeline',
  'listBundleLinks',
  'removeSlugBySlug',
  'setPrimarySlug',
  'setPrimarySlugBySlug',
]

testCalls(operations, import.meta.dirname, others)
