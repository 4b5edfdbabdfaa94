/** What every page says (R11.5): our own scripts only, no frames, nothing told to other sites. */
export function pageHeaders(origin: string): Record<string, string> {
  const socket = origin.replace(/^http/, 'ws')
  return {
    'Content-Security-Policy': `default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self' ${socket}; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
    'X-Robots-Tag': 'noindex, nofollow, noarchive',
    ...commonHeaders(origin),
  }
}

/** What every answer says. */
export function commonHeaders(origin: string): Record<string, string> {
  return {
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    ...(origin.startsWith('https://') && { 'Strict-Transport-Security': 'max-age=31536000' }),
  }
}
