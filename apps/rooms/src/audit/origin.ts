import type { Context } from '../context.ts'
import type { AuditOrigin } from './store.ts'

/** From where and when this request does what it does. */
export function originOf({ clientIp, requestId, now }: Context): AuditOrigin {
  return { clientIp, requestId, nowMs: now }
}
