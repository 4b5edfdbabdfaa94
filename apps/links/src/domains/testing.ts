import type { Site } from './sites.ts'

/** The default domain without any settings. */
export const DEFAULT_SITE: Site = {
  domain: null,
  status: 302,
  aliasOf: undefined,
  rootUrl: null,
  notFoundUrl: null,
  robots: 'previews',
}
