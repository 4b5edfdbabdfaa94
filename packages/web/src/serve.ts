import { DAY_MS } from '@latchkey/http/duration'
import {
  accessSync,
  existsSync,
  constants as fs,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Preloads, UNFILLED, preload } from './build.ts'
import { answersElement } from './collect-answers.ts'
import { IMMUTABLE } from './font.ts'
import { acceptedLanguages, firstLanguage } from './languages.ts'

const OWN_SOURCES = import.meta.dirname
const ROOT = resolve(OWN_SOURCES, '../../..')
const CACHES = join(ROOT, 'node_modules/.cache')
const KEPT_FOR_MS = DAY_MS

const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

const CONTENT_TYPES = new Map([
  ['js', 'text/javascript; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
  ['woff2', 'font/woff2'],
])

/** True for files that are served from their compressed forms. Fonts are stored as they are. */
const isCompressed = (name: string) => !name.endsWith('.woff2')

export interface ClientOptions {
  /** Name of the cache folder of the bundles: `latchkey-links`. */
  name: string
  /** The module that bundles the client into the folder given as its argument (build.ts). */
  build: string
  /** The folder with all files of the app that `build` imports. */
  sources: string
  /** Path prefix of the files, the same as in `build`. */
  assets: string
  /** The folder of a client that was bundled ahead. Nothing is bundled then. */
  bundled?: string | undefined
  /** The folder for bundles. Default: `node_modules/.cache`. */
  caches?: string
}

/** The person's preferences and further data that the client reads from its root element. */
export interface Viewer {
  /** A language of languages.ts, or null for the first of `acceptLanguage`. */
  lang: string | null
  /** The header of this name, or null. */
  acceptLanguage: string | null
  /** `light` or `dark`, or null for the browser's. */
  scheme: string | null
  /** More `data-` attributes, by their names without the prefix. */
  data?: Readonly<Record<string, string>>
  /** Name of the client, if it is not its title. */
  name?: string | undefined
  /**
   * The module of the page at this address, such as `pages/lobby.tsx`. Its scripts are loaded
   * ahead.
   */
  page?: string | undefined
  /** Answers of operations that the page needs at once (collect-answers.ts). */
  answers?: readonly string[]
}

/**
 * Data of a page for the product switcher (shell/brand.tsx): the name of the other product, and the
 * address of its pages. Nothing without an address.
 *
 * @example siblingData('Latchkey Rooms', 'https://rooms.example.com')
 */
export function siblingData(name: string, url: string | null): Record<string, string> {
  return url === null ? {} : { sibling: url, 'sibling-name': name }
}

/**
 * The files of a client. A separate process bundles them on first use, which keeps the bundler out
 * of the service. Bundles are stored under the fingerprint of their sources.
 *
 * @example const files = clientFiles({ name: 'latchkey-rooms', build, sources, assets: '/assets/' })
 */
export function clientFiles(options: ClientOptions) {
  let building: Promise<string> | undefined
  let bundledFolder = ''

  /** Returns the folder of the files. Throws the bundler's error. */
  async function getFolder(): Promise<string> {
    if (options.bundled !== undefined) return options.bundled
    // The folder may have been deleted while the service ran for a long time.
    if (bundledFolder !== '' && !existsSync(bundledFolder)) [building, bundledFolder] = [undefined, '']
    building ??= bundle(options).then(
      (folder) => (bundledFolder = folder),
      (error: unknown) => {
        building = undefined
        throw error
      },
    )
    return building
  }

  return {
    built: getFolder,
    /** Returns the page that every address of the client has. */
    page: async (viewer: Viewer): Promise<string> => fillPage(await getFolder(), viewer, options),
    /**
     * Serves the file at a path below `assets`, in the smallest encoding that the browser accepts.
     * Undefined if there is no such file.
     */
    async asset(request: Request, path: string): Promise<Response | undefined> {
      const name = path.slice(options.assets.length)
      const type = CONTENT_TYPES.get(/^[\w-]+\.(js|css|woff2)$/.exec(name)?.[1] ?? '')
      if (type === undefined) return undefined
      const file = join(await getFolder(), name)
      if (!(await Bun.file(file + (isCompressed(name) ? '.gz' : '')).exists())) return undefined
      const accepted = request.headers.get('accept-encoding') ?? ''
      const encoding = isCompressed(name)
        ? ENCODINGS.find(([token]) => new RegExp(`\\b${token}\\b(?!;q=0)`).test(accepted))
        : undefined
      const body =
        isCompressed(name) && !encoding
          ? Bun.gunzipSync(await Bun.file(`${file}.gz`).bytes())
          : Bun.file(file + (encoding?.[1] ?? ''))
      return new Response(body, {
        headers: {
          'Content-Type': type,
          ...IMMUTABLE,
          ...(isCompressed(name) && { Vary: 'Accept-Encoding' }),
          ...(encoding && { 'Content-Encoding': encoding[0] }),
        },
      })
    },
  }
}

async function fillPage(
  folder: string,
  { lang, acceptLanguage, scheme, data = {}, name, page, answers = [] }: Viewer,
  { assets }: ClientOptions,
): Promise<string> {
  const html = await Bun.file(join(folder, 'index.html')).text()
  const preloads = (await Bun.file(join(folder, 'preloads.json')).json()) as Preloads
  const language = firstLanguage([lang ?? '', ...acceptedLanguages(acceptLanguage)])
  const ahead = [`texts/${language}/index.ts`, ...(page === undefined ? [] : [page, textsOf(page, language)])]
    .flatMap((module) => preloads[module] ?? [])
    .map((file) => preload(assets + file))
  const attributes = Object.entries(data).map(
    ([attribute, value]) => ` data-${attribute}="${Bun.escapeHTML(value)}"`,
  )
  const root = `lang="${language}"${schemeAttributes(scheme)}${attributes.join('')}`
  const named =
    name === undefined
      ? html
      : html.replace(/(<title>|<b [^>]*>)[^<]*/g, (_, tag: string) => tag + Bun.escapeHTML(name))
  return named
    .replace(UNFILLED.root, () => root)
    .replace(UNFILLED.preloads, ahead.join('\n'))
    .replace(UNFILLED.answers, () => answersElement(answers))
}

/** The module with the texts of a page alone, if it has any: `texts/en/admin.ts` of `pages/admin/page.tsx`. */
function textsOf(page: string, language: string): string {
  return page.replace(/^pages\/([\w-]+)\/.*$/, `texts/${language}/$1.ts`)
}

/** The client finds out the browser's scheme. A scheme that was chosen holds from the first paint. */
function schemeAttributes(scheme: string | null): string {
  const isChosen = scheme === 'light' || scheme === 'dark'
  return isChosen ? ` data-scheme="${scheme}" data-mantine-color-scheme="${scheme}"` : ' data-scheme="auto"'
}

async function bundle({ name, build, sources, caches = CACHES }: ClientOptions): Promise<string> {
  const cache = join(caches, name)
  const print = await fingerprint([sources, OWN_SOURCES])
  const cached = join(cache, print)
  if (existsSync(join(cached, 'index.html'))) return cached
  const folder = isWritable(cache) ? cached : join(temporaryFolder(), print)
  const bundler = Bun.spawn([process.execPath, build, folder], {
    cwd: ROOT,
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const errors = await new Response(bundler.stderr).text()
  if ((await bundler.exited) !== 0) throw new Error(`The pages of ${name} could not be bundled: ${errors}`)
  removeOld(cache)
  return folder
}

function isWritable(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, fs.W_OK)
    return true
  } catch {
    return false
  }
}

/** A folder to which other users cannot write, deleted when this process exits. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-pages-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/**
 * Deletes bundles that were not needed for a day. Other versions may be running beside this one.
 */
function removeOld(cache: string): void {
  const names = existsSync(cache) ? readdirSync(cache) : []
  for (const path of names.map((name) => join(cache, name)))
    if ((statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) < Date.now() - KEPT_FOR_MS)
      rmSync(path, { recursive: true, force: true })
}

async function fingerprint(folders: readonly string[]): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  const paths = folders.flatMap((folder) =>
    [...new Bun.Glob('**/*.{ts,tsx,mjs,css,svg,woff2}').scanSync(folder)]
      .map((name) => join(folder, name))
      .toSorted(),
  )
  for (const path of [...paths, join(ROOT, 'package-lock.json')])
    hash.update(path).update(await Bun.file(path).bytes())
  return hash.digest('hex').slice(0, 16)
}
