import { toComparable } from './argon2id.ts'
import { PasswordThread } from './password-thread.ts'

const thread = new PasswordThread()

/** Stored for a password that is not known: no password is the right one until a new one is set. */
export const UNKNOWN_PASSWORD = '*'

export async function hashPassword(password: string): Promise<string> {
  return String(await thread.run({ hash: toComparable(password) }))
}

/** False also for a link that has no hash, such as one of a restored archive. */
export async function isPassword(password: string, hash: string | undefined): Promise<boolean> {
  if (hash === undefined || hash === UNKNOWN_PASSWORD) return false
  return (await thread.run({ verify: toComparable(password), hash })) === true
}
