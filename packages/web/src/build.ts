import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** What a client knows of each operation: how to call it. */
export type OperationTable = Readonly<Record<string, readonly [method: string, path: string]>>

/** The table of these operations, by their ids. */
export function operationTable(
  operations: readonly { id: string; methods: readonly [string, ...string[]]; path: string }[],
): OperationTable {
  return Object.fromEntries(operations.map(({ id, methods, path }) => [id, [methods[0], path]]))
}

export interface Client {
  /** The module that starts it: `main.tsx`. */
  main: string
  /** The path below which its files are served, with a slash at its end. */
  assets: string
  /** What stands in the title before the first page names itself. */
  title: string
  operations: OperationTable
}

/**
 * Bundles a client into `folder`, which exists only when all of it is there: its files, each also compressed, and
 * `index.html`. Throws what the bundler says.
 *
 * @example await bundleClient(folder, { main, assets: '/assets/', title: 'Rooms', operations: operationTable(all) })
 */
export async function bundleClient(
  folder: string,
  { main, assets, title, operations }: Client,
): Promise<void> {
  const result = await Bun.build({
    entrypoints: [main, join(import.meta.dirname, 'scheme.ts')],
    target: 'browser',
    format: 'esm',
    splitting: true,
    minify: true,
    publicPath: assets,
    naming: { entry: '[name]-[hash].[ext]', chunk: 'part-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"', OPERATIONS: JSON.stringify(operations) },
  })
  const parts = `${folder}.${process.pid}`
  mkdirSync(parts, { recursive: true })
  const names = result.outputs.map(({ path }) => path.replace(/^.*\//, ''))
  for (const [index, output] of result.outputs.entries())
    writeCompressed(join(parts, names[index] ?? ''), new Uint8Array(await output.arrayBuffer()))
  writeFileSync(join(parts, 'index.html'), indexPage(names, assets, title))
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

/** The attributes of its first element that are filled in for each person when the page is served (serve.ts). */
export const UNFILLED = 'lang="" data-scheme="auto"'

function indexPage(names: readonly string[], assets: string, title: string): string {
  const named = (pattern: RegExp) => assets + names.find((name) => pattern.test(name))
  return `<!doctype html>
<html ${UNFILLED}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${Bun.escapeHTML(title)}</title>
<link rel="icon" href="/favicon.svg">
<script src="${named(/^scheme-.*\.js$/)}"></script>
<link rel="stylesheet" href="${named(/^main-.*\.css$/)}">
<script type="module" src="${named(/^main-.*\.js$/)}"></script>
</head>
<body><div id="app"></div></body>
</html>
`
}
