import { dialectOf, sqlitePath } from '@latchkey/database/url'
import { checkBackup } from '@latchkey/doctor/backup'
import { checkDatabase } from '@latchkey/doctor/database'
import { checkDisk } from '@latchkey/doctor/disk'
import { type Finding, fail } from '@latchkey/doctor/finding'
import { checkSettings } from '@latchkey/doctor/settings'
import type { Environment } from '@latchkey/settings/settings'
import type { Kysely } from 'kysely'
import { findLastBackup } from '../backup/last-backup.ts'
import { migrations } from '../db/migrations.ts'
import type { Tables } from '../db/tables.ts'
import { type Settings, readSettings, settingsWarnings } from '../settings/settings.ts'
import { checkAccess, checkAdminSide, checkDomains, checkPublicAddress } from './external-checks.ts'
import { checkPrivacy, checkSalts } from './privacy.ts'
import { findNewestClickTime } from './store.ts'

/**
 * Checks everything that the service depends on, according to the environment. Creates and changes
 * nothing.
 */
export async function* examine(env: Environment, now: () => number = Date.now): AsyncGenerator<Finding> {
  const { settings, findings } = checkSettings({ readSettings, settingsWarnings }, env)
  yield* findings
  if (!settings) return
  const { databaseUrl, journal } = settings
  yield* await checkLinksDatabase(settings, now, checkContent)
  const files = dialectOf(databaseUrl) === 'sqlite' ? [databaseUrl, journal] : [journal]
  yield* await checkDisk(files.map(sqlitePath), 'clicks will be lost')
  yield await checkAccess(settings)
  yield await checkPublicAddress(settings)
  yield* await checkAdminSide(settings)
  yield* await checkDomains(settings)
}

/**
 * Checks the database, and proves on its rows what the privacy statement says. Reads all clicks.
 */
export async function* examinePrivacy(
  env: Environment,
  now: () => number = Date.now,
): AsyncGenerator<Finding> {
  const { settings, findings } = checkSettings({ readSettings, settingsWarnings }, env)
  yield* findings
  if (!settings) return
  let isChecked = false
  yield* await checkLinksDatabase(settings, now, (read, seconds) => {
    isChecked = true
    return checkPrivacy(read, settings, seconds)
  })
  if (!isChecked)
    yield fail('privacy', 'not checked: requires a readable database that this version has opened before')
}

async function checkContent(read: Kysely<Tables>, now: number): Promise<Finding[]> {
  return [...(await checkSalts(read, now)), ...checkBackup(await findLastBackup(read), now)]
}

function checkLinksDatabase(
  { databaseUrl }: Settings,
  now: () => number,
  checkTables: (read: Kysely<Tables>, now: number) => Promise<Finding[]>,
): Promise<Finding[]> {
  return checkDatabase<Tables>({
    url: databaseUrl,
    setting: 'LINKS_DATABASE_URL',
    migrations,
    newestAt: findNewestClickTime,
    checkTables: (read) => checkTables(read, Math.floor(now() / 1000)),
    harm: 'links will expire at the wrong time',
    now,
  })
}
