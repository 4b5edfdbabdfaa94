import { describe, expect, test } from 'bun:test'
import { checkFloors, findStaleNames, readMap, readValueImports } from './floors.ts'

const importsOf = (source: string) => readValueImports('x.ts', source).map(({ specifier }) => specifier)

describe('a map', () => {
  const DOCUMENT =
    'x\n\n```text\napps/a/src\n\nmain app   composition\nhttp/ web/    transports of it\n      db/\n```\n'

  test('is read floor by floor, without the descriptions', () => {
    expect(readMap(DOCUMENT, 'apps/a/src')).toEqual(['main', 'app', 'http/', 'web/', 'db/'])
  })

  test('that is missing is an error', () => {
    expect(() => readMap(DOCUMENT, 'apps/b/src')).toThrow('has no map of apps/b/src')
  })
})

describe('an import of values', () => {
  test('is found in every form', () => {
    expect(
      importsOf(`import './a.ts'
import b, { type B } from './b.ts'
export { c } from './c.ts'
export * from './d.ts'
const e = await import('./e.ts')`),
    ).toEqual(['./a.ts', './b.ts', './c.ts', './d.ts', './e.ts'])
  })

  test('is not an import of types', () => {
    expect(
      importsOf(`import type { A } from './a.ts'
import { type B } from './b.ts'
export type { C } from './c.ts'
type D = import('./d.ts').D`),
    ).toEqual([])
  })
})

describe('floors', () => {
  const check = (from: string, to: string) =>
    checkFloors(['main', 'http/', 'links/', 'db/'], 'src', [
      { from: `src/${from}`, to: `src/${to}`, line: 3 },
    ])

  test('imports go to the right, down, or stay in their folder', () => {
    expect(check('main.ts', 'http/routes.ts')).toEqual([])
    expect(check('http/routes.ts', 'db/database.ts')).toEqual([])
    expect(check('db/deep/store.ts', 'db/database.ts')).toEqual([])
  })

  test('an import of a folder above is named with its place', () => {
    expect(check('db/deep/store.ts', 'links/store.ts')).toEqual([
      'src/db/deep/store.ts:3: db/ imports links/, which is above it: src/links/store.ts',
    ])
    expect(check('http/routes.ts', 'main.ts')).toHaveLength(1)
  })

  test('a folder or file that the map lacks is named', () => {
    expect(check('http/routes.ts', 'qr/qr.ts')).toEqual([
      'docs/architecture.md: qr/ of src is not on the map',
    ])
  })

  test('a name of the map without a folder or file is named', () => {
    expect(findStaleNames(['floors', 'release/', 'rings', 'rings/'], 'scripts')).toEqual([
      'docs/architecture.md: scripts has no rings',
      'docs/architecture.md: scripts has no rings/',
    ])
  })
})
