import { Semaphore } from '@latchkey/http/semaphore'

/**
 * The minimum that OWASP recommends. A check takes 19 MiB, and some 30 ms of one of the threads that
 * also wait for the disk.
 */
const ARGON2ID = { algorithm: 'argon2id', memoryCost: 19_456, timeCost: 2 } as const

/** Passwords queue for two places, so that clicks are still written meanwhile. */
const semaphore = new Semaphore(2)

export function hashPassword(password: string): Promise<string> {
  return semaphore.run(() => Bun.password.hash(toComparable(password), ARGON2ID))
}

/** False also for a link that has no hash, such as one of a restored archive. */
export async function isPassword(password: string, hash: string | undefined): Promise<boolean> {
  if (hash === undefined) return false
  return semaphore.run(() => Bun.password.verify(toComparable(password), hash))
}

/** Keyboards and systems spell the same letter in different ways. */
function toComparable(password: string): string {
  return password.normalize('NFC')
}
