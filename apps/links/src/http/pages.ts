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
import type { Services } from './services.ts'
import { findPreferences } from '../preferences/store.ts'
import { notFoundPage } from '../redirect/pages.ts'

export const ASSETS_PATH = '/_/admin/assets/'

/** As in web/pages.ts. */
const PAGES = /^\/_\/admin\/(dashboard|(links|bundles)(\/\d{1,15})?|keys|import-export|settings)$/

const SOURCES = resolve(import.meta.dirname, '..')
const ROOT = resolve(SOURCES, '../../..')
const BUILT = join(ROOT, 'node_modules/.cache/latchkey-links')
const KEPT_FOR_MS = 24 * 60 * 60 * 1000

const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/** The admin pages' files, with what each person's page begins with. */
export function createPages({ database, settings }: Pick<Services, 'database' | 'settings'>) {
  return {
    /** The page for everything; it says itself that there is none at `path`. `origin` is that of the short links. */
    async index(path: string, identity: string, origin: string): Promise<Response> {
      const { theme, lang } = await findPreferences(database.read, identity)
      const html = await Bun.file(join(await builtPages(), 'index.html')).text()
      const filled = html.replace(
        'lang="" data-scheme="auto"',
        () =>
          `lang="${Bun.escapeHTML(lang ?? '')}" data-scheme="${Bun.escapeHTML(theme ?? 'auto')}" ` +
          `data-identity="${Bun.escapeHTML(identity)}" data-origin="${Bun.escapeHTML(origin)}" ` +
          `data-sign-out="${settings.accessLogoutUrl !== null}" data-mcp="${waysToMcp(settings)}"`,
      )
      const status = PAGES.test(path) ? 200 : 404
      return new Response(filled, { status, headers: { 'Content-Type': 'text/html; charset=utf-8' } })
    },
    async asset(request: Request, path: string): Promise<Response> {
      const name = path.slice(ASSETS_PATH.length)
      if (!/^[\w-]+\.(js|css)$/.test(name)) return notFoundPage()
      const file = join(await builtPages(), name)
      if (!(await Bun.file(file).exists())) return notFoundPage()
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

let building: Promise<string> | undefined
let made = ''

/**
 * The folder of the bundled pages. They are bundled by a process of their own, which the service need not hold, and kept
 * under the fingerprint of their sources.
 */
export function builtPages(): Promise<string> {
  // Cleaned away, perhaps, beside a service that has run for long.
  if (made !== '' && !existsSync(made)) [building, made] = [undefined, '']
  building ??= bundleInto(BUILT).then(
    (folder) => (made = folder),
    (error: unknown) => {
      building = undefined
      throw error
    },
  )
  return building
}

/** Throws what the bundler says. */
export async function bundleInto(cache: string): Promise<string> {
  const name = await fingerprint()
  const kept = join(cache, name)
  if (existsSync(join(kept, 'index.html'))) return kept
  const folder = isWritable(cache) ? kept : join(temporaryFolder(), name)
  const build = Bun.spawn([process.execPath, join(SOURCES, 'web/build.ts'), folder], {
    cwd: ROOT,
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const said = await new Response(build.stderr).text()
  if ((await build.exited) !== 0) throw new Error(`The admin pages could not be bundled: ${said}`)
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
    if (statSync(path).mtimeMs < Date.now() - KEPT_FOR_MS) rmSync(path, { recursive: true, force: true })
}

/** How the MCP endpoint admits assistants (L19.2), for the settings page. */
function waysToMcp(settings: Services['settings']): string {
  const ways = {
    oauth: settings.mcpOauthIssuer !== null,
    access: settings.mcpAccessAudience !== null,
    keys: settings.mcpApiKeys,
    local: settings.access === 'loopback',
  }
  return Object.entries(ways)
    .flatMap(([way, isOpen]) => (isOpen ? way : []))
    .join(' ')
}

async function fingerprint(): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  const names = [...new Bun.Glob('**/*.{ts,tsx,css}').scanSync(SOURCES)].toSorted()
  for (const path of [...names.map((name) => join(SOURCES, name)), join(ROOT, 'package-lock.json')])
    hash.update(path).update(await Bun.file(path).bytes())
  return hash.digest('hex').slice(0, 16)
}
