// The tests that a change can touch, for `npm test -- --changed`: tests that import a changed file, and
// tests in its folder. Most tests start a whole service, and so would reach every file of it: of these,
// only tests that are named after the folder of the change count.
import { Glob } from 'bun'
import { dirname, join } from 'node:path'
import { readValueImports } from './floors.ts'

const ROOT = join(import.meta.dirname, '..')
const TEST = /\.test\.tsx?$/
const FEATURE = /^apps\/\w+\/src\//

/** Paths from the root, with the files whose values they import. */
export type Sources = ReadonlyMap<string, readonly string[]>

/** Tests that a change of each file may touch, beyond those that import it. The first pattern counts. */
const OTHERS: readonly [file: RegExp, tests: (match: RegExpExecArray) => RegExp][] = [
  [/(^|\/)package(-lock)?\.json$|^scripts\/(test|postgres)\.ts$/, () => /./],
  [/^deploy\/|^scripts\/release\/|^\.ci\//, () => /^apps\/latchkey\/test\/packaging\//],
  [/\.md$/, () => /^apps\/latchkey\/test\/docs\//],
  [/^(sdks)\//, () => /^sdks\//],
  [/^packages\/web\/src\//, () => /^packages\/web\/test\/|\/test\/browser\//],
  // Files beside the folders, and tables, belong to every feature of their app.
  [/^(apps\/\w+)\/src\/(?:[^/]+|db\/.*)$/, ([, app]) => new RegExp(`^${app}/`)],
  [
    /^apps\/(\w+)\/src\/web\/(?:pages\/([\w-]+)\/|texts\/\w+\/([\w-]+)\.)/,
    ([, app = '', page, texts]) => named(app, [page ?? texts ?? ''], 'browser/'),
  ],
  [/^apps\/(\w+)\/src\/web\//, ([, app]) => new RegExp(`^apps/${app}/test/browser/`)],
  [/^apps\/(\w+)\/src\/(.*)\/[^/]+$/, ([, app = '', folders = '']) => named(app, folders.split('/'))],
]

/** Tests of an app and of the command with one of the names in their path, singular or plural. */
function named(app: string, names: readonly string[], folder = ''): RegExp {
  const words = names.map((name) => name.replace(/s$/, '')).join('|')
  return new RegExp(`^apps/(?:${app}|latchkey)/test/${folder}(?:.*[/-])?(?:${words})s?[-./]`)
}

/** Returns the test files that a change of these files can touch. */
export function selectTests(changed: readonly string[], sources: Sources): string[] {
  const patterns = changed.flatMap((file) => {
    for (const [pattern, tests] of OTHERS) {
      const match = pattern.exec(file)
      if (match) return [tests(match)]
    }
    return []
  })
  const folders = new Set(changed.map(dirname))
  const features = new Set(changed.filter((file) => FEATURE.test(file)))
  const shared = new Set(changed.filter((file) => !FEATURE.test(file)))
  return [...sources.keys()].filter(
    (path) =>
      TEST.test(path) &&
      (folders.has(dirname(path)) ||
        patterns.some((pattern) => pattern.test(path)) ||
        isReached(path, shared, sources) ||
        isReached(path, features, sources, startsService)),
  )
}

/** Whether a test imports one of the files, on a path without the left-out imports. */
function isReached(
  test: string,
  files: ReadonlySet<string>,
  sources: Sources,
  isLeftOut = (_from: string, _to: string) => false,
): boolean {
  const reached = new Set([test])
  for (const path of reached) {
    if (files.has(path)) return true
    for (const imported of sources.get(path) ?? []) if (!isLeftOut(path, imported)) reached.add(imported)
  }
  return false
}

/**
 * True for imports from helpers of tests, which start services, and from the top of an app, where all
 * features meet.
 */
function startsService(from: string, to: string): boolean {
  if (!FEATURE.test(to)) return false
  const isHelper = /\/test\//.test(from) && !TEST.test(from)
  return isHelper || /^apps\/\w+\/src\/([^/]+|(http|mcp|web)\/.*)$/.test(from)
}

/** Returns the paths of all files that differ from the main branch, of untracked files too. */
export async function findChanges(): Promise<string[]> {
  for (const main of ['origin/main', 'main']) {
    const [base] = await git('merge-base', 'HEAD', main)
    if (base !== undefined)
      return [
        ...(await git('diff', '--name-only', '--no-renames', base)),
        ...(await git('ls-files', '--others', '--exclude-standard')),
      ]
  }
  throw new Error('There is no branch main to compare with')
}

async function git(...args: readonly string[]): Promise<string[]> {
  const child = Bun.spawn(['git', ...args], { cwd: ROOT, stdout: 'pipe', stderr: 'ignore' })
  const text = await new Response(child.stdout).text()
  return (await child.exited) === 0 ? text.split('\n').filter(Boolean) : []
}

export async function readSources(): Promise<Sources> {
  const paths = ['apps', 'packages', 'scripts', 'sdks'].flatMap((folder) => [
    ...new Glob(`${folder}/**/*.{ts,tsx}`).scanSync({ cwd: ROOT }),
  ])
  const existing = new Set(paths)
  const entries = paths.map(async (path) => {
    const imports = readValueImports(path, await Bun.file(join(ROOT, path)).text())
    const targets = imports.flatMap(({ specifier }) => resolve(path, specifier))
    return [path, targets.filter((target) => existing.has(target))] as const
  })
  return new Map(await Promise.all(entries))
}

/** Returns the paths that an import may mean. */
function resolve(from: string, specifier: string): string[] {
  if (specifier.startsWith('.')) return [join(dirname(from), specifier)]
  const [, workspace, path] = /^@latchkey\/([^/]+)\/(.*)$/.exec(specifier) ?? []
  if (workspace === undefined) return []
  return ['packages', 'apps'].flatMap((folder) =>
    ['ts', 'tsx'].map((extension) => `${folder}/${workspace}/src/${path}.${extension}`),
  )
}
