import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleInto } from './pages.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-bundle-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the pages are bundled once, and what nobody has needed for a day is removed', async () => {
  const [old, recent] = [join(folder, 'old'), join(folder, 'recent')]
  for (const path of [old, recent]) mkdirSync(path)
  utimesSync(old, 1, 1)
  const first = await bundleInto(folder)
  expect(readdirSync(first)).toContain('index.html')
  expect([existsSync(old), existsSync(recent)]).toEqual([false, true])
  const marked = join(first, 'not-made-again')
  writeFileSync(marked, '')
  expect(await bundleInto(folder)).toBe(first)
  expect(existsSync(marked)).toBeTrue()
}, 30_000)

test('without a folder to keep them in, the pages are bundled into one of the process’s own', async () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const made = await bundleInto(join(file, 'cache'))
  expect(made.startsWith(tmpdir())).toBeTrue()
  expect(readdirSync(made)).toContain('index.html')
}, 30_000)
