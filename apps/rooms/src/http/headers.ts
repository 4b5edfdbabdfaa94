import { ANSWER_HEADERS, type Header, strictTransport } from '@latchkey/http/answer-headers'
import type { VoiceSettings } from '../settings/voice.ts'

const WITHOUT_CALLS = 'camera=(), microphone=(), display-capture=(), geolocation=()'
const WITH_CALLS = 'camera=(self), microphone=(self), display-capture=(self), geolocation=()'

/**
 * Headers of every response (R11.5): only scripts of this origin, no frames, no access for pages of
 * other sites, no storage. API responses have them as well, since a browser may be made to display
 * one.
 */
export function securityHeaders(origin: string, { mode, livekit }: VoiceSettings): Header[] {
  const own = origin.replace(/^http/, 'ws')
  // Browsers also ask LiveKit over HTTP why a socket was refused.
  const direct = livekit?.publicUrl ? [new URL(livekit.publicUrl).origin] : []
  const sockets = [own, ...direct.flatMap((url) => [url, url.replace(/^http/, 'ws')])]
  const policy = [
    "default-src 'self'",
    "script-src 'self'",
    // The components of the pages use style attributes for their layout.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src 'self' ${sockets.join(' ')}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]
  const headers: Header[] = [
    ['Content-Security-Policy', policy.join('; ')],
    ['Permissions-Policy', mode === 'off' ? WITHOUT_CALLS : WITH_CALLS],
    ['X-Robots-Tag', 'noindex, nofollow, noarchive'],
    ['Cache-Control', 'no-store'],
    ['Referrer-Policy', 'no-referrer'],
    ...ANSWER_HEADERS,
  ]
  const hsts = strictTransport(origin)
  return hsts === undefined ? headers : [...headers, hsts]
}
