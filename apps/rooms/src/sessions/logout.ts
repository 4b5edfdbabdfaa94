import { createToken } from '@latchkey/tokens/opaque'
import { auditAct } from '../audit/act.ts'
import { type Context, actorOf } from '../context.ts'
import { unseal } from '../seal.ts'
import { type ProviderSession, findProviderSession, revokeSession, revokeSessionsOf } from './store.ts'

/** Nothing is kept of it: whatever comes back from the provider changes nothing (R12.2). */
const STATE_BYTES = 16

/**
 * Ends this session, or all of the person, and only then looks for where the provider can be told (R12): null when it
 * cannot. Throws only when the database cannot be used.
 */
export async function logOut(
  context: Context,
  { everywhere }: { everywhere: boolean },
): Promise<string | null> {
  const { user, session } = actorOf(context)
  const { now } = context
  const { found: providerSession, ended } = await context.database.write(async (tx) => {
    // What is sealed for the session goes with it.
    const found = await findProviderSession(tx, session.id)
    const hasEnded = !everywhere && (await revokeSession(tx, session.id, 'signed_out', now))
    const sessionIds = everywhere
      ? await revokeSessionsOf(tx, user.id, { reason: 'signed_out', nowMs: now })
      : hasEnded
        ? [session.id]
        : []
    const target = { type: 'session', id: session.id }
    const metadata = { everywhere, sessions: sessionIds.length }
    await auditAct(tx, context, { action: 'auth.logout', target, metadata })
    return { found, ended: sessionIds }
  })
  context.publish({ kind: 'sessions', sessionIds: ended })
  context.clearSessionCookies()
  return providerSession === undefined ? null : providerLogout(context, providerSession)
}

/** A provider that is down, or that this session does not come from, is none that can be told. */
async function providerLogout(context: Context, session: ProviderSession): Promise<string | null> {
  const { provider, policy, log, requestId } = context
  const { token } = actorOf(context)
  if (session.idp_issuer !== provider.issuer) return null
  const sealed = session.id_token_sealed
  try {
    return await provider.logoutUrl({
      idToken: sealed === null ? null : (unseal(sealed, token, 'id-token') ?? null),
      postLogoutRedirectUri: policy.canonicalOrigin,
      state: createToken('', STATE_BYTES, 'base64url'),
    })
  } catch (error) {
    log.warn('the provider could not be asked for its logout address', { requestId, error })
    return null
  }
}
