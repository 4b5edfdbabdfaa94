import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { fontBytes, fontFace, fontName } from './font.ts'
import { fileName, joinChunks, loadedWith, scriptsOf } from './chunks.ts'
import { languageImports } from './language-imports.ts'
import { usedParts } from './mantine-parts.ts'
import { mantineStyles } from './mantine-styles.ts'
import { nativeScroll } from './native-scroll.ts'
import { preact } from './preact.ts'
import { computedStyles, themeStyles } from './theme-styles.ts'

const zip = promisify(gzip)
const compress = promisify(brotliCompress)

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
  /** Mark of the product, an SVG element (brand.ts). */
  mark: string
  operations: OperationTable
  /**
   * Modules that run in threads of their own, by the names under which `WORKERS` has their
   * addresses.
   */
  workers?: Readonly<Record<string, string>>
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
export async function bundleClient(folder: string, client: Client): Promise<void> {
  const parts = `${folder}.${process.pid}`
  const chunks = join(parts, 'chunks')
  mkdirSync(chunks, { recursive: true })
  const workers = await bundleWorkers(client)
  const sources = await bundleSources(chunks, client, workers)
  const scripts = await bundleChunks(chunks, sources.entries, client.assets)
  rmSync(chunks, { recursive: true })
  const first = fontFace(client.assets + fontName)
  const mantine = mantineStyles([...scripts.texts.values()])
  const styles = [first, mantine, sources.styles, themeStyles()].join('\n')
  const stylesName = `main-${Bun.hash(styles).toString(36)}.css`
  const texts = [...scripts.texts, ...workers.values(), [stylesName, styles] as const]
  await Promise.all(texts.map(([name, text]) => writeCompressed(join(parts, name), text)))
  writeFileSync(join(parts, fontName), fontBytes)
  const index = indexPage({ ...client, ...scripts, styles: stylesName, font: fontName })
  writeFileSync(join(parts, 'index.html'), index)
  writeFileSync(join(parts, 'preloads.json'), JSON.stringify(scripts.preloads))
  try {
    renameSync(parts, folder)
  } catch {
    // Another process created the folder first, with the same files.
    rmSync(parts, { recursive: true, force: true })
    readFileSync(join(folder, 'index.html'))
  }
}

const NAMING = { entry: '[name]-[hash].[ext]', chunk: 'part-[hash].[ext]', asset: '[name]-[hash].[ext]' }

type NamedText = readonly [name: string, text: string]

/** Bundles each worker into one script: the names of its file and its text, by the name of the worker. */
async function bundleWorkers({ workers = {} }: Client): Promise<ReadonlyMap<string, NamedText>> {
  const bundled = Object.entries(workers).map(async ([worker, module]) => {
    const { outputs } = await Bun.build({
      entrypoints: [module],
      target: 'browser',
      format: 'iife',
      // Some modules have a file of their own where there is no document.
      conditions: ['worker'],
      minify: true,
      naming: NAMING,
    })
    const [script] = outputs
    if (!script) throw new Error(`The bundler wrote no script for ${module}`)
    return [worker, [fileName(script.path), await script.text()]] as const
  })
  return new Map(await Promise.all(bundled))
}

/**
 * Writes `width < 48em` as 0.1 pixels less, as Mantine does. Bun's 0.001 are none to a browser, where
 * both sides of the breakpoint would hold at 768 pixels, the width of a tablet.
 */
function exclusiveWidths(styles: string): string {
  return styles.replaceAll(/calc\((\d+)em - 0?\.001px\)/g, (_, width) => `${Number(width) - 0.00625}em`)
}

/**
 * Bundles the sources into scripts in `folder`, which are prepared to be joined. Returns the
 * modules of their entries and the client's own styles.
 */
