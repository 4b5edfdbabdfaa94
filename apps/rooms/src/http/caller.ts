import type { Actor } from '../context.ts'
import { failure } from '../failures.ts'
import { csrfTokenOf } from '../sessions/csrf.ts'
import { isDueToSlide, idleEnd, isLive, lifetimesOf } from '../sessions/session.ts'
import type { SessionWithUser } from '../sessions/lookup.ts'
import { mayBeSucceeded } from '../sessions/store.ts'
import { TOKEN } from '../token.ts'
import { type Client, clientOf } from './client.ts'
import { type CookieNames, clearedCookies, cookieNames, csrfCookie, readCookie } from './cookies.ts'
import type { Services } from './services.ts'

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
  if (more.length > 0) throw failure('invalid_request', { text: 'The session cookie came twice' })
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

/**
 * Deletes the cookies of a dead session, unless the browser may already have those of its
 * successor.
 */
async function cookiesOfDead(
  { sessions, database, now }: Services,
  names: CookieNames,
  token: string,
): Promise<string[]> {
  const ended = TOKEN.test(token) ? await sessions.find(token) : undefined
  return ended && (await mayBeSucceeded(database.read, ended, now())) ? [] : clearedCookies(names)
}

/** The session lookup of HTTP and sockets (R10.4). Extends the idle expiry when that is due. */
export async function findActor(services: Services, token: string): Promise<Actor | null> {
  if (!TOKEN.test(token)) return null
  return toActor(services, await services.sessions.find(token), token)
}

/**
 * The same for a socket, which knows its session by id. Without the token, the sealed values of the
 * session cannot be opened.
 */
export async function findActorOfSession(services: Services, sessionId: string): Promise<Actor | null> {
  return toActor(services, await services.sessions.findById(sessionId), '')
}

/** Returns a promise only if the new idle expiry must be stored, which is once a minute. */
function toActor(
  services: Services,
  session: SessionWithUser | undefined,
  token: string,
): Actor | null | Promise<Actor> {
  const nowMs = services.now()
  if (!session || !isLive(session, nowMs) || session.user.disabled === 1) return null
  const lifetimes = lifetimesOf(session.user.is_guest === 1, services.policy.sessions)
  if (!isDueToSlide(session, lifetimes, nowMs))
    return actorUntil(services, session.idle_expires_at, session, token)
  const end = idleEnd(session.absolute_expires_at, lifetimes, nowMs)
  return slide(services, session, end, nowMs).then((stored) => actorUntil(services, stored, session, token))
}

function actorUntil(
  { policy: { adminReauthMs } }: Services,
  idleExpiresAtMs: number,
  session: SessionWithUser,
  token: string,
): Actor {
  return {
    user: session.user,
    platformAdmin: session.platformAdmin,
    session: {
      id: session.id,
      createdAtMs: session.created_at,
      loginAtMs: session.login_at,
      idleExpiresAtMs,
      absoluteExpiresAtMs: session.absolute_expires_at,
      adminUntilMs: adminReauthMs > 0 ? session.login_at + adminReauthMs : Infinity,
    },
    token,
  }
}

/** Returns the idle expiry in force: `end`, or the stored one if `end` could not be stored. */
async function slide(
  services: Services,
  session: SessionWithUser,
  end: number,
  nowMs: number,
): Promise<number> {
  try {
    await services.slideQueue.store({ session, nowMs, idleExpiresAtMs: end })
    return end
  } catch (error) {
    services.log.warn('session: cannot store the last use', { error })
    return session.idle_expires_at
  }
}
