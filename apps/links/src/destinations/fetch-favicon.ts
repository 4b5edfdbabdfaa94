// Fetches the icon of a site, without ever reaching a private address (L39).
import { HTML_TYPES, type PublicFetch, type PublicFetchOptions, createPublicFetch } from './public-fetch.ts'
import { findIconUrls } from './icon-links.ts'
import { imageTypeOf } from './image-type.ts'

export interface Icon {
  type: string
  bytes: Uint8Array
}

/** Returns null for a site without a suitable icon, and as soon as `abort` is aborted. */
export type FaviconFetcher = (origin: string, abort?: AbortSignal) => Promise<Icon | null>

/** The database refuses larger icons. */
export const MAX_ICON_BYTES = 16 * 1024
const MAX_PAGE_BYTES = 64 * 1024
/** Icons of the page that are tried before `/favicon.ico`. */
const MAX_ATTEMPTS = 3
/** Timeout of the page and all attempts together. */
const TIMEOUT_MS = 10_000

const PAGE_REQUEST = { accept: 'text/html', maxBytes: MAX_PAGE_BYTES, types: HTML_TYPES }
const ICON_REQUEST = { accept: 'image/*', maxBytes: MAX_ICON_BYTES + 1 }

/** The fetcher returns null for every failure, and never throws. */
export function createFaviconFetcher(userAgent: string, options?: PublicFetchOptions): FaviconFetcher {
  const fetchPublic = createPublicFetch(userAgent, { timeoutMs: TIMEOUT_MS, ...options })
  return (origin, abort) => fetchPublic((fetchFile) => findIcon(new URL(origin), fetchFile), abort)
}

async function findIcon(site: URL, fetchFile: PublicFetch): Promise<Icon | null> {
  const page = await fetchFile(site, PAGE_REQUEST)
  const linked = page ? await findIconUrls(page.bytes.toString('latin1'), page.url) : []
  for (const url of [...linked.slice(0, MAX_ATTEMPTS), new URL('/favicon.ico', site)]) {
    const icon = await fetchIcon(url, fetchFile).catch(() => null)
    if (icon) return icon
  }
  return null
}

async function fetchIcon(url: URL, fetchFile: PublicFetch): Promise<Icon | null> {
  const file = await fetchFile(url, ICON_REQUEST)
  const type = file && file.bytes.length <= MAX_ICON_BYTES ? imageTypeOf(file.bytes) : undefined
  return file && type !== undefined ? { type, bytes: file.bytes } : null
}
