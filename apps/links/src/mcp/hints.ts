import type { Failure } from '@latchkey/http/failure'
import type { FailureCode } from '../failures.ts'

const OWN = 'You can read it, and add slugs or put it into a bundle; find the owner in `created_by`.'
const OWN_BUNDLE = 'You can read it and add links to it; find the owner in `created_by`.'
const CUSTOM = 'List the slugs of the link with get_link.'
const LATER = 'Try again later.'

/** What to do about a failure; assistants recover better when told. */
const hints: Partial<Record<FailureCode, string>> = {
  link_not_found: 'Find the id with search_links or list_links.',
  bundle_not_found: 'Find the id with list_bundles, filter "all" for archived ones.',
  slug_not_found: CUSTOM,
  slug_not_on_link: CUSTOM,
  not_found: 'No slug looks like that: letters, digits and, in the middle, . _ ~ - are allowed.',
  not_owner_update: OWN,
  not_owner_disable: OWN,
  not_owner_enable: OWN,
  not_owner_delete: OWN,
  not_owner_slug_disable: OWN,
  not_owner_slug_enable: OWN,
  not_owner_slug_remove: OWN,
  not_owner_primary: OWN,
  not_owner_bundle_update: OWN_BUNDLE,
  not_owner_bundle_archive: OWN_BUNDLE,
  not_owner_bundle_unarchive: OWN_BUNDLE,
  not_owner_bundle_delete: OWN_BUNDLE,
  not_owner_bundle_links: OWN_BUNDLE,
  too_many_slugs: 'Remove slugs that nobody uses with remove_slug, or make another link.',
  slug_taken: 'Choose another slug; search_links tells which link has this one.',
  link_has_clicks: 'Use disable_link; clicks are not deleted from here.',
  slug_has_clicks: 'Use disable_slug; clicks are not deleted from here.',
  disabled_primary: 'Use enable_slug first.',
  auto_slug_disable: 'Use disable_link to stop the whole link.',
  auto_slug_remove: 'Use delete_link to delete the whole link.',
  qr_too_long: 'Choose a shorter slug or a shorter base_url.',
  internal: LATER,
}

/** The API's text, then the way out. Names the tool where the arguments are to blame. */
export function explain(failure: Failure, tool: string): string {
  if (failure.code === 'invalid_input')
    return `${failure.message}\nCorrect the arguments of ${tool}; its input schema names every limit.`
  const hint = hints[failure.code as FailureCode]
  return hint === undefined ? failure.message : `${failure.message}\n${hint}`
}
