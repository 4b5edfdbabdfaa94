import { resolve } from 'node:path'
import { embeddedAsset } from '@latchkey/http/embedded-asset'
import { clientFiles, siblingData } from '@latchkey/web/serve'
import type { Services } from './services.ts'
import { findPreferences } from '../preferences/store.ts'
import { notFoundPage } from '../redirect/pages.ts'

/** Must match web/build.ts. */
export const ASSETS_PATH = '/_/admin/assets/'

/** Must match web/pages.tsx. */
const PAGE_PATHS = /^\/_\/admin\/(dashboard|(links|bundles)(\/\d{1,15})?|keys|import-export|settings)$/

/**
 * Returns the module of a page that matches `PAGE_PATHS`: that of a single link or bundle, or the
 * one named in the path.
 */
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

/** Returns the folder of the bundled pages. Throws the errors of the bundler. */
export const builtPages = files.built

/** Creates the handlers of the admin pages. Each page starts with the data of its person. */
export function createPages({ database, settings }: Pick<Services, 'database' | 'settings'>) {
  return {
    /**
     * Returns the page for every path; its script shows "not found" for an unknown one. `origin` is
     * that of the short URLs.
     */
    async index({ headers }: Request, path: string, identity: string, origin: string): Promise<Response> {
      const { theme, lang, time_zone: timeZone } = await findPreferences(database.read, identity)
      const signOut = String(settings.accessLogoutUrl !== null)
      const data = {
        identity,
        origin,
        'sign-out': signOut,
        mcp: mcpMethods(settings),
        ...siblingData('Latchkey Rooms', settings.roomsUrl),
        ...(timeZone !== null && { 'time-zone': timeZone }),
      }
      const html = await files.page({
        lang,
        acceptLanguage: headers.get('accept-language'),
        scheme: theme,
        data,
        page: moduleOf(path),
      })
      const status = PAGE_PATHS.test(path) ? 200 : 404
      return new Response(html, { status, headers: { 'Content-Type': 'text/html; charset=utf-8' } })
    },
    asset: async (request: Request, path: string): Promise<Response> =>
      (await files.asset(request, path)) ?? notFoundPage(request),
  }
}

/** Authentication methods of the MCP endpoint (L19.2), for the settings page. */
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
