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

testCalls(operations, import.meta.dirname, others)
