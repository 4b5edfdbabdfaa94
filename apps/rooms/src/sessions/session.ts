import { HOUR_MS } from '@latchkey/http/duration'
import type { SessionRow } from '../db/tables.ts'

/** Lifetimes of sessions in milliseconds. */
export interface Lifetimes {
  readonly idleMs: number
  readonly absoluteMs: number
}

/** Guest sessions last for an evening (R10.4). */
const GUEST_IDLE_MS = 12 * HOUR_MS
const GUEST_ABSOLUTE_MS = 24 * HOUR_MS
const SLIDE_INTERVAL_MS = 60_000

export function lifetimesOf(isGuest: boolean, configured: Lifetimes): Lifetimes {
  if (!isGuest) return configured
  return {
    idleMs: Math.min(configured.idleMs, GUEST_IDLE_MS),
    absoluteMs: Math.min(configured.absoluteMs, GUEST_ABSOLUTE_MS),
  }
}

type SessionEndColumns = Pick<SessionRow, 'revoked_at' | 'idle_expires_at'>

/** Whether the session can be used. `idle_expires_at` never exceeds the absolute expiry. */
export function isLive(session: SessionEndColumns, nowMs: number): boolean {
  return session.revoked_at === null && nowMs < session.idle_expires_at
}

/**
 * Whether the use of the session must be stored: once per minute or per tenth of the idle timeout,
 * whichever is shorter (R10.4).
 */
export function isDueToSlide(
  session: Pick<SessionRow, 'last_seen_at'>,
  { idleMs }: Lifetimes,
  nowMs: number,
): boolean {
  return nowMs - session.last_seen_at >= Math.min(SLIDE_INTERVAL_MS, idleMs / 10)
}

/** The idle expiry of a session that is used now, limited by the absolute expiry. */
export function idleEnd(absoluteExpiresAt: number, { idleMs }: Lifetimes, nowMs: number): number {
  return Math.min(nowMs + idleMs, absoluteExpiresAt)
}
