import type { DialectName } from '@latchkey/database/url'
import { HOUR_MS, MINUTE_MS } from '@latchkey/http/duration'
import { deleteOldEnds, endLostAccess } from '../access-layer/ended-store.ts'
import { rotateKeys } from '../access-layer/keys.ts'
import type { AccessPolicy } from '../access-layer/policy.ts'
import { deleteEndedCodes } from '../access-layer/store.ts'
import type { Job } from './job.ts'

interface AccessJobOptions {
  dialect: DialectName
  /** Null unless Rooms is an access layer. */
  access: AccessPolicy | null
  clientSecret: string | null
}

export function createAccessJobs({ dialect, access, clientSecret }: AccessJobOptions): readonly Job[] {
  if (access === null) return []
  return [
    { name: 'access-codes', everyMs: MINUTE_MS, run: deleteEndedCodes },
    {
      name: 'access-sessions',
      everyMs: MINUTE_MS,
      async run(tx, nowMs) {
        await deleteOldEnds(tx, nowMs)
        const { isMore } = await endLostAccess(tx, dialect, access, nowMs)
        return isMore ? 'more' : undefined
      },
    },
    {
      name: 'access-keys',
      everyMs: HOUR_MS,
      async run(tx, nowMs) {
        await rotateKeys(dialect, tx, clientSecret, nowMs)
      },
    },
  ]
}
