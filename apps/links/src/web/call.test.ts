import { testCalls } from '@latchkey/web/testing/calls'
import { operations } from './build.ts'

// The pages name links by their ids, and slugs by both; they have the origin of short URLs from their HTML.
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
