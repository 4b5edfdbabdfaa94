import { resolve } from 'node:path'
import { embeddedAsset } from '@latchkey/http/embedded-asset'
import { isCrossOriginSubrequest } from '@latchkey/http/cross-origin'
import { collectAnswers } from '@latchkey/web/collect-answers'
import { clientFiles, siblingData } from '@latchkey/web/serve'
import { TimeZone } from '../time/schema.ts'
import type { Services } from './services.ts'
import { findPreferences } from '../preferences/store.ts'
import { notFoundPage } from '../redirect/pages.ts'

/** Must match web/build.ts. */
export const ASSETS_PATH = '/_/admin/assets/'

/** The API that the pages call. */
export const ADMIN_API_PATH = '/_/admin/api'

/** Must match web/pages.tsx. */
const PAGE_PATHS =
  /^\/_\/admin\/(dashboard|(links|bundles|plans)(\/\d{1,15})?|keys|webhooks|history|import-export|settings)$/

/** Name and id of the page at a path: `link` with an id for a single link, else as in the path. */
function pageOf(path: string): { name: string | undefined; id: string } {
  const [, name, list = '', id] = PAGE_PATHS.exec(path) ?? []
  return id === undefined ? { name, id: '' } : { name: list.slice(0, -1), id: id.slice(1) }
}

/** The cookie in which web/ keeps the browser's time zone. */
const TIME_ZONE_COOKIE = 'time_zone'

/** The time zone in the cookie, which is known from the second visit on. */
function browserTimeZone(request: Request): string | null {
  const zone = new Bun.CookieMap(request.headers.get('cookie') ?? '').get(TIME_ZONE_COOKIE)
  return TimeZone.safeParse(zone).data ?? null
}

/** The first call for statistics, if the time zone is known. */
function analytics(timeZone: string | null, subject: Readonly<Record<string, string>> = {}): string[] {
  if (timeZone === null) return []
  return [`/analytics?${new URLSearchParams({ tz: timeZone, compare: 'previous', ...subject }).toString()}`]
}

/** The first calls of a page without a query, as web/ makes them. The page comes with their answers. */
const FIRST_CALLS: Readonly<Record<string, (id: string, timeZone: string | null) => readonly string[]>> = {
  dashboard: (_, timeZone) => ['/links?limit=4', '/clicks/recent', '/webhooks', ...analytics(timeZone)],
  links: () => ['/settings', '/links?status=all&sort=created&page=1&per_page=25'],
  link: (id, timeZone) => [
    `/links/${id}`,
    `/links/${id}/bundles`,
    `/links/${id}/behaviour`,
    ...analytics(timeZone, { link: id }),
  ],
  bundles: () => ['/settings', '/bundles?sort=created&limit=48'],
  bundle: (id, timeZone) => [`/bundles/${id}/analytics`, ...analytics(timeZone, { bundle: id })],
  keys: () => ['/keys', '/policies'],
  webhooks: () => ['/webhooks'],
  plans: () => ['/plans?limit=25'],
  plan: (id) => [`/plans/${id}`],
  history: () => ['/changes?limit=25'],
  settings: () => ['/settings', '/defaults', '/utm-templates'],
}

/** The first call of the navigation, for the number of plans that the person may apply. */
const openPlansOf = (identity: string) =>
  `/plans?${new URLSearchParams({ state: 'open', identity, limit: '1' }).toString()}`

function firstCallsOf(
  request: Request,
  { name = '', id }: ReturnType<typeof pageOf>,
  { identity, timeZone }: { identity: string; timeZone: string | null },
): string[] {
  if (isCrossOriginSubrequest(request)) return []
  const ofPage = request.url.includes('?') ? [] : (FIRST_CALLS[name]?.(id, timeZone) ?? [])
  return [openPlansOf(identity), ...ofPage].map((call) => ADMIN_API_PATH + call)
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

/** Who opens a page, and how the page asks the API as this person. */
interface Visit {
  identity: string
  /** The origin of the short URLs. */
  origin: string
  ask: (request: Request) => Response | Promise<Response>
}

/** Creates the handlers of the admin pages. Each page starts with the data of its person. */
export function createPages({ database, settings }: Pick<Services, 'database' | 'settings'>) {
  return {
    /** Returns the page for every path; its script shows "not found" for an unknown one. */
    async index(request: Request, path: string, { identity, origin, ask }: Visit): Promise<Response> {
      const page = pageOf(path)
      const { theme, lang, time_zone: timeZone } = await findPreferences(database.read, identity)
      const calls = firstCallsOf(request, page, {
        identity,
        timeZone: timeZone ?? browserTimeZone(request),
      })
      const { answers } = await collectAnswers(request, calls, ask)
      const signOut = String(settings.accessLogoutUrl !== null)
      const data = {
        identity,
        origin,
        'sign-out': signOut,
        mcp: mcpMethods(settings),
        ...(settings.domains.length > 0 && { domains: settings.domains.join(' ') }),
        ...siblingData('Latchkey Rooms', settings.roomsUrl),
        ...(timeZone !== null && { 'time-zone': timeZone }),
      }
      const html = await files.page({
        lang,
        acceptLanguage: request.headers.get('accept-language'),
        scheme: theme,
        data,
        page: page.name && `pages/${page.name}/page.tsx`,
        answers,
      })
      const status = page.name === undefined ? 404 : 200
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
