import type { Result } from '../../call.ts'

export type LinkRow = Result<'getLink'>
/** A link of the list, with its bundles. */
export type ListedLink = Result<'listLinks'>[number]
