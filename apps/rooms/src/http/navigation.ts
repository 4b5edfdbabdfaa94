import { failure } from '../api/failures.ts'

/** Starts a login at the provider. */
export const LOGIN_PATH = '/api/auth/login'

/**
 * A login starts in a top-level window, never in an image, frame or script of another page (R5.3).
 */
export function refuseEmbedding({ headers }: Request): void {
  const mode = headers.get('sec-fetch-mode')
  if (mode === null) return
  if (mode !== 'navigate' || headers.get('sec-fetch-dest') !== 'document') throw failure('cross_site_request')
}

export function redirect(to: string, cookies: readonly string[] = []): Response {
  const response = new Response(null, { status: 302, headers: { Location: to } })
  for (const line of cookies) response.headers.append('Set-Cookie', line)
  return response
}

/** The page on which users start again. It leads back to the page that they wanted to see. */
export function loginPage(canonicalOrigin: string, returnPath: string, error?: string): string {
  const query = new URLSearchParams()
  if (error !== undefined) query.set('error', error)
  if (returnPath !== '/') query.set('returnTo', returnPath)
  return `${canonicalOrigin}/login${query.size > 0 ? `?${query}` : ''}`
}
