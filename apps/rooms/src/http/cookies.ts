import { csrfTokenOf } from '../sessions/csrf.ts'
import type { StartedSession } from '../sessions/store.ts'

/**
 * Names of the cookies of an origin (R10.2). Over plain HTTP, which is allowed on loopback only, a
 * name must not promise `Secure`.
 */
export interface CookieNames {
  readonly session: string
  readonly csrf: string
  readonly login: string
  /** At origins of the access layer: who is admitted, and the secret of an entry. */
  readonly access: string
  readonly accessEntry: string
  readonly isSecure: boolean
}

const SECURE: CookieNames = {
  session: '__Host-latchkey_session',
  csrf: '__Host-latchkey_csrf',
  login: '__Host-latchkey_login',
  access: '__Host-latchkey_access',
  accessEntry: '__Host-latchkey_access_entry',
  isSecure: true,
}

const PLAIN: CookieNames = {
  session: 'latchkey_session',
  csrf: 'latchkey_csrf',
  login: 'latchkey_login',
  access: 'latchkey_access',
  accessEntry: 'latchkey_access_entry',
  isSecure: false,
}

export function cookieNames(origin: string): CookieNames {
  return origin.startsWith('https://') ? SECURE : PLAIN
}

/** All values of a cookie. More than one indicates an attack. */
export function readCookie(request: Request, name: string): string[] {
  const header = request.headers.get('cookie') ?? ''
  const sought = `${name}=`
  const values: string[] = []
  // Searches instead of splitting: every request calls this several times.
  for (let at = header.indexOf(sought); at >= 0; at = header.indexOf(sought, at + sought.length)) {
    if (!beginsPair(header, at)) continue
    const end = header.indexOf(';', at)
    values.push(header.slice(at + sought.length, end < 0 ? undefined : end).trim())
  }
  return values
}

/** Whether only blanks precede the position since the last `;`. */
function beginsPair(header: string, at: number): boolean {
  let before = at - 1
  while (before >= 0 && (header[before] === ' ' || header[before] === '\t')) before--
  return before < 0 || header[before] === ';'
}

export function writeCookie(
  names: CookieNames,
  name: string,
  value: string,
  { maxAgeSeconds, isReadable = false }: { maxAgeSeconds: number; isReadable?: boolean },
): string {
  const attributes = [
    `${name}=${value}`,
    'Path=/',
    `Max-Age=${maxAgeSeconds}`,
    'SameSite=Lax',
    ...(names.isSecure ? ['Secure'] : []),
    ...(isReadable ? [] : ['HttpOnly']),
  ]
  return attributes.join('; ')
}

/** The session cookie, and the readable CSRF cookie that the client repeats in a header. */
export function sessionCookies(names: CookieNames, session: StartedSession, nowMs: number): string[] {
  const { token, absoluteExpiresAtMs } = session
  return [
    writeCookie(names, names.session, token, { maxAgeSeconds: secondsUntil(absoluteExpiresAtMs, nowMs) }),
    csrfCookie(names, csrfTokenOf(token), absoluteExpiresAtMs, nowMs),
  ]
}

export function csrfCookie(
  names: CookieNames,
  csrfToken: string,
  absoluteExpiresAtMs: number,
  nowMs: number,
): string {
  const maxAgeSeconds = secondsUntil(absoluteExpiresAtMs, nowMs)
  return writeCookie(names, names.csrf, csrfToken, { maxAgeSeconds, isReadable: true })
}

export function secondsUntil(endMs: number, nowMs: number): number {
  return Math.floor((endMs - nowMs) / 1000)
}

/** Repeats every attribute, without which browsers keep the cookie. */
export function clearedCookies(names: CookieNames): string[] {
  return [
    writeCookie(names, names.session, '', { maxAgeSeconds: 0 }),
    writeCookie(names, names.csrf, '', { maxAgeSeconds: 0, isReadable: true }),
  ]
}
