import { resolve } from 'node:path'
import { embeddedAsset } from '@latchkey/http/embedded-asset'
import { brandFiles } from '@latchkey/web/brand'
import { clientFiles, siblingData } from '@latchkey/web/serve'
import { readPreference } from '@latchkey/web/stored-preferences'
import { failure } from '../failures.ts'
import { productNameOf } from '../platform/operations.ts'
import type { Services } from '../services.ts'
import { isVisitor } from './caller.ts'

/** The same path as in web/build.ts. */
const ASSETS_PATH = '/assets/'

const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
/**
 * All paths with a page, as in web/pages.tsx. Other paths get a page that reports a missing page.
 */
const PAGES = new RegExp(`^/(?:login|account|admin|rooms/${ID}|invite/[\\w-]{1,64})?$`)
/** Page modules that are not named after the first segment of their path. */
const MODULES: Readonly<Record<string, string>> = { '': 'lobby', rooms: 'room', invite: 'invitation' }

const SOURCES = resolve(import.meta.dirname, '..')

const files = clientFiles({
  name: 'latchkey-rooms',
  bundled: embeddedAsset('latchkey-rooms'),
  build: resolve(SOURCES, 'web/build.ts'),
  sources: SOURCES,
  assets: ASSETS_PATH,
})

/** Bundles the web client before the first request. Rejects with the error of the bundler. */
export const builtPages = files.built

const FILES: ReadonlyMap<string, () => Response> = new Map([
  ...Object.entries(
    brandFiles({ product: 'rooms', name: 'Latchkey Rooms', shortName: 'Rooms', startUrl: '/' }),
  ).map(([name, serve]) => [`/${name}`, serve] as const),
  ['/robots.txt', () => file('User-agent: *\nDisallow: /\n', 'text/plain; charset=utf-8')],
])

/** The web client: the same document for every page. Its script renders the page of the path. */
export function createPages(services: Services): (request: Request, path: string) => Promise<Response> {
  return async (request, path) => {
    const { method } = request
    if (method !== 'GET' && method !== 'HEAD')
      throw failure('method_not_allowed', { headers: { Allow: 'GET, HEAD' } })
    if (path.startsWith(ASSETS_PATH)) return asset(request, path)
    return FILES.get(path)?.() ?? page(services, request, path)
  }
}

/** The route of a path in metrics. The set of routes is closed, whatever clients request. */
export function pageRoute(path: string): string {
  if (path.startsWith(ASSETS_PATH)) return `${ASSETS_PATH}{file}`
  if (FILES.has(path)) return path
  if (!PAGES.test(path)) return 'unmatched'
  return path.replace(/(?<=^\/rooms\/).+/, '{id}').replace(/(?<=^\/invite\/).+/, '{token}')
}

async function page(services: Services, request: Request, path: string): Promise<Response> {
  const { headers } = request
  const [first] = path.slice(1).split('/', 1)
  const isPage = PAGES.test(path)
  const cookies = headers.get('cookie') ?? ''
  const data = await initialData(services, request)
  const html = await files.page({
    lang: readPreference('lang', cookies),
    acceptLanguage: headers.get('accept-language'),
    scheme: readPreference('scheme', cookies),
    data,
    name: data['product'],
    page: isPage && first !== undefined ? `pages/${MODULES[first] ?? first}/page.tsx` : undefined,
  })
  const status = isPage ? 200 : 404
  return new Response(html, { status, headers: { 'Content-Type': 'text/html; charset=utf-8' } })
}

/** Data that the client needs before its first API call. */
async function initialData(services: Services, request: Request): Promise<Record<string, string>> {
  const { database, policy, log, settings } = services
  const base: Record<string, string> = policy.demo ? { demo: 'true' } : {}
  try {
    const product = await productNameOf(database.read)
    // Strangers are not shown where else the operator's people sign in.
    const person = (await isVisitor(services, request))
      ? { visitor: 'true' }
      : siblingData('Latchkey Links', settings.linksUrl && `${settings.linksUrl}/_/admin`)
    return { ...base, product, ...person }
  } catch (error) {
    // The page itself can report that the service is unavailable.
    log.error('pages: cannot read the database', { error })
    return base
  }
}

async function asset(request: Request, path: string): Promise<Response> {
  const response = await files.asset(request, path)
  if (!response) throw failure('not_found')
  return response
}

function file(body: string, type: string): Response {
  return new Response(body, { headers: { 'Content-Type': type, 'Cache-Control': 'public, max-age=3600' } })
}
