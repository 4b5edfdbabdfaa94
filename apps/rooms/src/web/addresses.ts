import { parseReturnPath } from '../login/return-path.ts'

/** As in http/pages.ts. */
export const ROOM = /^\/rooms\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/
export const INVITATION = /^\/invite\/([\w-]{1,64})$/

/** Whether the page at this path is only for people who are signed in; an invitation is shown to everybody. */
export function needsSession(path: string): boolean {
  return path === '/' || path === '/account' || path === '/admin' || ROOM.test(path)
}

/** Where the person wanted to go before signing in: a page of ours, and never the login itself. */
export function returnPath(search: string): string {
  const path = parseReturnPath(new URLSearchParams(search).get('returnTo'), location.origin)
  return /^\/login(?:$|[/?#])/.test(path) ? '/' : path
}

/** The provider sends people who have signed out to the start page with a `state`, which means nothing (R12.2). */
export function withoutLogoutState(address: string): string {
  return address.startsWith('/?state=') ? '/' : address
}

/** The login page that leads back to `to`. */
export function loginPath(to: string, more: Record<string, string> = {}): string {
  const query = new URLSearchParams({ ...more, ...(to !== '/' && { returnTo: to }) })
  return query.size === 0 ? '/login' : `/login?${query}`
}

/** Where the provider's login starts, which is no page: the browser has to go there itself. */
export function providerLogin(to: string, prompt?: 'login' | 'select_account'): string {
  const query = new URLSearchParams({ returnTo: to, ...(prompt && { prompt }) })
  return `/api/auth/login?${query}`
}