async function bundleSources(
  folder: string,
  { main, mark, operations, assets }: Client,
  workers: ReadonlyMap<string, NamedText>,
) {
  const addresses = [...workers].map(([worker, [name]]) => [worker, assets + name])
  const { outputs, metafile } = await Bun.build({
    entrypoints: [main],
    target: 'browser',
    format: 'esm',
    splitting: true,
    modulePreload: false,
    minify: { syntax: true },
    metafile: true,
    naming: NAMING,
    define: {
      'process.env.NODE_ENV': '"production"',
      MARK: JSON.stringify(mark),
      OPERATIONS: JSON.stringify(operations),
      WORKERS: JSON.stringify(Object.fromEntries(addresses)),
    },
    plugins: [
      preact,
      nativeScroll,
      computedStyles,
      languageImports,
      usedParts([import.meta.dirname, dirname(main)]),
    ],
  })
  let styles = ''
  for (const output of outputs) {
    const name = fileName(output.path)
    if (name.endsWith('.css')) styles = exclusiveWidths(await output.text())
    else writeFileSync(join(folder, name), await output.text())
  }
  const scripts = scriptsOf(metafile)
  // The module of a page, of a language, or another that is loaded when it is needed.
  const moduleOf = (name: string) => /\/web\/(.*)$/.exec(scripts.get(name)?.entryPoint ?? '')?.[1] ?? ''
  const entry = [...scripts.keys()].find((name) => /^main-.*\.js$/.test(name)) ?? ''
  joinChunks(folder, scripts, entry, (name) => /^pages\/\w[\w-]*\/page\.tsx$/.test(moduleOf(name)))
  return { entries: new Map([...scripts.keys()].map((name) => [name, moduleOf(name)])), styles }
}

/** Bundles the scripts of `bundleSources` again: few, and with short names. */
async function bundleChunks(folder: string, entries: ReadonlyMap<string, string>, assets: string) {
  const before = process.cwd()
  // The names have hashes of paths from the working directory, which would be others in each folder.
  process.chdir(folder)
  const { outputs, metafile } = await Bun.build({
    entrypoints: [join(folder, 'main.js')],
    target: 'browser',
    format: 'esm',
    splitting: true,
    minify: true,
    metafile: true,
    publicPath: assets,
    naming: NAMING,
  }).finally(() => process.chdir(before))
  const texts = new Map<string, string>()
  for (const output of outputs) texts.set(fileName(output.path), await output.text())
  const scripts = scriptsOf(metafile)
  const main = [...texts.keys()].find((name) => /^main-.*\.js$/.test(name)) ?? ''
  const everywhere = loadedWith(scripts, main)
  const preloads: Record<string, string[]> = {}
  for (const [name, { entryPoint = '' }] of scripts) {
    const module = entries.get(fileName(entryPoint)) ?? ''
    if (/^(?:pages|texts)\//.test(module))
      preloads[module] = [...loadedWith(scripts, name)].filter((script) => !everywhere.has(script))
  }
  const ahead = [...everywhere].filter((name) => name !== main)
  return { texts, main, ahead, preloads: preloads satisfies Preloads }
}

/** Writes a file and its compressed forms. Other threads compress all files at once. */
async function writeCompressed(path: string, text: string): Promise<void> {
  writeFileSync(path, text)
  // The highest quality, a tenth less than the default of other tools, takes seconds only once.
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  const [zipped, smaller] = await Promise.all([zip(text, { level: 9 }), compress(text, { params })])
  writeFileSync(`${path}.gz`, zipped)
  writeFileSync(`${path}.br`, smaller)
}

/**
 * Parts of the page that are filled in when it is served (serve.ts): for each person and for each
 * page.
 */
export const UNFILLED = {
  root: 'lang="" data-scheme="auto"',
  preloads: '<!-- preloads -->',
  answers: '<!-- answers -->',
} as const

/** A tag that loads a script before any other script imports it. */
export const preload = (path: string) => `<link rel="modulepreload" href="${path}">`

interface Index extends Pick<Client, 'assets' | 'title' | 'mark'> {
  main: string
  ahead: readonly string[]
  styles: string
  font: string
}

/** The header appears together with the styles. The client replaces it with its own. */
function indexPage({ main, ahead, styles, font, assets, title, mark }: Index): string {
  const name = Bun.escapeHTML(title)
  return `<!doctype html>
<html ${UNFILLED.root}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<title>${name}</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(mark)}" type="image/svg+xml">
<link rel="apple-touch-icon" href="/apple-touch-icon.png">
<meta name="theme-color" content="#f7f8fa" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#0f1522" media="(prefers-color-scheme: dark)">
<link rel="preload" href="${assets}${font}" as="font" type="font/woff2" crossorigin>
<link rel="stylesheet" href="${assets}${styles}">
<script type="module" src="${assets}${main}"></script>
${[...ahead.map((script) => preload(assets + script)), UNFILLED.preloads].join('\n')}
</head>
<body><div id="app"><div class="first-header frame-header"><div class="frame-brand brand"><span class="brand-mark">${mark}</span><b class="wordmark">${name}</b></div></div></div>${UNFILLED.answers}</body>
</html>
`
}
