import { expect, test } from 'bun:test'
import { Glob } from 'bun'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')
const LIST = /\bid\b.*\bsv\b|\bsv\b.*\bid\b|^\s*sv:/m

test('the table of languages is the only list of them, so a new one is one edit beside its texts', async () => {
  const lists: string[] = []
  for (const path of new Glob('{apps,packages}/*/src/**/*.{ts,tsx}').scanSync(ROOT)) {
    if (/\.test\.tsx?$|\/texts\/|\/0001-schema\.ts$/.test(path)) continue
    if (LIST.test(await Bun.file(join(ROOT, path)).text())) lists.push(path)
  }
  expect(lists).toEqual(['packages/web/src/languages.ts'])
})
