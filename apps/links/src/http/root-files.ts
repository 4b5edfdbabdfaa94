import { brandFiles } from '@latchkey/web/brand'
import type { Robots } from '../settings/robots.ts'
import type { Site } from '../domains/sites.ts'
import type { RootName } from '../urls/reserved.ts'
import { notFoundPage } from '../redirect/pages.ts'
import { PREVIEW_ROBOTS } from './preview-robots.ts'

/** The longest rule that matches a path decides, so that system paths stay closed (RFC 9309). */
const SHORT_URLS_ONLY = 'Disallow: /_\nAllow: /\n'
const previewGroup = PREVIEW_ROBOTS.map((robot) => `User-agent: ${robot}\n`).join('')
const NO_ONE_ELSE = 'User-agent: *\nDisallow: /\n'

export const ROBOTS_FILES: Readonly<Record<Robots, string>> = {
  disallow: NO_ONE_ELSE,
  previews: `${previewGroup}${SHORT_URLS_ONLY}\n${NO_ONE_ELSE}`,
  allow: `User-agent: *\n${SHORT_URLS_ONLY}`,
}

const serveRobots = (_: Request, { robots }: Site) =>
  new Response(ROBOTS_FILES[robots], {
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
    shareUrl: '/_/admin/links',
  }),
  'robots.txt': serveRobots,
  'sw.js': (request) => notFoundPage(request),
}
