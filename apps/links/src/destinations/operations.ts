import { z } from 'zod'
import { operation } from '../api/context.ts'
import { type StoredFavicon, findFavicons, findSite } from './store.ts'

const DAY = 86_400
/** Icons rarely change. A site without one, or without an answer, may soon have one. */
const REFRESH_AFTER = { icon: 30 * DAY, none: 7 * DAY }

const KEEP = `private, max-age=${DAY}`
const KEEP_NOTHING = 'private, no-store'

/** The number of links that a page can show. */
const MAX_HOSTS = 100
/** The length of the longest domain name with a port. */
const MAX_HOST_LENGTH = 260

const Hosts = z
  .string()
  .max(MAX_HOSTS * (MAX_HOST_LENGTH + 1))
  .refine((value) => hostsOf(value).length <= MAX_HOSTS, `must have at most ${MAX_HOSTS} hosts`)
  .meta({ description: `Hosts of destinations with their ports, separated by commas; at most ${MAX_HOSTS}.` })

function hostsOf(value: string): string[] {
  return [...new Set(value.split(','))].filter((host) => host !== '')
}

/** The icons of destinations, on the admin side only (L39). */
export const faviconOperations = [
  operation({
    id: 'listFavicons',
    methods: ['GET'],
    path: '/favicons',
    scope: 'admin',
    tag: 'Links',
    summary: 'The icons of the sites that links lead to',
    query: z.object({ hosts: Hosts }),
    result: z.object({
      icons: z.record(z.string(), z.string()).meta({
        description: 'Data URL of each known icon by its host: PNG, ICO, JPEG, GIF or WebP, at most 16 KiB.',
      }),
    }),
    async handler({ database, now, headers, enqueueFaviconFetch }, { query }) {
      const hosts = hostsOf(query.hosts)
      if (!enqueueFaviconFetch || hosts.length === 0) return { icons: {} }
      const favicons = await findFavicons(database.read, hosts)
      const isDue = (host: string) => {
        const favicon = favicons.get(host)
        return !favicon || isStale(favicon, now)
      }
      for (const host of hosts.filter(isDue)) {
        const site = await findSite(database.read, host)
        if (site) enqueueFaviconFetch(site)
      }
      headers['Cache-Control'] = hosts.every((host) => favicons.has(host)) ? KEEP : KEEP_NOTHING
      const icons = [...favicons].flatMap(([host, { icon }]) => (icon ? [[host, toDataUrl(icon)]] : []))
      return { icons: Object.fromEntries(icons) as Record<string, string> }
    },
  }),
]

function isStale({ icon, fetchedAt }: StoredFavicon, now: number): boolean {
  return now - fetchedAt > (icon ? REFRESH_AFTER.icon : REFRESH_AFTER.none)
}

function toDataUrl({ type, bytes }: NonNullable<StoredFavicon['icon']>): string {
  return `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
}
