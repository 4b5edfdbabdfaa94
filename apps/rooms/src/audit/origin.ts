import type { Context } from '../context.ts'
import type { AuditOrigin } from './store.ts'

/** From where and when this request does what it does. */
export function originOf({
  clientIp,
  requestId,
  now,
}: Pick<Context, 'clientIp' | 'requestId' | 'now'>): AuditOrigin {
  return { clientIp, requestId, nowMs: now }
}
