import { z } from 'zod'
import { operation } from '../context.ts'
import { requireLink } from '../links/operations.ts'
import { IdParams } from '../links/schema.ts'
import type { Icon } from './fetch-favicon.ts'
import { type StoredFavicon, findFavicon } from './store.ts'

const DAY = 86_400
/** Icons rarely change. A site without one, or without an answer, may soon have one. */
const REFRESH_AFTER = { icon: 30 * DAY, none: 7 * DAY }

const KEEP_ICON = 'private, max-age=604800, immutable'
const KEEP_ABSENCE = 'private, max-age=86400'
const KEEP_NOTHING = 'private, no-store'

interface Answered {
  icon: Icon | null
  cacheControl: string
}

/** The icon of a link's site, on the admin side only (L39). */
export const faviconOperations = [
  operation({
    id: 'getLinkFavicon',
    methods: ['GET'],
    path: '/links/{id}/favicon',
    scope: 'admin',
    tag: 'Links',
    summary: "The icon of the destination's site, or 204 if none is known",
    params: IdParams,
    result: z.unknown(),
    media: { 'image/*': 'PNG, ICO, JPEG, GIF or WebP, at most 16 KiB' },
    otherStatus: { status: 204, description: 'No icon is known (yet)' },
    failures: ['link_not_found'],
    async handler(context, { params }): Promise<Answered> {
      const { database, now, enqueueFaviconFetch } = context
      const link = await requireLink(context, params.id)
      const site = URL.parse(link.url)
      if (!site || !enqueueFaviconFetch) return { icon: null, cacheControl: KEEP_ABSENCE }
      const favicon = await findFavicon(database.read, site.host)
      if (!favicon || isStale(favicon, now)) enqueueFaviconFetch(site)
      if (!favicon) return { icon: null, cacheControl: KEEP_NOTHING }
      return { icon: favicon.icon, cacheControl: favicon.icon ? KEEP_ICON : KEEP_ABSENCE }
    },
    answer: ({ icon, cacheControl }) => ({
      status: icon ? 200 : 204,
      body: icon?.bytes ?? '',
      headers: {
        'Cache-Control': cacheControl,
        // For an icon that is opened as a page of its own.
        'Content-Security-Policy': `default-src 'none'; sandbox; frame-ancestors 'none'`,
        ...(icon && { 'Content-Type': icon.type }),
      },
    }),
  }),
]

function isStale({ icon, fetchedAt }: StoredFavicon, now: number): boolean {
  return now - fetchedAt > (icon ? REFRESH_AFTER.icon : REFRESH_AFTER.none)
}
