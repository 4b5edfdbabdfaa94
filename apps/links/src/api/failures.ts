import { OutcomeUnknown, isStorageUnavailable } from '@latchkey/database/errors'
import { Failure, OUTCOME_UNKNOWN, transportFailure, transportFailures } from '@latchkey/http/failure'
import type { Log } from '@latchkey/http/log'

/** The closed list of failures of requests to Links (L3.3, L6, L8, L15). */
export const failures = {
  ...transportFailures,
  api_keys_refused: { status: 401, text: 'API keys are not accepted here' },
  access_unavailable: {
    status: 503,
    text: 'Cannot fetch the keys of the access layer: check LINKS_ACCESS_JWKS_URL',
  },
  outcome_unknown: { status: 503, text: OUTCOME_UNKNOWN },
  cross_site: { status: 403, text: 'Cross-site request refused' },
  link_not_found: { status: 404, text: 'Link not found' },
  slug_not_found: { status: 404, text: 'Slug not found' },
  slug_not_on_link: { status: 404, text: 'Slug not found on this link' },
  change_not_found: { status: 404, text: 'Change not found' },
  events_deleted: {
    status: 410,
    text: 'The events after this one are not stored any more: start again without after',
  },
  policy_read_only: { status: 403, text: 'The policy of this program lets it only read' },
  policy_plan_needed: {
    status: 403,
    text: 'The policy of this program lets it write only by plans: create a plan and apply it',
  },
  policy_confirmation_needed: {
    status: 403,
    text: 'The policy of this program leaves this to a person: create a plan for them to apply in the admin pages',
  },
  policy_writes_per_hour: {
    status: 429,
    text: 'The policy of this program allows no more changes within this hour',
  },
  policy_host: { status: 403, text: 'The policy of this program does not allow this destination' },
  policy_bundle: { status: 403, text: 'The policy of this program does not allow changes of this bundle' },
  not_admin_policy: {
    status: 403,
    text: 'Only administrators of the instance can read and set the policies of others',
  },
  assistant_not_found: { status: 404, text: 'Assistant not found' },
  program_unknown: {
    status: 400,
    text: 'No such program has written for this person; send confirm=true if both names are right',
  },
  too_many_policies: { status: 400, text: 'A person has policies for at most 200 programs without a key' },
  bundle_not_found: { status: 404, text: 'Bundle not found' },
  key_not_found: { status: 404, text: 'Key not found' },
  not_owner_update: { status: 403, text: 'Only the link owner can update this link' },
  not_owner_disable: { status: 403, text: 'Only the link owner can disable this link' },
  not_owner_enable: { status: 403, text: 'Only the link owner can enable this link' },
  not_owner_delete: { status: 403, text: 'Only the link owner can delete this link' },
  not_owner_transfer: { status: 403, text: 'Only the link owner can transfer this link' },
  not_owner_restore: { status: 403, text: 'Only the link owner can restore this link' },
  not_owner_slug_disable: { status: 403, text: 'Only the link owner can disable slugs on this link' },
  not_owner_slug_enable: { status: 403, text: 'Only the link owner can enable slugs on this link' },
  not_owner_slug_remove: { status: 403, text: 'Only the link owner can remove slugs on this link' },
  not_owner_link_share: { status: 403, text: 'Only the link owner can share its statistics' },
  not_owner_primary: { status: 403, text: 'Only the link owner can change the primary slug' },
  not_owner_bundle_update: { status: 403, text: 'Only the bundle owner can update this bundle' },
  not_owner_bundle_archive: { status: 403, text: 'Only the bundle owner can archive this bundle' },
  not_owner_bundle_unarchive: { status: 403, text: 'Only the bundle owner can unarchive this bundle' },
  not_owner_bundle_delete: { status: 403, text: 'Only the bundle owner can delete this bundle' },
  not_owner_bundle_transfer: { status: 403, text: 'Only the bundle owner can transfer this bundle' },
  not_owner_bundle_share: { status: 403, text: 'Only the bundle owner can share its statistics' },
  not_owner_bundle_links: { status: 403, text: 'Only the bundle owner can remove links from this bundle' },
  not_admin: { status: 403, text: 'Only administrators of the instance can change this' },
  not_admin_history: {
    status: 403,
    text: 'Only administrators of the instance can read the changes of others',
  },
  not_admin_undo: {
    status: 403,
    text: 'Only administrators of the instance can undo the changes of others',
  },
  domain_not_found: { status: 404, text: 'Domain not found' },
  domain_changed: { status: 412, text: 'The domain was changed meanwhile' },
  alias_of_unknown: { status: 400, text: 'alias_of: must be another domain of this instance' },
  owner_unknown: {
    status: 400,
    text: 'owner: has created nothing on this instance; send confirm: true if the name is right',
  },
  link_changed: { status: 412, text: 'The link was changed meanwhile' },
  behaviour_too_long: { status: 400, text: 'behaviour: too long' },
  redirect_loop: { status: 400, text: 'The link would lead visitors back to itself' },
  too_many_hops: {
    status: 400,
    text: 'The link would lead visitors over more than 5 short URLs of this instance',
  },
  variant_not_found: { status: 400, text: 'variant: is no part of a split of this link' },
  password_not_kept: {
    status: 400,
    text: 'The link had a password then, which history does not keep; set a new one first',
  },
  no_password: { status: 400, text: 'password: is not set' },
  slug_taken: { status: 409, text: 'Slug already exists' },
  too_many_slugs: { status: 400, text: 'A link has at most 5000 slugs' },
  too_many_guest_slugs: {
    status: 400,
    text: 'You can add at most 50 slugs to a link that you do not own',
  },
  utm_template_not_found: { status: 404, text: 'UTM template not found' },
  too_many_utm_templates: {
    status: 400,
    text: 'You have reached the limit of 100 UTM templates; delete one first',
  },
  webhook_not_found: { status: 404, text: 'Webhook not found' },
  delivery_not_found: { status: 404, text: 'Delivery not found' },
  event_deleted: { status: 410, text: 'The event of this delivery is not stored any more' },
  too_many_webhooks: { status: 400, text: 'You have reached the limit of 20 webhooks; delete one first' },
  url_private: {
    status: 400,
    text: 'url: is a private address, which only LINKS_WEBHOOK_ALLOW lets webhooks reach',
  },
  too_many_keys: { status: 400, text: 'You have reached the limit of API keys; revoke one first' },
  link_has_clicks: { status: 400, text: 'Cannot delete a link with clicks, disable it instead' },
  slug_has_clicks: { status: 400, text: 'Cannot remove a slug with clicks, disable it instead' },
  disabled_primary: { status: 400, text: 'Cannot make a disabled slug primary, enable it first' },
  auto_slug_disable: {
    status: 400,
    text: 'Cannot disable the system-generated slug; only custom slugs can be disabled. Disable the whole link instead.',
  },
  auto_slug_remove: {
    status: 400,
    text: 'Cannot remove the system-generated slug; only custom slugs can be removed. Delete the whole link instead.',
  },
  qr_too_small: { status: 400, text: 'size: is too small for this code' },
  qr_too_long: { status: 400, text: 'level: is too high for a URL of this length' },
  qr_unreadable: { status: 400, text: 'A scanner could not read this code' },
  qr_unchecked: { status: 503, text: 'The code could not be read back in time; try again' },
  qr_preset_not_found: { status: 404, text: 'Preset not found' },
  too_many_qr_presets: { status: 400, text: 'You have reached the limit of 30 presets; delete one first' },
  import_stopped: { status: 503, text: 'The import was interrupted' },
  import_running: { status: 429, text: 'You already have an import running; wait until it finishes' },
  imports_full: { status: 429, text: 'Too many imports are running; try again later' },
  analytics_busy: {
    status: 429,
    text: 'Too many filtered statistics at once; try again when one has finished',
  },
  analytics_stopped: { status: 503, text: 'The statistics were interrupted' },
  deletion_stopped: {
    status: 503,
    text: 'The database became unavailable before all clicks were deleted. Try again later to delete the rest.',
  },
  idempotency_key_invalid: { status: 400, text: 'Idempotency-Key: must be 1 to 64 visible characters' },
  idempotency_key_running: {
    status: 409,
    text: 'The first request with this Idempotency-Key is still running; try again later',
  },
  idempotency_key_other_body: { status: 422, text: 'Idempotency-Key was used with another body' },
  idempotency_key_other_path: { status: 422, text: 'Idempotency-Key was used on another path' },
  plan_not_found: { status: 404, text: 'Plan not found' },
  plan_not_open: { status: 409, text: 'The plan is not open: it was applied or discarded, or has expired' },
  plan_not_applied: { status: 409, text: 'The plan is not applied, or was undone already' },
  plan_outdated: {
    status: 409,
    text: 'Something that the plan depends on was changed since; create the plan again',
  },
  plan_history_deleted: { status: 409, text: 'The history of the plan was deleted, which undoing it needs' },
  too_many_plans: {
    status: 400,
    text: 'Too many open plans, or too large ones: apply or discard some first',
  },
  operation_not_plannable: {
    status: 400,
    text: 'operation: does not write links or bundles; a plan has operations that do',
  },
  password_not_plannable: {
    status: 400,
    text: 'password: cannot be part of a plan, because plans are stored; set it with setBehaviour',
  },
  reference_unknown: {
    status: 400,
    text: '$op: must be the number of an earlier operation that creates a link or a bundle',
  },
  too_many_clicks_to_plan: {
    status: 400,
    text: 'A plan deletes at most 2000 clicks at once; delete this without a plan',
  },
  too_many_changes: { status: 400, text: 'More than 5000 changes match; choose a later time' },
  later_change: { status: 409, text: 'It was changed since' },
  undo_needs_rights: { status: 403, text: 'Only its owner can undo this' },
  undo_impossible: { status: 409, text: 'Nothing restores this: secrets are not kept' },
  cursor_invalid: { status: 400, text: 'cursor: is not valid with these parameters' },
} as const satisfies typeof transportFailures & Record<string, { status: number; text: string }>

