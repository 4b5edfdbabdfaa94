import type { Log } from '@latchkey/http/log'
import type { Actor } from '../api/caller.ts'
import type { Policy } from '../api/services.ts'
import { TOKEN } from '@latchkey/tokens/token'
import type { SessionLookup, SessionWithUser } from './types.ts'
import { type Lifetimes, idleEnd, isDueToSlide, isLive, lifetimesOf } from './session.ts'
import type { SlideQueue } from './slide-queue.ts'

interface SessionServices {
  sessions: SessionLookup
  slideQueue: SlideQueue
  policy: Policy
  log: Log
  /** Milliseconds since 1970. */
  now: () => number
}

/** The session lookup of HTTP and sockets (R10.4). Extends the idle expiry when that is due. */
export async function findActor(services: SessionServices, token: string): Promise<Actor | null> {
  if (!TOKEN.test(token)) return null
  return toActor(services, await services.sessions.find(token), token)
}

/**
 * The session lookup of a socket, which knows its session by id. Without the token, the sealed
 * values of the session cannot be opened.
 */
export async function findActorOfSession(
  services: SessionServices,
  sessionId: string,
): Promise<Actor | null> {
  return toActor(services, await services.sessions.findById(sessionId), '')
}

/** Returns a promise only if the new idle expiry must be stored, which is once a minute. */
function toActor(
  services: SessionServices,
  session: SessionWithUser | undefined,
  token: string,
): Actor | null | Promise<Actor> {
  const nowMs = services.now()
  if (!session || !isLive(session, nowMs) || session.user.disabled === 1) return null
  const lifetimes = lifetimesOf(session.user.is_guest === 1, services.policy.sessions)
  const idleExpiresAtMs = recordUse(services, session, lifetimes, nowMs)
  return typeof idleExpiresAtMs === 'number'
    ? actorUntil(services, idleExpiresAtMs, session, token)
    : idleExpiresAtMs.then((stored) => actorUntil(services, stored, session, token))
}

type UsedSession = Pick<
  SessionWithUser,
  'id' | 'user_id' | 'last_seen_at' | 'idle_expires_at' | 'absolute_expires_at'
>

/**
 * Stores the use of a live session if that is due, and returns the idle expiry in force. A promise
 * only if something is stored.
 */
export function recordUse(
  services: Pick<SessionServices, 'slideQueue' | 'log'>,
  session: UsedSession,
  lifetimes: Lifetimes,
  nowMs: number,
): number | Promise<number> {
  if (!isDueToSlide(session, lifetimes, nowMs)) return session.idle_expires_at
  return slide(services, session, idleEnd(session.absolute_expires_at, lifetimes, nowMs), nowMs)
}

function actorUntil(
  { policy: { adminReauthMs } }: SessionServices,
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
  services: Pick<SessionServices, 'slideQueue' | 'log'>,
  session: UsedSession,
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
