import { CROSS_ORIGIN_HEADERS } from '@latchkey/http/cross-origin'

export type Header = readonly [name: string, value: string]

const HSTS: Header = ['Strict-Transport-Security', 'max-age=31536000']

/**
 * What every answer says (R11.5): our own scripts only, no frames, nothing for pages of other sites, nothing stored. Answers of
 * the API say it too, since what a browser makes of them is not in our hands.
 */
export function securityHeaders(origin: string): Header[] {
  const socket = origin.replace(/^http/, 'ws')
  const policy = [
    "default-src 'self'",
    "script-src 'self'",
    // The parts of the pages are placed by style attributes.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src 'self' ${socket}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]
  const headers: Header[] = [
    ['Content-Security-Policy', policy.join('; ')],
    ['Permissions-Policy', 'camera=(), microphone=(), geolocation=()'],
    ['X-Robots-Tag', 'noindex, nofollow, noarchive'],
    ['Cache-Control', 'no-store'],
    ['Referrer-Policy', 'no-referrer'],
    ['X-Content-Type-Options', 'nosniff'],
    ...CROSS_ORIGIN_HEADERS,
  ]
  return origin.startsWith('https://') ? [...headers, HSTS] : headers
}
