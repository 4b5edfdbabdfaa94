import { brandFiles } from '@latchkey/web/brand'
import { clientFiles, siblingData } from '@latchkey/web/serve'
import { readPreference } from '@latchkey/web/stored-preferences'
import { join } from 'node:path'

/** The strictest policy under which clients work. */
export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'"

const BRANDS = {
  links: brandFiles({ product: 'links', name: 'Latchkey Links', shortName: 'Links', startUrl: '/' }),
  rooms: brandFiles({ product: 'rooms', name: 'Latchkey Rooms', shortName: 'Rooms', startUrl: '/' }),
}

/** Serves the gallery on loopback. Port 0 is any free one. `caches` holds the bundles. */
export function serveGallery(port: number, caches?: string) {
  const files = clientFiles({
    name: 'gallery',
    build: join(import.meta.dirname, 'build.ts'),
    sources: import.meta.dirname,
    assets: '/assets/',
    ...(caches !== undefined && { caches }),
  })
  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    const brand = brandFile(pathname)
    if (brand) return brand
    if (pathname.startsWith('/assets/'))
      return (await files.asset(request, pathname)) ?? new Response(null, { status: 404 })
    const cookies = request.headers.get('cookie') ?? ''
    const html = await files.page({
      lang: readPreference('lang', cookies),
      acceptLanguage: request.headers.get('accept-language'),
      scheme: readPreference('scheme', cookies),
      data: siblingData('Latchkey Rooms', '/'),
    })
    return new Response(html, {
      headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY },
    })
  }
  return { built: files.built, server: Bun.serve({ port, hostname: '127.0.0.1', fetch: answer }) }
}

/** `/favicon.svg` and the like are those of Links; `/rooms/favicon.svg` is that of Rooms. */
function brandFile(path: string): Response | undefined {
  const [, product = 'links', name = ''] = /^\/(?:(links|rooms)\/)?([^/]+)$/.exec(path) ?? []
  const files: Readonly<Record<string, () => Response>> = BRANDS[product as keyof typeof BRANDS]
  return Object.hasOwn(files, name) ? files[name]?.() : undefined
}

const PORT = 8090

if (import.meta.main) {
  const { built, server } = serveGallery(PORT)
  await built()
  console.log(`Gallery: ${server.url.href}`)
}