export type FailureCode = keyof typeof failures

/** Specific error codes of invalid values, as `<field>_<problem>` (L25.6). */
const invalidValueCodes = [
  'url_required',
  'url_invalid',
  'url_too_long',
  'url_malformed',
  'slug_required',
  'slug_invalid',
  'slug_too_long',
  'slug_reserved',
  'label_too_long',
  'label_malformed',
  'expires_at_invalid',
  'search_too_long',
  'search_malformed',
  'name_required',
  'name_too_long',
  'name_malformed',
  'description_too_long',
  'description_malformed',
  'icon_too_long',
  'icon_malformed',
  'accent_invalid',
  'title_required',
  'title_too_long',
  'title_malformed',
  'scope_invalid',
  'slug_default_length_invalid',
  'time_zone_invalid',
  'root_redirect_url_invalid',
  'root_redirect_url_too_long',
  'root_redirect_url_malformed',
  'not_found_url_invalid',
  'not_found_url_too_long',
  'not_found_url_malformed',
  'root_url_invalid',
  'root_url_too_long',
  'root_url_malformed',
  'well_known_too_long',
  'domain_invalid',
  'dark_low_contrast',
  'unknown_field',
  'upload_interrupted',
] as const

export type ErrorCode = FailureCode | (typeof invalidValueCodes)[number]

