import type { LastBackup } from '@latchkey/database/backup/last-backup'
import { type Finding, ok, warn } from './finding.ts'

const DAY_S = 86_400
/** A backup every night that fails for a weekend is no finding yet. */
const OLD_DAYS = 4

/** The age of the last verified backup, in a database that has ever been in one. `now` is in Unix seconds. */
export function checkBackup(last: LastBackup | undefined, now: number): Finding[] {
  if (!last) return []
  const days = Math.floor((now - last.at) / DAY_S)
  const sentence = `verified on ${new Date(last.at * 1000).toISOString()}, ${last.place}`
  return [days > OLD_DAYS ? warn('backup', `${days} days old: ${sentence}`) : ok('backup', sentence)]
}
