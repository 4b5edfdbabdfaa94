import { parseReturnPath } from '../login/return-path.ts'

/** Patterns of paths, as in http/pages.ts. */
export const ROOM = /^\/rooms\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/
export const INVITATION = /^\/invite\/([\w-]{1,64})$/

/** True if the page at this path requires a session. Invitations do not. */
export function needsSession(path: string): boolean {
  return path === '/' || path === '/account' || path === '/people' || path === '/admin' || ROOM.test(path)
}

/** Path to open after sign-in: a page of this client, never the sign-in page. */
export function returnPath(search: string): string {
  const path = parseReturnPath(new URLSearchParams(search).get('returnTo'), location.origin)
  return /^\/login(?:$|[/?#])/.test(path) ? '/' : path
}

/**
 * Removes the meaningless `state` with which the provider redirects to the start page after
 * sign-out (R12.2).
 */
export function withoutLogoutState(address: string): string {
  return address.startsWith('/?state=') ? '/' : address
}

/** Path of the sign-in page. Sign-in leads back to `to`. */
export function loginPath(to: string, more: Record<string, string> = {}): string {
  const query = new URLSearchParams({ ...more, ...(to !== '/' && { returnTo: to }) })
  return query.size === 0 ? '/login' : `/login?${query}`
}

/**
 * Path that starts the provider's login. It is not a page of the client: the browser must load it.
 */
export function providerLogin(to: string, prompt?: 'login' | 'select_account'): string {
  const query = new URLSearchParams({ returnTo: to, ...(prompt && { prompt }) })
  return `/api/auth/login?${query}`
}
