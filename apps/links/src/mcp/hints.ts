import type { Failure } from '@latchkey/http/failure'
import type { FailureCode } from '../api/failures.ts'

const LINK_OWNER_HINT =
  'You can read it, and add slugs or put it into a bundle; find the owner in `created_by`.'
const BUNDLE_OWNER_HINT = 'You can read it and add links to it; find the owner in `created_by`.'
const SLUG_HINT = 'List the slugs of the link with get_link.'
const RETRY_HINT = 'Try again later.'

/** Remedies for failures. Assistants recover better with them. */
const hints: Partial<Record<FailureCode, string>> = {
  link_not_found: 'Find the id with search_links or list_links.',
  bundle_not_found: 'Find the id with list_bundles, filter "all" for archived ones.',
  slug_not_found: SLUG_HINT,
  slug_not_on_link: SLUG_HINT,
  not_found: 'No slug looks like that: letters, digits and, in the middle, . _ ~ - are allowed.',
  not_owner_update: LINK_OWNER_HINT,
  not_owner_disable: LINK_OWNER_HINT,
  not_owner_enable: LINK_OWNER_HINT,
  not_owner_delete: LINK_OWNER_HINT,
  not_owner_slug_disable: LINK_OWNER_HINT,
  not_owner_slug_enable: LINK_OWNER_HINT,
  not_owner_slug_remove: LINK_OWNER_HINT,
  not_owner_primary: LINK_OWNER_HINT,
  not_owner_bundle_update: BUNDLE_OWNER_HINT,
  not_owner_bundle_archive: BUNDLE_OWNER_HINT,
  not_owner_bundle_unarchive: BUNDLE_OWNER_HINT,
  not_owner_bundle_delete: BUNDLE_OWNER_HINT,
  not_owner_bundle_links: BUNDLE_OWNER_HINT,
  too_many_slugs: 'Remove slugs that nobody uses with remove_slug, or make another link.',
  redirect_loop: 'Give the final destination instead of the short URL.',
  too_many_hops: 'Give the final destination instead of the short URL.',
  behaviour_too_long: 'Use fewer rules or shorter URLs.',
  no_password: 'Leave out the password, or give a new one.',
  slug_taken: 'Choose another slug; search_links tells which link has this one.',
  link_has_clicks: 'Use disable_link; clicks are not deleted from here.',
  slug_has_clicks: 'Use disable_slug; clicks are not deleted from here.',
  disabled_primary: 'Use enable_slug first.',
  auto_slug_disable: 'Use disable_link to stop the whole link.',
  auto_slug_remove: 'Use delete_link to delete the whole link.',
  qr_unchecked: RETRY_HINT,
  qr_too_long: 'Choose a shorter slug or a shorter base_url.',
  plan_outdated: 'Use plan_changes again, and show the person the new diff.',
  plan_not_open: 'Read its state with get_plan; use plan_changes for a new plan.',
  policy_plan_needed: 'Use plan_changes, then apply_plan.',
  policy_confirmation_needed:
    'Use plan_changes, then give the person the address of the plan, /_/admin/plans/ and its id. Only they can apply it.',
  operation_not_plannable: 'Use names such as createLink, updateLink, disableLink, addSlug or createBundle.',
  internal: RETRY_HINT,
}

/**
 * Returns the message of the API and its remedy, with the name of the tool if its arguments are the
 * cause.
 */
export function formatFailure(failure: Failure, tool: string): string {
  if (failure.code === 'invalid_request')
    return `${failure.message}\nCorrect the arguments of ${tool}; its input schema names every limit.`
  // The plan exists, and the message has the address of its page.
  if (failure.code === 'policy_confirmation_needed' && tool === 'apply_plan')
    return `${failure.message}\nGive the person this address, then read with get_plan whether they applied it.`
  const hint = hints[failure.code as FailureCode]
  return hint === undefined ? failure.message : `${failure.message}\n${hint}`
}
