import links180 from './brand/links-180.png' with { type: 'file' }
import links192 from './brand/links-192.png' with { type: 'file' }
import links512 from './brand/links-512.png' with { type: 'file' }
import linksMark from './brand/links.svg' with { type: 'text' }
import rooms180 from './brand/rooms-180.png' with { type: 'file' }
import rooms192 from './brand/rooms-192.png' with { type: 'file' }
import rooms512 from './brand/rooms-512.png' with { type: 'file' }
import roomsMark from './brand/rooms.svg' with { type: 'text' }

const MARKS = {
  links: { svg: linksMark, touch: links180, small: links192, large: links512 },
  rooms: { svg: roomsMark, touch: rooms180, small: rooms192, large: rooms512 },
}

/** The product whose mark is served, and what a browser needs to install its client. */
export interface BrandedApp {
  product: keyof typeof MARKS
  name: string
  /** Name below an icon, at most 12 characters. */
  shortName: string
  startUrl: string
  /** The page that takes what other apps share, as `share_title`, `share_text` and `share_url`. */
  shareUrl?: string
}

/**
 * The mark of a product as an SVG element of an HTML page, for a place where its name stands beside it.
 *
 * @example brandMark('links') // '<svg …>…</svg>'
 */
export function brandMark(product: keyof typeof MARKS): string {
  return MARKS[product].svg.replace(' xmlns="http://www.w3.org/2000/svg"', ' aria-hidden="true"')
}

const DAY_S = 86_400

/**
 * Responses for the icons and the manifest of a client, by their file names in the root of the
 * server. Each may be cached for a day.
 */
export function brandFiles({ product, name, shortName, startUrl, shareUrl }: BrandedApp) {
  const { svg, touch, small, large } = MARKS[product]
  const manifest = JSON.stringify({
    name,
    short_name: shortName,
    start_url: startUrl,
    display: 'standalone',
    background_color: '#f7f8fa',
    theme_color: '#1d3e9e',
    ...(shareUrl !== undefined && {
      share_target: {
        action: shareUrl,
        method: 'GET',
        params: { title: 'share_title', text: 'share_text', url: 'share_url' },
      },
    }),
    icons: [
      { src: '/favicon.svg', sizes: 'any', type: 'image/svg+xml' },
      { src: '/icon-192.png', sizes: '192x192', type: 'image/png', purpose: 'any maskable' },
      { src: '/icon-512.png', sizes: '512x512', type: 'image/png', purpose: 'any maskable' },
    ],
  })
  const icon = file(svg, 'image/svg+xml')
  return {
    'favicon.ico': icon,
    'favicon.svg': icon,
    'apple-touch-icon.png': file(Bun.file(touch), 'image/png'),
    'icon-192.png': file(Bun.file(small), 'image/png'),
    'icon-512.png': file(Bun.file(large), 'image/png'),
    'manifest.webmanifest': file(manifest, 'application/manifest+json'),
  }
}

function file(body: string | Blob, type: string): () => Response {
  return () =>
    new Response(body, { headers: { 'Content-Type': type, 'Cache-Control': `public, max-age=${DAY_S}` } })
}
