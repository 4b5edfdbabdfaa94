import { expect, test } from 'bun:test'
import { Glob } from 'bun'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..')

const LOCK =
  /\.for(NoKey)?(Update|KeyShare|Share)\(|\bfor (no key )?update\b|\bpg_(try_)?advisory|\block table\b/i

/** The helpers, those of tests, and the recording of clicks, which uses no query builder. */
const ALLOWED = [
  'packages/database/src/locks.ts',
  'packages/database/src/database.ts',
  'packages/database/src/instance-lock.ts',
  'packages/database/src/testing-templates.ts',
  'apps/links/src/counting/recorder-postgres.ts',
  'apps/links/src/db/migrations/0001-schema.ts',
]

test('locks are taken by the helpers of packages/database only, in one order', async () => {
  const paths: string[] = []
  for (const path of new Glob('{apps,packages}/*/src/**/*.{ts,tsx}').scanSync(ROOT)) {
    if (/\.test\.tsx?$/.test(path)) continue
    if (LOCK.test(await Bun.file(join(ROOT, path)).text())) paths.push(path)
  }
  expect(paths.toSorted()).toEqual(ALLOWED.toSorted())
})
