import { recordAudit } from '../audit/store.ts'
import { originOf } from '../audit/origin.ts'
import type { LogoutContext } from '../sessions/logout.ts'
import { providerLogoutUrl } from '../sessions/logout.ts'
import { findProviderSession, revokeSession } from '../sessions/store.ts'
import type { Admitted } from './admission.ts'

/**
 * Ends the session through which the browser is admitted, and returns the logout URL of the provider;
 * null if there is none. The provider may ask the person: the token that identifies the session to it
 * is sealed for the browser at Rooms.
 */
export async function signOut(
  context: LogoutContext,
  { session }: Pick<Admitted, 'session'>,
  origin: string,
): Promise<string | null> {
  const { database, now: nowMs } = context
  const providerSession = await database.write(async (tx) => {
    const ofProvider = await findProviderSession(tx, session.id)
    const hasEnded = await revokeSession(tx, session.id, 'signed_out', nowMs)
    const metadata = { everywhere: false, sessions: hasEnded ? 1 : 0, origin }
    const target = { type: 'session', id: session.id }
    const event = { action: 'auth.logout', actorUserId: session.user_id, target, metadata } as const
    await recordAudit(tx, event, originOf(context))
    return ofProvider
  })
  context.publish({ kind: 'sessions', sessionIds: [session.id] })
  return providerSession === undefined ? null : providerLogoutUrl(context, providerSession, null)
}