/** The closed list of error codes on the wire (L25.6). */
export const errorCodes: readonly ErrorCode[] = [
  ...(Object.keys(failures) as FailureCode[]),
  ...invalidValueCodes,
]

const codes: ReadonlySet<string> = new Set(errorCodes)

/** The error code on the wire: the more specific code of the failure if it is listed. */
export function errorCodeOf({ code, detail }: Failure): string {
  // `custom_slug` is another name for `slug`.
  const specific = detail?.replace(/^custom_slug_/, 'slug_')
  return specific !== undefined && codes.has(specific) ? specific : code
}

/** Creates a failure of the list. `text` replaces its message if that must contain a number. */
export function failure(code: FailureCode, text: string = failures[code].text): Failure {
  return new Failure(code, { status: failures[code].status, text })
}

/** Returns the failure with the part of the request that failed before its text. */
export function failureAt({ code, status, detail, message, headers }: Failure, place: string): Failure {
  return new Failure(code, { status, detail, text: `${place}: ${message}` }, headers)
}

/**
 * Failure of a deletion in several transactions. After the first one, "nothing was changed" is
 * false.
 */
export function deletionStopped(): Failure {
  return new Failure('deletion_stopped', failures.deletion_stopped, { 'Retry-After': '5' })
}

interface FaultReport {
  log: Pick<Log, 'error'>
  requestId: string
  /** The message for an internal error. */
  message: string
  /**
   * Replaces the log line about an unavailable database where anyone can send requests: a line for
   * each would fill the disk.
   */
  logDatabaseFault?: (error: unknown) => void
}

/**
 * Converts a thrown value to the failure that the caller receives. An unlisted error is logged and
 * returned without details. If the outcome of a write is unknown, the caller gets no advice to
 * retry.
 */
export function failureOf(
  error: unknown,
  { log, requestId, message, logDatabaseFault }: FaultReport,
): Failure {
  if (error instanceof Failure) return error
  const isUnavailable = isStorageUnavailable(error)
  if (isUnavailable && logDatabaseFault) logDatabaseFault(error)
  else log.error(isUnavailable ? 'the database cannot be used' : message, { requestId, error })
  if (error instanceof OutcomeUnknown) return failure('outcome_unknown')
  return isUnavailable
    ? transportFailure('storage_unavailable', { headers: { 'Retry-After': '5' } })
    : transportFailure('internal')
}

/**
 * Messages of schemas that the specification gives word by word, without the name of the field
 * before them.
 */
export const literalTexts: ReadonlySet<string> = new Set([
  'url must be a valid URL',
  'url must use http or https',
  'slug is required',
  'Custom slug must not be empty',
  'Slug must not start with underscore',
  'Custom slug must start and end with a letter or number; allowed symbols in the middle: . _ ~ -',
  'Slug must be 128 characters or fewer',
  'Slug is reserved',
  'name is required',
  'name must not be blank',
  'name must be 120 characters or fewer',
  'accent must be one of: orange, red, green, blue, purple',
  'Title is required',
  'Scope must be one of: create, read, create,read',
  'filter_bots must be a boolean',
  'filter_self_referrers must be a boolean',
  'root_redirect_url must be a valid http or https URL',
  'not_found_url must be a valid http or https URL',
])
