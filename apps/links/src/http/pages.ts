import { resolve } from 'node:path'
import { embeddedAsset } from '@latchkey/http/embedded-asset'
import { clientFiles } from '@latchkey/web/serve'
import type { Services } from './services.ts'
import { findPreferences } from '../preferences/store.ts'
import { notFoundPage } from '../redirect/pages.ts'

/** As in web/build.ts. */
export const ASSETS_PATH = '/_/admin/assets/'

/** As in web/pages.tsx. */
const PAGE_PATHS = /^\/_\/admin\/(dashboard|(links|bundles)(\/\d{1,15})?|keys|import-export|settings)$/

/** The module of a page of `PAGES`: that of one link, of one bundle, or the one named as the address. */
function moduleOf(path: string): string | undefined {
  const [, name, list, id] = PAGE_PATHS.exec(path) ?? []
  return name && `pages/${list && id ? list.slice(0, -1) : name}/page.tsx`
}

const SOURCES = resolve(import.meta.dirname, '..')

const files = clientFiles({
  name: 'latchkey-links',
  bundled: embeddedAsset('latchkey-links'),
  build: resolve(SOURCES, 'web/build.ts'),
  sources: SOURCES,
  assets: ASSETS_PATH,
})

/** The folder of the bundled pages. Throws what the bundler says. */
export const builtPages = files.built

/** The admin pages' files, with what each person's page begins with. */
export function createPages({ database, settings }: Pick<Services, 'database' | 'settings'>) {
  return {
    /** The page for everything; it says itself that there is none at `path`. `origin` is that of the short links. */
    async index(path: string, identity: string, origin: string): Promise<Response> {
      const { theme, lang } = await findPreferences(database.read, identity)
      const signOut = String(settings.accessLogoutUrl !== null)
      const data = { identity, origin, 'sign-out': signOut, mcp: mcpMethods(settings) }
      const html = await files.page({ lang, scheme: theme, data, page: moduleOf(path) })
      const status = PAGE_PATHS.test(path) ? 200 : 404
      return new Response(html, { status, headers: { 'Content-Type': 'text/html; charset=utf-8' } })
    },
    asset: async (request: Request, path: string): Promise<Response> =>
      (await files.asset(request, path)) ?? notFoundPage(),
  }
}

/** How the MCP endpoint admits assistants (L19.2), for the settings page. */
function mcpMethods(settings: Services['settings']): string {
  const methods = {
    oauth: settings.mcpOauthIssuer !== null,
    access: settings.mcpAccessAudience !== null,
    keys: settings.mcpApiKeys,
    local: settings.access === 'loopback',
  }
  return Object.entries(methods)
    .flatMap(([method, isOpen]) => (isOpen ? method : []))
    .join(' ')
}
