import { hashToken } from '@latchkey/tokens/opaque'
import type { Condition } from '../identity/conditions.ts'

/** Settings of the access layer. */
export interface AccessPolicy {
  /** Origins in front of which Rooms is the access layer. */
  readonly origins: readonly string[]
  /** Hash of the conditions that claims must have met. */
  readonly conditionsHash: string
  /** Secret with which services ask whose access has ended; null if none may. */
  readonly serviceKey: string | null
}

export function hashConditions(conditions: readonly Condition[]): string {
  return hashToken(JSON.stringify(conditions.map(({ text }) => text)))
}
