import { createToken } from '@latchkey/tokens/opaque'
import { auditAct } from '../audit/act.ts'
import type { Context } from '../api/context.ts'
import { unseal } from '@latchkey/tokens/seal'
import { type ProviderSession, findProviderSession, revokeSession, revokeSessionsOf } from './store.ts'

/** Not stored: what the provider returns after the logout has no effect (R12.2). */
const STATE_BYTES = 16

/**
 * Ends this session, or all sessions of the user, and then determines the logout URL of the
 * provider (R12); null if there is none. Throws only if the database cannot be used.
 */
export async function logOut(
  context: Context,
  { everywhere }: { everywhere: boolean },
): Promise<string | null> {
  const { user, session } = context.actor
  const { now } = context
  const { providerSession, ended } = await context.database.write(async (tx) => {
    // Ending the session deletes its sealed ID token.
    const origin = await findProviderSession(tx, session.id)
    const hasEnded = !everywhere && (await revokeSession(tx, session.id, 'signed_out', now))
    const sessionIds = everywhere
      ? await revokeSessionsOf(tx, user.id, { reason: 'signed_out', nowMs: now })
      : hasEnded
        ? [session.id]
        : []
    const target = { type: 'session', id: session.id }
    const metadata = { everywhere, sessions: sessionIds.length }
    await auditAct(tx, context, { action: 'auth.logout', target, metadata })
    return { providerSession: origin, ended: sessionIds }
  })
  context.publish({ kind: 'sessions', sessionIds: ended })
  context.clearSessionCookies()
  return providerSession === undefined
    ? null
    : providerLogoutUrl(context, providerSession, context.actor.token)
}

/** What a logout needs, with a session or without one. */
export type LogoutContext = Pick<
  Context,
  'database' | 'provider' | 'policy' | 'log' | 'publish' | 'now' | 'clientIp' | 'requestId'
>

/**
 * Null if the provider is unreachable or is not the one of this session. `token` is that of its cookie,
 * which opens the ID token; without it, the provider may ask the person.
 */
export async function providerLogoutUrl(
  { provider, policy, log, requestId }: LogoutContext,
  session: ProviderSession,
  token: string | null,
): Promise<string | null> {
  if (session.idp_issuer !== provider.issuer) return null
  const sealed = session.id_token_sealed
  try {
    return await provider.logoutUrl({
      idToken: sealed === null || token === null ? null : (unseal(sealed, token, 'id-token') ?? null),
      postLogoutRedirectUri: policy.canonicalOrigin,
      state: createToken('', STATE_BYTES, 'base64url'),
    })
  } catch (error) {
    log.warn('logout: cannot determine the logout URL of the provider', { requestId, error })
    return null
  }
}
