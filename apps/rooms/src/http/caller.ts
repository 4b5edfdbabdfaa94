import type { Actor } from '../api/caller.ts'
import { failure } from '../api/failures.ts'
import type { Services } from '../services.ts'
import { findActor } from '../sessions/actor.ts'
import { csrfTokenOf } from '../sessions/csrf.ts'
import { mayBeSucceeded } from '../sessions/store.ts'
import { TOKEN } from '@latchkey/tokens/token'
import { type Client, clientOf } from './client.ts'
import { type CookieNames, clearedCookies, cookieNames, csrfCookie, readCookie } from './cookies.ts'

const SESSION_COOKIE = /(?:^|;\s*)(?:__Host-)?latchkey_session=([^;]*)/

/** The origin, client and session of a request, which every route needs. */
export interface Caller {
  /** The allowed origin that the request was sent to. */
  origin: string
  names: CookieNames
  client: Client
  actor: Actor | null
  /** Cookies to set in the response. They delete the cookies of a dead session. */
  cookies: string[]
}

/**
 * Resolves the origin, client and session of a request. Throws 421, 400, and the errors of the
 * database.
 */
export async function readCaller(services: Services, request: Request, peer: string): Promise<Caller> {
  const match = services.hosts(request.headers.get('host'))
  if ('refused' in match) throw failure(match.refused)
  const names = cookieNames(match.origin)
  const client = clientOf(services, request, peer)
  const [token, ...more] = readCookie(request, names.session)
  if (more.length > 0)
    throw failure('invalid_request', { text: 'The request has more than one session cookie' })
  const actor = token === undefined ? null : await findActor(services, token)
  let cookies: string[] = []
  if (actor) cookies = cookiesOfLive(services, request, names, actor)
  else if (token !== undefined) cookies = await cookiesOfDead(services, names, token)
  return { origin: match.origin, names, client, actor, cookies }
}

/** Sets the CSRF cookie of a live session again if it is missing or wrong (R11.2). */
function cookiesOfLive(services: Services, request: Request, names: CookieNames, actor: Actor): string[] {
  if (request.method !== 'GET') return []
  const csrfToken = csrfTokenOf(actor.token)
  const [value, ...more] = readCookie(request, names.csrf)
  if (value === csrfToken && more.length === 0) return []
  return [csrfCookie(names, csrfToken, actor.session.absoluteExpiresAtMs, services.now())]
}

/** Deletes the cookies of a dead session. */
async function cookiesOfDead(services: Services, names: CookieNames, token: string): Promise<string[]> {
  return (await mayHaveSuccessor(services, token)) ? [] : clearedCookies(names)
}

/** Whether the browser may already have the cookies of the successor of a dead session. */
async function mayHaveSuccessor({ sessions, database, now }: Services, token: string): Promise<boolean> {
  const ended = TOKEN.test(token) ? await sessions.find(token) : undefined
  return ended !== undefined && (await mayBeSucceeded(database.read, ended, now()))
}

/**
 * Whether a page is requested with a session cookie that its first API call would be refused with,
 * or without one. Rejects with the errors of the database.
 */
export async function isVisitor(services: Services, { headers }: Request): Promise<boolean> {
  const token = SESSION_COOKIE.exec(headers.get('cookie') ?? '')?.[1]
  if (token === undefined) return true
  return (await findActor(services, token)) === null && !(await mayHaveSuccessor(services, token))
}
