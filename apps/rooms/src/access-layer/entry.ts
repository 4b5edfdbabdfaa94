import { createHash } from 'node:crypto'
import type { Tx } from '../db/tables.ts'
import { type AuditOrigin, recordAudit } from '../audit/store.ts'
import type { AccessPolicy } from './policy.ts'
import { findClaims, findLiveSession, insertAccess, insertCode, takeCode } from './store.ts'

export const CODE_SECONDS = 30

/**
 * What a browser presents with a code, as a hash: it alone has the secret, in a cookie of the other
 * origin. A code is useless in any other browser, and no page can hand a browser the code of another
 * person (RFC 7636 calls this a code challenge).
 */
export function challengeOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

interface Entry {
  session: { id: string; userId: string }
  origin: string
  challenge: string
  nowMs: number
}

/**
 * Creates a code for a person who may enter. `stale` if the claims must be read again, by another
 * login; `refused` if they do not meet the conditions.
 */
export async function createCode(
  tx: Tx,
  { session, origin, challenge, nowMs }: Entry,
  { conditionsHash }: AccessPolicy,
): Promise<{ code: string } | 'stale' | 'refused'> {
  const claims = await findClaims(tx, session.userId)
  if (claims?.conditions_hash !== conditionsHash) return 'stale'
  if (claims.is_met !== 1) return 'refused'
  const expiresAtMs = nowMs + CODE_SECONDS * 1000
  return { code: await insertCode(tx, { sessionId: session.id, origin, challenge, expiresAtMs }) }
}

interface Redemption {
  code: string
  origin: string
  /** The secret in the cookie of this browser; undefined without one. */
  secret: string | undefined
}

/**
 * Redeems the code of a browser at its origin. The code is used up in any case. Undefined if it is
 * unknown, used or expired, or of another browser or origin, or if its session has ended.
 */
export async function enter(
  tx: Tx,
  { code, origin, secret }: Redemption,
  audited: AuditOrigin,
): Promise<{ token: string; endsAtMs: number } | undefined> {
  const { nowMs } = audited
  const redeemed = await takeCode(tx, code, nowMs)
  if (!redeemed || redeemed.origin !== origin || secret === undefined) return undefined
  if (redeemed.challenge !== challengeOf(secret)) return undefined
  const session = await findLiveSession(tx, redeemed.session_id, nowMs)
  if (!session) return undefined
  const endsAtMs = session.absolute_expires_at
  const token = await insertAccess(tx, {
    session_id: session.id,
    origin,
    created_at: nowMs,
    expires_at: endsAtMs,
  })
  const target = { type: 'session', id: session.id }
  const event = {
    action: 'access.enter',
    actorUserId: session.user_id,
    target,
    metadata: { origin },
  } as const
  await recordAudit(tx, event, audited)
  return { token, endsAtMs }
}
