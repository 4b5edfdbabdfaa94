import { PasswordThread } from './password-thread.ts'

const thread = new PasswordThread()

export async function hashPassword(password: string): Promise<string> {
  return String(await thread.run({ hash: toComparable(password) }))
}

/** False also for a link that has no hash, such as one of a restored archive. */
export async function isPassword(password: string, hash: string | undefined): Promise<boolean> {
  if (hash === undefined) return false
  return (await thread.run({ verify: toComparable(password), hash })) === true
}

/** Keyboards and systems spell the same letter in different ways. */
function toComparable(password: string): string {
  return password.normalize('NFC')
}
