import { z } from 'zod'

/** The key of the last verified backup in a database. */
export const LAST_BACKUP = 'last_backup'

const LastBackup = z.object({
  /** When the database was copied, in Unix seconds. */
  at: z.int(),
  /** Path or address of the archive. */
  place: z.string(),
})
export type LastBackup = z.output<typeof LastBackup>

/** Undefined without one. */
export function parseLastBackup(value: string | undefined): LastBackup | undefined {
  return value === undefined ? undefined : LastBackup.parse(JSON.parse(value))
}
