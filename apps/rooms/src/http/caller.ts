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

/** A request, with what every route must know of it. */
export interface Caller {
  /** The origin of ours that was asked. */
  origin: string
  names: CookieNames
  client: Client
  actor: Actor | null
  /** What the answer sets; deletions when the request came with a dead session. */
  cookies: string[]
}

/** Finds out where a request comes from and who sends it. Throws 421, 400 and, on storage failure, what the database throws. */
export async function readCaller(services: Services, request: Request, peer: string): Promise<Caller> {
  const found = services.hosts(request.headers.get('host'))
  if ('refused' in found) throw failure(found.refused)
  const names = cookieNames(found.origin)
  const client = clientOf(services, request, peer)
  const [token, ...more] = readCookie(request, names.session)
  if (more.length > 0) throw failure('invalid_request', { text: 'The session cookie came twice' })
  const actor = token === undefined ? null : await findActor(services, token)
  let cookies: string[] = []
  if (actor) cookies = cookiesOfLive(services, request, names, actor)
  else if (token !== undefined) cookies = await cookiesOfDead(services, names, token)
  return { origin: found.origin, names, client, actor, cookies }
}

/** A live session's readable cookie comes back where it is lost or wrong (R11.2). */
function cookiesOfLive(services: Services, request: Request, names: CookieNames, actor: Actor): string[] {
  if (request.method !== 'GET') return []
  const csrfToken = csrfTokenOf(actor.token)
  const [given, ...more] = readCookie(request, names.csrf)
  if (given === csrfToken && more.length === 0) return []
  return [csrfCookie(names, csrfToken, actor.session.absoluteExpiresAtMs, services.now())]
}

/** A dead session's cookies go, unless they may be those of its successor by now. */
async function cookiesOfDead(
  { sessions, database, now }: Services,
  names: CookieNames,
  token: string,
): Promise<string[]> {
  const ended = TOKEN.test(token) ? await sessions.find(token) : undefined
  return ended && (await mayBeSucceeded(database.read, ended, now())) ? [] : clearedCookies(names)
}

/** The one session look-up of HTTP and sockets (R10.4). Slides the idle end when it is due. */
export async function findActor(services: Services, token: string): Promise<Actor | null> {
  if (!TOKEN.test(token)) return null
  return toActor(services, await services.sessions.find(token), token)
}

/** The same for a socket, which knows its session by id. Nothing that is sealed with the token can be opened then. */
export async function findActorOfSession(services: Services, sessionId: string): Promise<Actor | null> {
  return toActor(services, await services.sessions.findById(sessionId), '')
}

/** Waits only when there is something to store, which is once a minute. */
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

/** When the session ends now: at `end`, or where that could not be stored, when it did before. */
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
    services.log.warn('the last use of a session could not be stored', { error })
    return session.idle_expires_at
  }
}
