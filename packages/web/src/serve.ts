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

const OWN_SOURCES = import.meta.dirname
const ROOT = resolve(OWN_SOURCES, '../../..')
const CACHES = join(ROOT, 'node_modules/.cache')
const KEPT_FOR_MS = 24 * 60 * 60 * 1000

const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

export interface ClientOptions {
  /** Names the folder that keeps what was bundled: `latchkey-links`. */
  name: string
  /** The module that bundles the client into the folder it is given as its argument (build.ts). */
  build: string
  /** The folder with everything of the app that `build` imports. */
  sources: string
  /** Where the files are served, as `build` says it. */
  assets: string
  /** The folder of a client that was bundled ahead; nothing is bundled then. */
  bundled?: string | undefined
  /** Keeps what was bundled; `node_modules/.cache` without it. */
  caches?: string
}

/** Who looks, and how; what the client reads from its first element. */
export interface Viewer {
  /** A language of texts.ts; null for the browser's. */
  lang: string | null
  /** `light` or `dark`; null for the browser's. */
  scheme: string | null
  /** More `data-` attributes, by their names without that. */
  data?: Readonly<Record<string, string>>
  /** What the client is called here, where that is not its title. */
  name?: string | undefined
  /** The module that shows the page at this address, such as `pages/lobby.tsx`: its scripts are loaded ahead. */
  page?: string | undefined
}

/**
 * The files of a client. They are bundled when they are first asked for, by a process of their own, which the service need
 * not hold, and kept under the fingerprint of their sources.
 *
 * @example const files = clientFiles({ name: 'latchkey-rooms', build, sources, assets: '/assets/' })
 */
export function clientFiles(served: ClientOptions) {
  let building: Promise<string> | undefined
  let made = ''

  /** The folder of the files. Throws what the bundler says. */
  async function built(): Promise<string> {
    if (served.bundled !== undefined) return served.bundled
    // Cleaned away, perhaps, beside a service that has run for long.
    if (made !== '' && !existsSync(made)) [building, made] = [undefined, '']
    building ??= bundle(served).then(
      (folder) => (made = folder),
      (error: unknown) => {
        building = undefined
        throw error
      },
    )
    return building
  }

  return {
    built,
    /** The page that every address of the client has. */
    async page({ lang, scheme, data = {}, name, page }: Viewer): Promise<string> {
      const folder = await built()
      const html = await Bun.file(join(folder, 'index.html')).text()
      const preloads = (await Bun.file(join(folder, 'preloads.json')).json()) as Preloads
      const ahead = (preloads[page ?? ''] ?? []).map((file) => preload(served.assets + file))
      const attributes = Object.entries(data).map(
        ([attribute, value]) => ` data-${attribute}="${Bun.escapeHTML(value)}"`,
      )
      const root =
        `lang="${Bun.escapeHTML(lang ?? '')}" data-scheme="${Bun.escapeHTML(scheme ?? 'auto')}"` +
        attributes.join('')
      const filled = html.replace(UNFILLED.root, () => root).replace(UNFILLED.preloads, ahead.join('\n'))
      return name === undefined
        ? filled
        : filled.replace(/(<title>|<b>)[^<]*/g, (_, tag: string) => tag + Bun.escapeHTML(name))
    },
    /** The file at a path below `assets`, as small as the browser takes it; undefined where there is none. */
    async asset(request: Request, path: string): Promise<Response | undefined> {
      const name = path.slice(served.assets.length)
      if (!/^[\w-]+\.(js|css)$/.test(name)) return undefined
      const file = join(await built(), name)
      if (!(await Bun.file(file).exists())) return undefined
      const accepted = request.headers.get('accept-encoding') ?? ''
      const encoding = ENCODINGS.find(([token]) => new RegExp(`\\b${token}\\b(?!;q=0)`).test(accepted))
      return new Response(Bun.file(file + (encoding?.[1] ?? '')), {
        headers: {
          'Content-Type': name.endsWith('.js') ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8',
          Vary: 'Accept-Encoding',
          ...(encoding && { 'Content-Encoding': encoding[0] }),
        },
      })
    },
  }
}

async function bundle({ name, build, sources, caches = CACHES }: ClientOptions): Promise<string> {
  const cache = join(caches, name)
  const print = await fingerprint([sources, OWN_SOURCES])
  const kept = join(cache, print)
  if (existsSync(join(kept, 'index.html'))) return kept
  const folder = isWritable(cache) ? kept : join(temporaryFolder(), print)
  const bundler = Bun.spawn([process.execPath, build, folder], {
    cwd: ROOT,
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const said = await new Response(bundler.stderr).text()
  if ((await bundler.exited) !== 0) throw new Error(`The pages of ${name} could not be bundled: ${said}`)
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

/** Nobody else can put files there; gone with this process. */
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-pages-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** What nobody has needed for a day; other versions may be running beside this one. */
function removeOld(cache: string): void {
  const names = existsSync(cache) ? readdirSync(cache) : []
  for (const path of names.map((name) => join(cache, name)))
    if ((statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) < Date.now() - KEPT_FOR_MS)
      rmSync(path, { recursive: true, force: true })
}

async function fingerprint(folders: readonly string[]): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  const paths = folders.flatMap((folder) =>
    [...new Bun.Glob('**/*.{ts,tsx,css}').scanSync(folder)].map((name) => join(folder, name)).toSorted(),
  )
  for (const path of [...paths, join(ROOT, 'package-lock.json')])
    hash.update(path).update(await Bun.file(path).bytes())
  return hash.digest('hex').slice(0, 16)
}
