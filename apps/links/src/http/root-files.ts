import type { RootName } from '../links/slugs/reserved.ts'
import { notFoundPage } from '../redirect/pages.ts'

const FAVICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#2b5fd9"/><circle cx="12" cy="12" r="5" fill="none" stroke="#fff" stroke-width="3"/><path d="m16 16 9 9m-4-4 3-3" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"/></svg>`

const MANIFEST = JSON.stringify({
  name: 'Latchkey Links',
  short_name: 'Links',
  start_url: '/_/admin/dashboard',
  display: 'standalone',
  icons: [{ src: '/favicon.svg', sizes: 'any', type: 'image/svg+xml' }],
})

// Short URLs are for the people who receive them, not for search engines.
const ROBOTS = 'User-agent: *\nDisallow: /\n'

function file(body: string, type: string): () => Response {
  return () =>
    new Response(body, { headers: { 'Content-Type': type, 'Cache-Control': 'public, max-age=3600' } })
}

const icon = file(FAVICON, 'image/svg+xml')

/**
 * Routes of the root. Every name in it is reserved as a slug, including names that serve nothing
 * yet.
 */
export const rootFiles: Readonly<Record<RootName, () => Response>> = {
  'favicon.ico': icon,
  'favicon.svg': icon,
  'apple-touch-icon.png': notFoundPage,
  'icon-192.png': notFoundPage,
  'icon-512.png': notFoundPage,
  'manifest.webmanifest': file(MANIFEST, 'application/manifest+json'),
  'robots.txt': file(ROBOTS, 'text/plain; charset=utf-8'),
  'sw.js': notFoundPage,
}
