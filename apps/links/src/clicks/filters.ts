import type { Selectable } from 'kysely'
import type { Tables } from '../db/tables.ts'

/** Clicks that a viewer excludes from all statistics (L14.3). */
export interface ViewerFilters {
  readonly bots: boolean
  readonly selfReferrers: boolean
}

/** Filters of the public API, which counts every click. */
export const NO_FILTERS: ViewerFilters = { bots: false, selfReferrers: false }

/** Filters from a user's preferences, for the admin side and for assistants. */
export function filtersOf(preferences: Selectable<Tables['preference']>): ViewerFilters {
  return {
    bots: preferences.filter_bots === 1,
    selfReferrers: preferences.filter_self_referrers === 1,
  }
}
