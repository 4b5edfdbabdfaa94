import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { adminOperations } from '../http/operations.ts'

/** Where the built files are served (pages.ts). */
const ASSETS = '/_/admin/assets/'

/** What the pages know of each operation: how to call it. */
export function operationTable(): Record<string, readonly [method: string, path: string]> {
  return Object.fromEntries(adminOperations.map(({ id, methods, path }) => [id, [methods[0], path]]))
}

/** Bundles the pages into `folder`, which exists only when all of it is there. Throws what the bundler says. */
export async function buildPages(folder: string): Promise<void> {
  const result = await Bun.build({
    entrypoints: [join(import.meta.dirname, 'main.tsx'), join(import.meta.dirname, 'scheme.ts')],
    target: 'browser',
    format: 'esm',
    splitting: true,
    minify: true,
    publicPath: ASSETS,
    naming: { entry: '[name]-[hash].[ext]', chunk: 'part-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    define: {
      'process.env.NODE_ENV': '"production"',
      OPERATIONS: JSON.stringify(operationTable()),
    },
  })
  const parts = `${folder}.${process.pid}`
  mkdirSync(parts, { recursive: true })
  const names = result.outputs.map(({ path }) => path.replace(/^.*\//, ''))
  for (const [index, output] of result.outputs.entries())
    writeCompressed(join(parts, names[index] ?? ''), new Uint8Array(await output.arrayBuffer()))
  writeFileSync(join(parts, 'index.html'), indexPage(names))
  try {
    renameSync(parts, folder)
  } catch {
    // Another process was faster with the same files.
    rmSync(parts, { recursive: true, force: true })
    readFileSync(join(folder, 'index.html'))
  }
}

function writeCompressed(path: string, bytes: Uint8Array): void {
  writeFileSync(path, bytes)
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }))
}

/** `data-scheme`, `lang`, and who is looking (me.ts) are filled in for each person when the page is served. */
function indexPage(names: readonly string[]): string {
  const named = (pattern: RegExp) => ASSETS + names.find((name) => pattern.test(name))
  return `<!doctype html>
<html lang="" data-scheme="auto">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Latchkey Links</title>
<link rel="icon" href="/favicon.svg">
<script src="${named(/^scheme-.*\.js$/)}"></script>
<link rel="stylesheet" href="${named(/^main-.*\.css$/)}">
<script type="module" src="${named(/^main-.*\.js$/)}"></script>
</head>
<body><div id="app"></div></body>
</html>
`
}

const [, , folder] = Bun.argv
if (import.meta.main && folder !== undefined) await buildPages(folder)
