import type { Sender } from './sender.ts'
import type { TestSlots } from './test-slots.ts'

/** What operations need to seal secrets and to send tests. */
export interface Webhooks {
  sender: Sender
  tests: TestSlots
  /** Aborted when the service stops. */
  signal: AbortSignal
}
