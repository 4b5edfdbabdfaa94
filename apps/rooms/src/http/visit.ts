import type { Actor } from '../context.ts'
import { failure } from '../failures.ts'
import { isDueToSlide, idleEnd, isLive, lifetimesOf } from '../sessions/session.ts'
import { type FoundSession, findSession, slideSession } from '../sessions/store.ts'
import { clientOf } from './client.ts'
import { type CookieNames, clearedCookies, cookieNames, readCookie } from './cookies.ts'
import type { Services } from './services.ts'

/** A request, with what every route must know of it. */
export interface Visit {
  /** The origin of ours that was asked. */
  origin: string
  names: CookieNames
  clientIp: string
  clientPrefix: string
  actor: Actor | null
  /** What the answer sets; deletions when the request came with a dead session. */
  cookies: string[]
}

/** Finds out where a request comes from and who sends it. Throws 421, 400 and, on storage failure, what the database throws. */
export async function readVisit(services: Services, request: Request, peer: string): Promise<Visit> {
  const found = services.hosts(request.headers.get('host'))
  if ('refused' in found) throw failure(found.refused)
  const names = cookieNames(found.origin)
  const client = clientOf(services, request, peer)
  const [token, ...more] = readCookie(request, names.session)
  if (more.length > 0) throw failure('invalid_request', { text: 'The session cookie came twice' })
  const actor = token ? await findActor(services, token) : null
  const cookies = token !== undefined && actor === null ? clearedCookies(names) : []
  return { origin: found.origin, names, clientIp: client.ip, clientPrefix: client.prefix, actor, cookies }
}

/** The one session look-up of HTTP and sockets (R10.4). Slides the idle end when it is due. */
export async function findActor(services: Services, token: string): Promise<Actor | null> {
  const nowMs = services.now()
  const session = await findSession(services.database.read, token)
  if (!session || !isLive(session, nowMs) || session.user.disabled === 1) return null
  const idleExpiresAtMs = await slide(services, session, nowMs)
  return {
    user: session.user,
    platformAdmin: session.platformAdmin,
    session: {
      id: session.id,
      createdAtMs: session.created_at,
      loginAtMs: session.login_at,
      idleExpiresAtMs,
    },
    token,
  }
}

async function slide(services: Services, session: FoundSession, nowMs: number): Promise<number> {
  const lifetimes = lifetimesOf(session.user.is_guest === 1, services.policy.sessions)
  if (!isDueToSlide(session, lifetimes, nowMs)) return session.idle_expires_at
  const end = idleEnd(session.absolute_expires_at, lifetimes, nowMs)
  try {
    await services.database.write((tx) => slideSession(tx, session, nowMs, end))
    return end
  } catch (error) {
    services.log.warn('the last use of a session could not be stored', { error })
    return session.idle_expires_at
  }
}
