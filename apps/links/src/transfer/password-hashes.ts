import { hashOnThisThread, toComparable } from '../links/behaviour/argon2id.ts'
import { UNKNOWN_PASSWORD } from '../links/behaviour/password.ts'
import type { ParsedRow } from './formats.ts'
import type { ImportRow } from './import-row.ts'
import { PASSWORD_UNKNOWN } from './reason.ts'

/** Hashing takes some 30 ms of a processor: more passwords than these are not imported. */
const MAX_PASSWORDS = 1_000

/** Hashes the passwords of an import before the transaction of their rows. */
export class PasswordHashes {
  readonly #dryRun: boolean
  #count = 0

  constructor(dryRun: boolean) {
    this.#dryRun = dryRun
  }

  /** The row with the hash of its password, if it has one. */
  add(entry: ParsedRow): ParsedRow {
    if ('problem' in entry || entry.value.password === undefined) return entry
    const { password, notes } = entry.value
    if (password === true) return withHash(entry, UNKNOWN_PASSWORD)
    if (++this.#count > MAX_PASSWORDS) return withHash(entry, UNKNOWN_PASSWORD, [...notes, PASSWORD_UNKNOWN])
    return withHash(entry, this.#dryRun ? UNKNOWN_PASSWORD : hashOnThisThread(toComparable(password)))
  }
}

function withHash(
  entry: ParsedRow & { value: ImportRow },
  passwordHash: string,
  notes = entry.value.notes,
): ParsedRow {
  return { ...entry, value: { ...entry.value, passwordHash, notes } }
}
