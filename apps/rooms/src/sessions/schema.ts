import { z } from 'zod'
import { User } from '../users/schema.ts'
import { Moment, toMoment } from '../wire.ts'

/** The session that asks. */
export const OwnSession = z
  .object({
    id: z.string(),
    createdAt: Moment,
    expiresAt: Moment.meta({ description: 'When it ends unless it is used again.' }),
  })
  .meta({ id: 'OwnSession' })

/** One of somebody's sessions, as they see it in their list. */
export const ListedSession = z
  .object({
    id: z.string(),
    current: z.boolean().meta({ description: 'Whether it is the session that asks.' }),
    createdAt: Moment,
    lastSeenAt: Moment,
    expiresAt: Moment,
    userAgent: z.string(),
    addressPrefix: z.string().meta({ description: 'IPv4 address, or /64 of an IPv6 one.' }),
  })
  .meta({ id: 'ListedSession' })

/** Who is signed in, and since when. */
export const SignedIn = z.object({ user: User, session: OwnSession })

export function toOwnSession(session: { id: string; createdAtMs: number; idleExpiresAtMs: number }) {
  return {
    id: session.id,
    createdAt: toMoment(session.createdAtMs),
    expiresAt: toMoment(session.idleExpiresAtMs),
  }
}
