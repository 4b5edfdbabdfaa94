import { join } from 'node:path'
import { type Reader, openReader } from '@latchkey/database/database'
import { dialectOf, sqlitePath } from '@latchkey/database/url'
import { checkBackup } from '@latchkey/doctor/backup'
import { checkDatabase } from '@latchkey/doctor/database'
import { checkDisk } from '@latchkey/doctor/disk'
import { type Finding, warn } from '@latchkey/doctor/finding'
import { checkSettings } from '@latchkey/doctor/settings'
import type { Environment } from '@latchkey/settings/settings'
import { findLastBackup } from '../backup/last-backup.ts'
import { migrations } from '../db/migrations.ts'
import type { Tables } from '../db/tables.ts'
import { readDemoSettings, findDemoRefusal } from '../settings/demo.ts'
import { type TeamsConfig, issuerOf, subjectSourceOf } from '../identity/provider-config.ts'
import { countInheritableAccounts } from '../platform/provider-change.ts'
import { countUnreachableAccounts } from '../platform/store.ts'
import { type Settings, readSettings, settingsWarnings } from '../settings/settings.ts'
import { checkAccessLayer } from './access-layer.ts'
import { checkFiles } from './files.ts'
import {
  checkAddresses,
  checkConditions,
  checkHosts,
  checkProvider,
  checkProviderClock,
} from './external-checks.ts'
import { checkVoice } from './voice.ts'
import { hasLoginsWithoutGrants, newestSessionAt } from './store.ts'

/**
 * Checks everything that the service depends on, according to the environment, and lists the URLs
 * to register at the identity provider. Creates and changes nothing.
 */
export async function* examine(env: Environment, now: () => number = Date.now): AsyncGenerator<Finding> {
  if (!env['AUTH_PROVIDER']) {
    // Only a warning: Links alone needs no provider.
    const start = findDemoRefusal(env) ?? 'latchkey start runs a demo provider, for this machine only'
    yield warn('provider', `AUTH_PROVIDER is unset. ${start}`)
    const { settings, findings } = checkSettings({ readSettings: readDemoSettings, settingsWarnings }, env)
    yield* findings
    if (settings) yield* examineStorage(settings, now)
    return
  }
  const { settings, findings } = checkSettings({ readSettings, settingsWarnings }, env)
  yield* findings
  if (!settings) return
  yield* examineStorage(settings, now)
  yield* await checkAccounts(settings)
  // Imported here, to load the Redis client only if there is a bus.
  if (settings.busUrl !== null) yield await (await import('./bus.ts')).checkBus(settings.busUrl)
  yield* checkVoice(settings, now)
  yield* checkHosts(settings)
  yield checkConditions(settings)
  yield* checkAccessLayer(settings, now)
  yield* await checkProvider(settings, now)
  yield await checkProviderClock(settings, now)
  yield* checkAddresses(settings)
}

async function* examineStorage(settings: Settings, now: () => number): AsyncGenerator<Finding> {
  const { databaseUrl: url, files } = settings
  yield* await checkDatabase<Tables>({
    url,
    setting: 'ROOMS_DATABASE_URL',
    migrations,
    newestAt: newestSessionAt,
    checkTables: async (read) => checkBackup(await findLastBackup(read), Math.floor(now() / 1000)),
    harm: 'every login will be refused',
    now,
  })
  const paths = [
    ...(dialectOf(url) === 'sqlite' ? [sqlitePath(url)] : []),
    ...('folder' in files ? [join(files.folder, 'uploads')] : []),
  ]
  yield* await checkDisk(paths, 'users cannot sign in or send files')
  yield* checkFiles(settings)
}

function missingTeamsHint(teams: TeamsConfig | null): string {
  const [claim, id, role] = [teams?.claimPath, teams?.idPath, teams?.rolePath].map((path) => path?.whole)
  const expected = `the claim ${claim} must be a list of objects with ${id} and ${role}`
  return `no user who signed in owns a team: ${expected}, not of strings; TEAMIDP_OWNER_ROLES lists the roles that count`
}

function missingAdminHint(path = ''): string {
  return `no user who signed in is an administrator by the claim ${path}: it must be a text, or a list of texts, that equals or contains AUTH_ADMIN_CLAIM_VALUE; the log of a login names a shape that never can`
}

/**
 * Reports accounts to which the current provider cannot sign anyone in, and accounts that it may
 * give to other users (R8.5).
 */
async function checkAccounts({ databaseUrl, provider }: Settings): Promise<Finding[]> {
  let database: Reader<Tables> | undefined
  try {
    database = openReader(databaseUrl)
    const issuer = issuerOf(provider)
    const unreachable = await countUnreachableAccounts(database.read, issuer)
    const inheritable = await countInheritableAccounts(database.read, issuer, subjectSourceOf(provider))
    const isWithoutTeams =
      provider.mode === 'teamidp' && (await hasLoginsWithoutGrants(database.read, issuer, 'teamidp'))
    const isWithoutAdmins =
      provider.adminClaim !== null && (await hasLoginsWithoutGrants(database.read, issuer, 'claim'))
    const what = `${unreachable} from a provider other than ${issuer} cannot sign in`
    const changed = 'OAUTH_USERINFO_ENDPOINT or OAUTH_SUBJECT_PATH has changed since they were created'
    return [
      ...(unreachable > 0
        ? [warn('accounts', `${what}: set that provider again, or let these users sign in with new accounts`)]
        : []),
      ...(inheritable > 0
        ? [warn('accounts', `${inheritable} may be reached by users of another provider: ${changed}`)]
        : []),
      ...(isWithoutTeams ? [warn('teams', missingTeamsHint(provider.teams))] : []),
      ...(isWithoutAdmins ? [warn('admin claim', missingAdminHint(provider.adminClaim?.path.whole))] : []),
    ]
  } catch {
    // Other findings report why the database cannot be read, or it does not exist yet.
    return []
  } finally {
    await database?.close()
  }
}
