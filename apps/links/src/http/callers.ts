import type { Caller, CreatedVia } from '../api/caller.ts'
import { NO_FILTERS, filtersOf } from '../clicks/filters.ts'
import { findPreferences } from '../preferences/store.ts'
import { Range } from '../time/schema.ts'
import type { Services } from './services.ts'

type CallerServices = Pick<Services, 'database' | 'settings'>

/** Returns the person as caller, with their display preferences. */
export async function readCaller(
  { database, settings }: CallerServices,
  identity: string,
  createdVia: CreatedVia,
): Promise<Caller> {
  const preferences = await findPreferences(database.read, identity)
  const defaultRange = Range.parse(preferences.default_range)
  const isAdmin = settings.admins.includes(identity)
  return { identity, createdVia, filters: filtersOf(preferences), defaultRange, isAdmin }
}

/** Returns the owner of an API key as caller. Their statistics count every click of all time. */
export function keyCaller({ settings }: CallerServices, identity: string, createdVia: CreatedVia): Caller {
  const isAdmin = settings.admins.includes(identity)
  return { identity, createdVia, filters: NO_FILTERS, defaultRange: 'all', isAdmin }
}
