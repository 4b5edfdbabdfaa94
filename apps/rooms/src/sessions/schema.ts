import { z } from 'zod'
import { prefixOf } from '@latchkey/http/client-prefix'
import type { SessionRow } from '../db/tables.ts'
import { NextCursor } from '../api/paging.ts'
import { User } from '../users/schema.ts'
import { Id, Moment, toMoment } from '../api/wire.ts'

/** The session of the request. */
export const OwnSession = z
  .object({
    id: z.string(),
    createdAt: Moment,
    expiresAt: Moment.meta({ description: 'The time at which it ends unless it is used again.' }),
  })
  .meta({ id: 'OwnSession' })

/** A session of a user in the list of sessions. */
export const ListedSession = z
  .object({
    id: z.string(),
    current: z.boolean().meta({ description: 'Whether it is the session of this request.' }),
    createdAt: Moment,
    lastSeenAt: Moment,
    expiresAt: Moment,
    userAgent: z.string(),
    addressPrefix: z.string().meta({ description: 'An IPv4 address, or the /64 of an IPv6 address.' }),
  })
  .meta({ id: 'ListedSession' })

export function toListedSession(session: SessionRow, currentId: string): z.output<typeof ListedSession> {
  return {
    id: session.id,
    current: session.id === currentId,
    createdAt: toMoment(session.created_at),
    lastSeenAt: toMoment(session.last_seen_at),
    expiresAt: toMoment(session.idle_expires_at),
    userAgent: session.user_agent,
    addressPrefix: prefixOf(session.client_ip),
  }
}

export const SessionParams = z.object({ id: Id })
export const SessionList = z.object({ sessions: z.array(ListedSession), nextCursor: NextCursor })
export const RevokeAnswer = z.object({ revoked: z.int() })

/** The signed-in user and the session of the request. */
export const SessionAnswer = z.object({
  user: User,
  session: OwnSession,
  blockedIds: z.array(z.string()).meta({ description: 'The people whom the user blocks.' }),
})

export function toOwnSession(session: { id: string; createdAtMs: number; idleExpiresAtMs: number }) {
  return {
    id: session.id,
    createdAt: toMoment(session.createdAtMs),
    expiresAt: toMoment(session.idleExpiresAtMs),
  }
}
