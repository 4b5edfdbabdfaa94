import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { mantineStyles } from './mantine-styles.ts'

/** The data of each operation that a client needs to call it. */
export type OperationTable = Readonly<Record<string, readonly [method: string, path: string]>>

/** Builds the table of these operations by id. */
export function operationTable(
  operations: readonly { id: string; methods: readonly [string, ...string[]]; path: string }[],
): OperationTable {
  return Object.fromEntries(operations.map(({ id, methods, path }) => [id, [methods[0], path]]))
}

export interface Client {
  /** The module that starts the client: `main.tsx`. */
  main: string
  /** Path prefix of the client's files, with a slash at its end. */
  assets: string
  /** The title until the first page sets its own. */
  title: string
  operations: OperationTable
}

/**
 * For each module in `pages/` and `texts/` that is loaded on its own, the scripts that it needs
 * beyond those of every page. Stored in `preloads.json`.
 */
export type Preloads = Readonly<Record<string, readonly string[]>>

/**
 * Bundles a client into `folder`: its files, each also compressed, `index.html` and
 * `preloads.json`. The folder exists only when all of them are complete. Throws the bundler's
 * error.
 *
 * @example await bundleClient(folder, { main, assets: '/assets/', title: 'Rooms', operations: operationTable(all) })
 */
export async function bundleClient(
  folder: string,
  { main, assets, title, operations }: Client,
): Promise<void> {
  const { outputs, metafile } = await Bun.build({
    entrypoints: [main, join(import.meta.dirname, 'scheme.ts')],
    target: 'browser',
    format: 'esm',
    splitting: true,
    minify: true,
    metafile: true,
    publicPath: assets,
    naming: { entry: '[name]-[hash].[ext]', chunk: 'part-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"', OPERATIONS: JSON.stringify(operations) },
  })
  const files = new Map<string, string>()
  for (const output of outputs) files.set(nameOf(output.path), await output.text())
  const font = readFileSync(FONT)
  const fontName = `inter-${Bun.hash(font).toString(36)}.woff2`
  const styles = joinStyles(files, fontFace(assets + fontName))
  const scripts = scriptsOf(metafile?.outputs ?? {})
  const parts = `${folder}.${process.pid}`
  mkdirSync(parts, { recursive: true })
  for (const [name, text] of files) writeCompressed(join(parts, name), text)
  writeFileSync(join(parts, fontName), font)
  writeFileSync(join(parts, 'index.html'), indexPage({ ...scripts, styles, font: fontName, assets, title }))
  writeFileSync(join(parts, 'preloads.json'), JSON.stringify(scripts.preloads))
  try {
    renameSync(parts, folder)
  } catch {
    // Another process created the folder first, with the same files.
    rmSync(parts, { recursive: true, force: true })
    readFileSync(join(folder, 'index.html'))
  }
}

/**
 * Inter 4.1 by Rasmus Andersson, SIL Open Font License (fonts/LICENSE.txt): Latin letters in weights
 * 400 to 700. docs/design.md says how the file was made.
 */
const FONT = join(import.meta.dirname, 'fonts/inter.woff2')

const fontFace = (url: string) =>
  `@font-face{font-family:Inter;src:url(${url}) format("woff2");font-weight:400 700;font-display:swap}`

const nameOf = (path: string) => path.replace(/^.*\//, '')

/** Puts `first` and Mantine's styles before the client's own in one file. Returns its name. */
function joinStyles(files: Map<string, string>, first: string): string {
  const scripts = [...files].flatMap(([name, text]) => (name.endsWith('.js') ? text : []))
  const own = [...files.keys()].find((name) => name.endsWith('.css')) ?? ''
  const all = `${first}\n${mantineStyles(scripts)}\n${files.get(own) ?? ''}`
  const name = `main-${Bun.hash(all).toString(36)}.css`
  files.delete(own)
  files.set(name, all)
  return name
}

type Outputs = NonNullable<Awaited<ReturnType<typeof Bun.build>>['metafile']>['outputs']

/**
 * Finds the scripts to load ahead. Otherwise the browser would load a script only after the script
 * that imports it.
 */
function scriptsOf(outputs: Outputs) {
  const all = new Map(Object.entries(outputs).map(([path, output]) => [nameOf(path), output]))
  const collectImports = (name: string, names = new Set<string>()): Set<string> => {
    if (names.has(name)) return names
    names.add(name)
    for (const { path, kind } of all.get(name)?.imports ?? [])
      if (kind === 'import-statement') collectImports(nameOf(path), names)
    return names
  }
  const findChunk = (pattern: RegExp) => [...all.keys()].find((name) => pattern.test(name)) ?? ''
  const main = findChunk(/^main-.*\.js$/)
  const everywhere = collectImports(main)
  const pages = [...all].flatMap(([name, { entryPoint = '' }]) => {
    const page = /\/web\/((?:pages|texts)\/.*)$/.exec(entryPoint)?.[1]
    return page === undefined
      ? []
      : [[page, [...collectImports(name)].filter((each) => !everywhere.has(each))] as const]
  })
  const preloads: Preloads = Object.fromEntries(pages)
  return { main, scheme: findChunk(/^scheme-.*\.js$/), everywhere: [...everywhere].slice(1), preloads }
}

function writeCompressed(path: string, text: string): void {
  writeFileSync(path, text)
  writeFileSync(`${path}.gz`, gzipSync(text, { level: 9 }))
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
  writeFileSync(`${path}.br`, brotliCompressSync(text, { params }))
}

/**
 * Parts of the page that are filled in when it is served (serve.ts): for each person and for each
 * page.
 */
export const UNFILLED = { root: 'lang="" data-scheme="auto"', preloads: '<!-- preloads -->' } as const

/** A tag that loads a script before any other script imports it. */
export const preload = (path: string) => `<link rel="modulepreload" href="${path}">`

interface Index {
  main: string
  scheme: string
  everywhere: readonly string[]
  styles: string
  font: string
  assets: string
  title: string
}

/** The header appears together with the styles. The client replaces it with its own. */
function indexPage({ main, scheme, everywhere, styles, font, assets, title }: Index): string {
  const name = Bun.escapeHTML(title)
  return `<!doctype html>
<html ${UNFILLED.root}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${name}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/apple-touch-icon.png">
<link rel="manifest" href="/manifest.webmanifest">
<meta name="theme-color" content="#f7f8fa" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#0f1522" media="(prefers-color-scheme: dark)">
<link rel="preload" href="${assets}${font}" as="font" type="font/woff2" crossorigin>
<script src="${assets}${scheme}"></script>
<link rel="stylesheet" href="${assets}${styles}">
<script type="module" src="${assets}${main}"></script>
${everywhere.map((each) => preload(assets + each)).join('\n')}
${UNFILLED.preloads}
</head>
<body><div id="app"><div class="first-header"><img src="/favicon.svg" alt="" width="24" height="24"><b>${name}</b></div></div></body>
</html>
`
}
