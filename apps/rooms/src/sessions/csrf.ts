import { createHmac } from 'node:crypto'

/** What every unsafe request sends as `x-csrf-token` (R11.2): nothing to store, and only the session's own browser has it. */
export function csrfTokenOf(sessionToken: string): string {
  return createHmac('sha256', sessionToken).update('latchkey-csrf-v1').digest('base64url')
}
