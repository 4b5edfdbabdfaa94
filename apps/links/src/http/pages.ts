import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Services } from './services.ts'
import { findPreferences } from '../preferences/store.ts'
import { notFoundPage } from '../redirect/pages.ts'

export const ASSETS_PATH = '/_/admin/assets/'

const SOURCES = resolve(import.meta.dirname, '..')
const ROOT = resolve(SOURCES, '../../..')
const BUILT = join(ROOT, 'node_modules/.cache/latchkey-links')

const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/**
 * The admin pages' files. They are bundled by a process of their own when somebody first asks for one, and kept on disk
 * under the fingerprint of their sources: a service whose pages nobody opens never holds the bundler.
 */
export function createPages({ database }: Pick<Services, 'database'>) {
  let built: Promise<string> | undefined
  const folder = () => {
    built ??= ensureBuilt().catch((error: unknown) => {
      built = undefined
      throw error
    })
    return built
  }
  return {
    /** `origin` is that of the short links. */
    async index(identity: string, origin: string): Promise<Response> {
      const { theme, lang } = await findPreferences(database.read, identity)
      const html = await Bun.file(join(await folder(), 'index.html')).text()
      const filled = html.replace(
        'lang="" data-scheme="auto"',
        () =>
          `lang="${Bun.escapeHTML(lang ?? '')}" data-scheme="${Bun.escapeHTML(theme ?? 'auto')}" ` +
          `data-identity="${Bun.escapeHTML(identity)}" data-origin="${Bun.escapeHTML(origin)}"`,
      )
      return new Response(filled, { headers: { 'Content-Type': 'text/html; charset=utf-8' } })
    },
    async asset(request: Request, path: string): Promise<Response> {
      const name = path.slice(ASSETS_PATH.length)
      if (!/^[\w-]+\.(js|css)$/.test(name)) return notFoundPage()
      const file = join(await folder(), name)
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

async function ensureBuilt(): Promise<string> {
  const folder = join(BUILT, await fingerprint())
  if (existsSync(join(folder, 'index.html'))) return folder
  const build = Bun.spawn([process.execPath, join(SOURCES, 'web/build.ts'), folder], {
    cwd: ROOT,
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const said = await new Response(build.stderr).text()
  if ((await build.exited) !== 0) throw new Error(`The admin pages could not be bundled: ${said}`)
  return folder
}

async function fingerprint(): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256')
  const names = [...new Bun.Glob('**/*.{ts,tsx,css}').scanSync(SOURCES)].toSorted()
  for (const path of [...names.map((name) => join(SOURCES, name)), join(ROOT, 'package-lock.json')])
    hash.update(path).update(await Bun.file(path).bytes())
  return hash.digest('hex').slice(0, 16)
}
