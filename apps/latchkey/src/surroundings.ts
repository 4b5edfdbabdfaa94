import { type Database, openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { migrations } from '@latchkey/links/db/migrations'
import type { Tables } from '@latchkey/links/db/tables'
import { type Settings, readSettings, settingsWarnings } from '@latchkey/links/settings'
import { complain } from './output.ts'

/** The settings that the server would start with. Throws `SettingsError`. */
export function currentSettings(): Settings {
  for (const warning of settingsWarnings(process.env)) complain(warning)
  return readSettings(process.env)
}

/** Works on the service's database, which is made and migrated if need be. */
export async function withDatabase<Result>(
  { databaseUrl }: Settings,
  work: (database: Database<Tables>) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase<Tables>(databaseUrl)
  try {
    await migrate(database, migrations)
    return await work(database)
  } finally {
    await database.close()
  }
}

export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000)
}
