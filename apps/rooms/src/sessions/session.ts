import type { SessionRow } from '../db/tables.ts'

/** How long sessions live, in milliseconds. */
export interface Lifetimes {
  readonly idleMs: number
  readonly absoluteMs: number
}

const HOUR_MS = 3_600_000
/** Guests stay for an evening (R10.4). */
const GUEST_IDLE_MS = 12 * HOUR_MS
const GUEST_ABSOLUTE_MS = 24 * HOUR_MS
const SLIDE_EVERY_MS = 60_000

export function lifetimesOf(isGuest: boolean, configured: Lifetimes): Lifetimes {
  if (!isGuest) return configured
  return {
    idleMs: Math.min(configured.idleMs, GUEST_IDLE_MS),
    absoluteMs: Math.min(configured.absoluteMs, GUEST_ABSOLUTE_MS),
  }
}

type SessionEndColumns = Pick<SessionRow, 'revoked_at' | 'idle_expires_at'>

/** Whether the session may still be used; `idle_expires_at` never exceeds the absolute end. */
export function isLive(session: SessionEndColumns, nowMs: number): boolean {
  return session.revoked_at === null && nowMs < session.idle_expires_at
}

/** Written once a minute at most, or once per tenth of the idle time, whichever is shorter (R10.4). */
export function isDueToSlide(
  session: Pick<SessionRow, 'last_seen_at'>,
  { idleMs }: Lifetimes,
  nowMs: number,
): boolean {
  return nowMs - session.last_seen_at >= Math.min(SLIDE_EVERY_MS, idleMs / 10)
}

/** When a session that is used now ends unless it is used again. */
export function idleEnd(absoluteExpiresAt: number, { idleMs }: Lifetimes, nowMs: number): number {
  return Math.min(nowMs + idleMs, absoluteExpiresAt)
}
