import type { Selectable } from 'kysely'
import type { Tables } from '../db/tables.ts'

/** Clicks that a viewer leaves out of every figure (L14.3). */
export interface ViewerFilters {
  readonly bots: boolean
  readonly selfReferrers: boolean
}

/** What the public API counts with: every click. */
export const NO_FILTERS: ViewerFilters = { bots: false, selfReferrers: false }

/** What a person has chosen for the admin side and for assistants. */
export function filtersOf(preferences: Selectable<Tables['preference']>): ViewerFilters {
  return {
    bots: preferences.filter_bots === 1,
    selfReferrers: preferences.filter_self_referrers === 1,
  }
}
