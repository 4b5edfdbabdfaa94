import { afterAll, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { clientFiles } from './serve.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-bundle-'))
const sources = join(folder, 'sources')
const build = join(sources, 'build.ts')
const caches = join(folder, 'caches')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const files = (change: { caches?: string } = {}) =>
  clientFiles({ name: 'tried', build, sources, assets: '/assets/', caches, ...change })

const seen = { lang: 'sv', acceptLanguage: null, scheme: 'dark', data: { name: '"><b>' } }

/** The smallest possible client. */
beforeEach(() => {
  mkdirSync(sources, { recursive: true })
  writeFileSync(join(sources, 'main.css'), 'body { color: red }')
  writeFileSync(join(sources, 'main.ts'), "import './main.css'\nconsole.log(OPERATIONS.listThings)\n")
  writeFileSync(
    build,
    `import { bundleClient, operationTable } from '${join(import.meta.dirname, 'build.ts')}'
    await bundleClient(Bun.argv[2], {
      main: '${join(sources, 'main.ts')}',
      assets: '/assets/',
      title: 'Tried & true',
      mark: '<svg/>',
      operations: operationTable([{ id: 'listThings', methods: ['GET'], path: '/things' }]),
    })`,
  )
})

test('a client is bundled once, and bundles that were unused for a day are deleted', async () => {
  const [old, recent] = [join(caches, 'tried/old'), join(caches, 'tried/recent')]
  for (const path of [old, recent]) mkdirSync(path, { recursive: true })
  utimesSync(old, 1, 1)
  const first = await files().built()
  expect(readdirSync(first)).toContain('index.html')
  expect([existsSync(old), existsSync(recent)]).toEqual([false, true])
  const marked = join(first, 'not-made-again')
  writeFileSync(marked, '')
  expect(await files().built()).toBe(first)
  expect(existsSync(marked)).toBeTrue()
}, 30_000)

test('a client is bundled again when its sources have changed, and when its bundle has been deleted', async () => {
  const same = files()
  const first = await same.built()
  writeFileSync(join(sources, 'more.ts'), 'export {}')
  expect(await files().built()).not.toBe(first)
  rmSync(join(sources, 'more.ts'))
  rmSync(first, { recursive: true })
  expect(await same.built()).toBe(first)
  expect(readdirSync(first)).toContain('index.html')
}, 30_000)

test('without a writable cache, a client is bundled into a temporary folder of the process', async () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const builtFolder = await files({ caches: join(file, 'caches') }).built()
  expect(builtFolder.startsWith(tmpdir())).toBeTrue()
  expect(dirname(dirname(builtFolder))).not.toBe(folder)
  expect(readdirSync(builtFolder)).toContain('index.html')
}, 30_000)

test('a failed build throws its error, and is retried at the next request', async () => {
  const broken = files()
  writeFileSync(join(sources, 'main.ts'), 'this is no program')
  expect(await broken.built().catch(String)).toMatch(/The pages of tried could not be bundled: [^]*main\.ts/)
  writeFileSync(join(sources, 'main.ts'), "import './main.css'\n")
  expect(readdirSync(await broken.built())).toContain('index.html')
}, 30_000)

test('the page passes the preferences of the person to the client, escaped', async () => {
  const html = await files().page(seen)
  expect(html).toContain(
    '<html lang="sv" data-scheme="dark" data-mantine-color-scheme="dark" data-name="&quot;&gt;&lt;b&gt;">',
  )
  expect(html).toContain('<title>Tried &amp; true</title>')
  expect(await files().page({ ...seen, lang: null, scheme: null, data: {} })).toContain(
    '<html lang="en" data-scheme="auto">',
  )
  const named = await files().page({ ...seen, name: '<i>House</i>' })
  expect(named).toContain('<title>&lt;i&gt;House&lt;/i&gt;</title>')
  expect(named).toContain('<b class="wordmark">&lt;i&gt;House&lt;/i&gt;</b>')
}, 30_000)

test('every file that the page names is served in the smallest accepted encoding, and no other file is served', async () => {
  const client = files()
  const ask = (path: string, accepted: string) =>
    client.asset(new Request('http://localhost/', { headers: { 'Accept-Encoding': accepted } }), path)
  const paths = [...(await client.page(seen)).matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '')
  expect(paths.map((path) => path.replace(/-.*\./, '.'))).toEqual([
    '/assets/inter.woff2',
    '/assets/main.css',
    '/assets/main.js',
  ])
  for (const path of paths)
    for (const [accepted, encoding] of [
      ['gzip, br', 'br'],
      ['gzip, br;q=0', 'gzip'],
      ['identity', null],
    ] as const) {
      const response = await ask(path, accepted)
      const { status, headers } = response ?? new Response(null, { status: 404 })
      const isFont = path.endsWith('.woff2')
      expect([path, status, headers.get('content-encoding')]).toEqual([path, 200, isFont ? null : encoding])
      expect([path, headers.get('vary')]).toEqual([path, isFont ? null : 'Accept-Encoding'])
    }
  const script = await (await ask(paths[2] ?? '', 'identity'))?.text()
  expect(script).toContain('["GET","/things"]')
  for (const path of ['index.html', 'main.js', '../build.ts', '..%2fbuild.ts', `${paths[2]?.slice(8)}.br`])
    expect([path, await ask(`/assets/${path}`, 'br')]).toEqual([path, undefined])
}, 30_000)
