/** What every unsafe request sends as `x-csrf-token` (R11.2): nothing to store, and only the session's own browser has it. */
export function csrfTokenOf(sessionToken: string): string {
  // For every request with a session; node:crypto's takes twice as long.
  return new Bun.CryptoHasher('sha256', sessionToken).update('latchkey-csrf-v1').digest('base64url')
}
