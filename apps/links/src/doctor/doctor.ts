import { dialectOf, sqlitePath } from '@latchkey/database/url'
import { checkDatabase } from '@latchkey/doctor/database'
import { checkDisk } from '@latchkey/doctor/disk'
import { type Finding, fail } from '@latchkey/doctor/finding'
import { checkSettings } from '@latchkey/doctor/settings'
import type { Environment } from '@latchkey/settings/settings'
import type { Kysely } from 'kysely'
import { DAY } from '../analytics/window.ts'
import { migrations } from '../db/migrations.ts'
import type { Tables } from '../db/tables.ts'
import { readSettings, settingsWarnings } from '../settings/settings.ts'
import { findNewestClickTime, findOldestSaltDay } from './store.ts'
import { checkAccess, checkAdminSide, checkPublicAddress } from './external-checks.ts'

/**
 * Checks everything that the service depends on, according to the environment. Creates and changes
 * nothing.
 */
export async function* examine(env: Environment, now: () => number = Date.now): AsyncGenerator<Finding> {
  const { settings, findings } = checkSettings({ readSettings, settingsWarnings }, env)
  yield* findings
  if (!settings) return
  const { databaseUrl, journal } = settings
  yield* await checkDatabase<Tables>({
    url: databaseUrl,
    setting: 'LINKS_DATABASE_URL',
    migrations,
    newestAt: findNewestClickTime,
    checkTables: (read) => checkSalts(read, Math.floor(now() / 1000)),
    harm: 'links will expire at the wrong time',
    now,
  })
  const files = dialectOf(databaseUrl) === 'sqlite' ? [databaseUrl, journal] : [journal]
  yield* await checkDisk(files.map(sqlitePath), 'clicks will be lost')
  yield await checkAccess(settings)
  yield await checkPublicAddress(settings)
  yield* await checkAdminSide(settings)
}

/** How long a salt may be stored after its day (L37.1). */
const MAX_SALT_AGE = 2 * DAY

async function checkSalts(read: Kysely<Tables>, now: number): Promise<Finding[]> {
  const day = await findOldestSaltDay(read)
  if (day === undefined || day + DAY + MAX_SALT_AGE >= now) return []
  const date = new Date(day * 1000).toISOString().slice(0, 10)
  return [
    fail(
      'privacy',
      `the visitor salt of ${date} is still stored: start the service, which deletes it within a minute, or check its log`,
    ),
  ]
}
