import { testCalls } from '@latchkey/web/testing/calls'
import { operations } from './build.ts'

// The pages name links by their ids, and slugs by both.
const others = [
  'addSlugToLink',
  'disableSlugBySlug',
  'enableSlugBySlug',
  'getLinkBySlug',
  'listBundleLinks',
  'removeSlugBySlug',
  'setPrimarySlug',
  'setPrimarySlugBySlug',
]

testCalls(operations, import.meta.dirname, others)
