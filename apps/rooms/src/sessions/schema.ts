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

/** Who is signed in, and since when. */
export const SignedIn = z.object({ user: User, session: OwnSession })

export function toOwnSession(session: { id: string; createdAtMs: number; idleExpiresAtMs: number }) {
  return {
    id: session.id,
    createdAt: toMoment(session.createdAtMs),
    expiresAt: toMoment(session.idleExpiresAtMs),
  }
}
