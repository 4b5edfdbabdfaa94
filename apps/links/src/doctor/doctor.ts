import { dialectOf, sqlitePath } from '@latchkey/database/url'
import { checkDatabase } from '@latchkey/doctor/database'
import { checkDisk } from '@latchkey/doctor/disk'
import type { Finding } from '@latchkey/doctor/finding'
import { checkSettings } from '@latchkey/doctor/settings'
import type { Environment } from '@latchkey/settings/settings'
import { migrations } from '../db/migrations.ts'
import type { Tables } from '../db/tables.ts'
import { readSettings, settingsWarnings } from '../settings.ts'
import { newestClickAt } from './store.ts'
import { checkAccess, checkPublicAddress } from './surroundings.ts'

/** Looks at everything the service depends on, as the environment says it. Makes nothing and changes nothing. */
export async function* examine(env: Environment, now: () => number = Date.now): AsyncGenerator<Finding> {
  const { settings, findings } = checkSettings({ readSettings, settingsWarnings }, env)
  yield* findings
  if (!settings) return
  const { databaseUrl, journal } = settings
  yield* await checkDatabase<Tables>({
    url: databaseUrl,
    setting: 'LINKS_DATABASE_URL',
    migrations,
    newestAt: newestClickAt,
    harm: 'links would expire at the wrong time',
    now,
  })
  const files = dialectOf(databaseUrl) === 'sqlite' ? [databaseUrl, journal] : [journal]
  yield* await checkDisk(files.map(sqlitePath), 'clicks will be lost')
  yield await checkAccess(settings)
  yield await checkPublicAddress(settings)
}
