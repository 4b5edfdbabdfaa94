/** The minimum that OWASP recommends. A check takes 19 MiB, and some 30 ms. */
const ARGON2ID = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

/** Keyboards and systems spell the same letter in different ways. */
export function toComparable(password: string): string {
  return password.normalize('NFC')
}

/** Hashes a comparable password on the thread of the caller. */
export function hashOnThisThread(password: string): string {
  return Bun.password.hashSync(password, ARGON2ID)
}
