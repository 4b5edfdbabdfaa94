import type { Context } from '../api/context.ts'
import type { AuditOrigin } from './store.ts'

/** The origin of the changes that this request makes. */
export function originOf({
  clientIp,
  requestId,
  now,
}: Pick<Context, 'clientIp' | 'requestId' | 'now'>): AuditOrigin {
  return { clientIp, requestId, nowMs: now }
}
