/** The key of the last verified backup in a database. */
export const LAST_BACKUP = 'last_backup'

export interface LastBackup {
  /** When the database was copied, in Unix seconds. */
  readonly at: number
  /** Path or address of the archive. */
  readonly place: string
}
