import { expect, test } from 'bun:test'
import { readSources, selectTests } from './changed-tests.ts'

const sources = new Map([
  ['apps/links/src/app.ts', ['apps/links/src/bundles/store.ts', 'apps/links/src/plans/apply.ts']],
  ['apps/links/src/bundles/store.ts', ['packages/database/src/url.ts']],
  ['apps/links/src/bundles/store.test.ts', []],
  ['apps/links/src/plans/apply.ts', ['apps/links/src/bundles/store.ts']],
  ['apps/links/src/plans/apply.test.ts', ['apps/links/src/plans/apply.ts']],
  ['apps/links/src/web/pages/bundles/page.tsx', []],
  ['apps/links/test/testing.ts', ['apps/links/src/app.ts']],
  ['apps/links/test/api/bundle-links.test.ts', ['apps/links/test/testing.ts']],
  ['apps/links/test/api/plans.test.ts', ['apps/links/test/testing.ts']],
  ['apps/links/test/browser/bundles.test.ts', ['apps/links/test/testing.ts']],
  ['apps/links/test/browser/plans.test.ts', ['apps/links/test/testing.ts']],
  ['apps/rooms/test/bundles.test.ts', ['packages/database/src/url.ts']],
  ['apps/latchkey/test/docs/documents.test.ts', []],
  ['apps/latchkey/test/packaging/compose.test.ts', []],
  ['packages/database/src/url.ts', []],
])

const allOf = (prefix: string) =>
  [...sources.keys()].filter((path) => path.startsWith(prefix) && path.endsWith('.test.ts'))

test('a change of a feature selects the tests that import it, and the tests of its app with its name', () => {
  expect(selectTests(['apps/links/src/bundles/store.ts'], sources)).toEqual([
    'apps/links/src/bundles/store.test.ts',
    'apps/links/src/plans/apply.test.ts',
    'apps/links/test/api/bundle-links.test.ts',
    'apps/links/test/browser/bundles.test.ts',
  ])
})

test('a change of a page selects its browser tests', () => {
  expect(selectTests(['apps/links/src/web/pages/bundles/page.tsx'], sources)).toEqual([
    'apps/links/test/browser/bundles.test.ts',
  ])
  expect(selectTests(['apps/links/src/web/texts/sv/plans.ts'], sources)).toEqual([
    'apps/links/test/browser/plans.test.ts',
  ])
  expect(selectTests(['apps/links/src/web/shell.tsx'], sources)).toEqual(allOf('apps/links/test/browser/'))
})

test('a change of what an app shares selects all tests of the app, and none of the other app', () => {
  for (const path of ['apps/links/src/app.ts', 'apps/links/src/db/tables.ts'])
    expect(selectTests([path], sources)).toEqual(allOf('apps/links/'))
})

test('a change of a package selects all tests that reach it, through a service too', () => {
  expect(selectTests(['packages/database/src/url.ts'], sources)).toEqual(
    ['apps/links/src/plans/apply.test.ts', ...allOf('apps/links/test/'), ...allOf('apps/rooms/')].filter(
      (path) => path !== 'apps/links/src/bundles/store.test.ts',
    ),
  )
})

test('a change of a helper selects the tests that import it', () => {
  expect(selectTests(['apps/links/test/testing.ts'], sources)).toEqual(allOf('apps/links/test/'))
})

test('documents, images of containers, dependencies and tests select their tests', () => {
  expect(selectTests(['docs/api/README.md'], sources)).toEqual(allOf('apps/latchkey/test/docs/'))
  expect(selectTests(['deploy/compose/Caddyfile'], sources)).toEqual(allOf('apps/latchkey/test/packaging/'))
  expect(selectTests(['package-lock.json'], sources)).toEqual(allOf(''))
  expect(selectTests(['apps/rooms/test/bundles.test.ts'], sources)).toEqual(allOf('apps/rooms/'))
  expect(selectTests(['LICENSE'], sources)).toEqual([])
})

test('this repository can be read', async () => {
  expect(selectTests(['scripts/changed-tests.ts'], await readSources())).toContain(
    'scripts/changed-tests.test.ts',
  )
})
