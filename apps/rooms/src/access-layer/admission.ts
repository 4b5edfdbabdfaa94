import type { AccessPolicy } from './policy.ts'
import type { AccessRow } from './store.ts'
import { isLive } from '../sessions/session.ts'

/** An access session that admits its browser now. */
export interface Admitted {
  readonly accessId: string
  readonly session: {
    readonly id: string
    readonly user_id: string
    readonly last_seen_at: number
    readonly idle_expires_at: number
    readonly absolute_expires_at: number
  }
  readonly email: string | null
  readonly groups: string | null
}

/**
 * Whether the browser is admitted at this origin. `signed_out` if another sign-in could help,
 * `refused` if it could not.
 */
export function admit(
  row: AccessRow | undefined,
  { origins, conditionsHash }: AccessPolicy,
  { origin, nowMs }: { origin: string; nowMs: number },
): Admitted | 'signed_out' | 'refused' {
  if (!row || row.origin !== origin || !origins.includes(origin)) return 'signed_out'
  const { id: accessId, session_id: id, user_id, last_seen_at, email, groups, revoked_at } = row
  const { idle_expires_at, absolute_expires_at } = row
  if (user_id === null || last_seen_at === null || idle_expires_at === null || absolute_expires_at === null)
    return 'signed_out'
  if (row.disabled !== 0 || row.is_guest !== 0) return 'refused'
  if (!isLive({ revoked_at, idle_expires_at }, nowMs) || row.conditions_hash !== conditionsHash)
    return 'signed_out'
  if (row.is_met !== 1) return 'refused'
  if (row.ended_seq !== null || row.expires_at <= nowMs) return 'signed_out'
  const session = { id, user_id, last_seen_at, idle_expires_at, absolute_expires_at }
  return { accessId, session, email, groups }
}
