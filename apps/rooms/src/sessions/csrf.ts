/**
 * The CSRF token of a session, which every unsafe request repeats as `x-csrf-token` (R11.2). It is
 * derived, not stored, and only the browser of the session has it.
 */
export function csrfTokenOf(sessionToken: string): string {
  // Called for every request with a session. The hasher of node:crypto takes twice as long.
  return new Bun.CryptoHasher('sha256', sessionToken).update('latchkey-csrf-v1').digest('base64url')
}
