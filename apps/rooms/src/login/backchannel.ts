import { serialise } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import type { Transaction } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { findMarkers } from './backchannel-store.ts'

/**
 * Logins that end and logout tokens that arrive wait for each other until they are committed. Without it, each could miss
 * what the other has written but not committed yet, and the login would escape (R13.8). Any number that nobody else uses.
 */
const LOGOUT_ORDER = 0x6c6f_676f

export async function serialiseLogouts(dialect: DialectName, tx: Transaction<Tables>): Promise<void> {
  await serialise(dialect, tx, LOGOUT_ORDER)
}

/** A login that is about to become a session. */
export interface EndingLogin {
  issuer: string
  /** As in the ID token, whatever the configured subject path says; null in oauth2, where there are no logout tokens. */
  sub: string | null
  sid: string | null
  /** When the browser was sent to the provider. */
  startedAtMs: number
  /** `iat` of the ID token; null in oauth2. */
  issuedAtSeconds: number | null
}

/**
 * Whether the provider has ended this login while it was under way: such a login makes no session. To be asked in the
 * transaction that inserts the session, before anything else there, since it waits for logout tokens that are being
 * handled.
 */
export async function isMarked(
  dialect: DialectName,
  tx: Transaction<Tables>,
  { issuer, sub, sid, startedAtMs, issuedAtSeconds }: EndingLogin,
): Promise<boolean> {
  if (sub === null || issuedAtSeconds === null) return false
  await serialiseLogouts(dialect, tx)
  const markers = await findMarkers(tx, { issuer, sub, sid })
  return markers.some(({ iat, received_at }) => startedAtMs <= received_at && issuedAtSeconds <= iat)
}
