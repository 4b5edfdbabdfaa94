import { brandFiles } from '@latchkey/web/brand'
import type { Site } from '../domains/sites.ts'
import type { RootName } from '../links/slugs/reserved.ts'
import { notFoundPage } from '../redirect/pages.ts'

// Short URLs are for the people who receive them, not for search engines.
export const ROBOTS = { disallow: 'User-agent: *\nDisallow: /\n', allow: 'User-agent: *\nAllow: /\n' }

const serveRobots = (_: Request, { robots }: Site) =>
  new Response(ROBOTS[robots], {
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'public, max-age=3600' },
  })

/**
 * Routes of the root. Every name in it is reserved as a slug, including names that serve nothing
 * yet.
 */
export const rootFiles: Readonly<Record<RootName, (request: Request, site: Site) => Response>> = {
  ...brandFiles({
    product: 'links',
    name: 'Latchkey Links',
    shortName: 'Links',
    startUrl: '/_/admin/dashboard',
  }),
  'robots.txt': serveRobots,
  'sw.js': (request) => notFoundPage(request),
}
