import type { CallError } from '@latchkey/web/call'
import { numberFormat, relativeTime } from '@latchkey/web/formats'
import { type Translate as TranslateAny, type Wording, useTexts } from '@latchkey/web/texts'
import type { SharedTextKey } from '@latchkey/web/texts/shared'
import type { ErrorCode } from '../../api/failures.ts'
import { zoneName } from '../parts/time-zone.ts'
import { type OwnKey, texts } from './index.ts'

export type TextKey = OwnKey | SharedTextKey

/** Errors that the client itself detects, beside `offline`. */
type ClientError = 'import_interrupted'

/** The text of each error code of the API (L25.6) and of the client. */
const ERROR_TEXTS: Readonly<Record<ErrorCode | ClientError, TextKey>> = {
  unauthorized: 'shell.stale',
  api_keys_refused: 'error.forbidden',
  forbidden: 'error.forbidden',
  cross_site: 'error.forbidden',
  not_found: 'error.gone',
  method_not_allowed: 'error.refused',
  body_too_large: 'error.tooLarge',
  unsupported_media_type: 'error.refused',
  invalid_json: 'error.refused',
  invalid_request: 'error.refused',
  unknown_field: 'error.refused',
  too_many_requests: 'error.tooMany',
  internal: 'error.internal',
  storage_unavailable: 'error.storage',
  access_unavailable: 'error.unavailable',
  outcome_unknown: 'error.outcomeUnknown',
  link_not_found: 'error.linkGone',
  slug_not_found: 'error.slugGone',
  slug_not_on_link: 'error.slugGone',
  bundle_not_found: 'error.bundleGone',
  key_not_found: 'keys.gone',
  not_owner_update: 'error.notOwner',
  not_owner_disable: 'error.notOwner',
  not_owner_enable: 'error.notOwner',
  not_owner_transfer: 'error.notOwner',
  not_owner_restore: 'error.notOwner',
  not_admin_history: 'error.notAdmin',
  not_admin_policy: 'error.notAdmin',
  assistant_not_found: 'error.gone',
  program_unknown: 'error.refused',
  too_many_policies: 'error.refused',
  policy_read_only: 'error.forbidden',
  policy_plan_needed: 'error.forbidden',
  policy_confirmation_needed: 'error.forbidden',
  policy_writes_per_hour: 'error.forbidden',
  policy_host: 'error.forbidden',
  policy_bundle: 'error.forbidden',
  not_admin_undo: 'error.notAdmin',
  change_not_found: 'error.gone',
  events_deleted: 'error.gone',
  password_not_kept: 'error.passwordNotKept',
  not_owner_bundle_transfer: 'error.notOwner',
  owner_unknown: 'error.refused',
  not_owner_delete: 'error.notOwner',
  not_owner_slug_disable: 'error.notOwner',
  not_owner_slug_enable: 'error.notOwner',
  not_owner_slug_remove: 'error.notOwner',
  not_owner_link_share: 'error.notOwner',
  not_owner_primary: 'error.notOwner',
  not_owner_bundle_update: 'error.notBundleOwner',
  not_owner_bundle_archive: 'error.notBundleOwner',
  not_owner_bundle_unarchive: 'error.notBundleOwner',
  not_owner_bundle_delete: 'error.notBundleOwner',
  not_owner_bundle_share: 'error.notBundleOwner',
  not_owner_bundle_links: 'error.notBundleOwner',
  not_admin: 'error.notAdmin',
  link_changed: 'error.linkChanged',
  domain_not_found: 'error.domainGone',
  domain_changed: 'error.domainChanged',
  alias_of_unknown: 'error.aliasOfUnknown',
  domain_invalid: 'error.domainGone',
  root_url_invalid: 'error.urlInvalid',
  root_url_too_long: 'settings.rootLong',
  root_url_malformed: 'error.characters',
  well_known_too_long: 'error.wellKnownLong',
  url_required: 'error.urlInvalid',
  url_invalid: 'error.urlInvalid',
  url_too_long: 'settings.rootLong',
  url_malformed: 'error.characters',
  label_too_long: 'error.labelLong',
  label_malformed: 'error.characters',
  expires_at_invalid: 'error.expiry',
  search_too_long: 'error.searchLong',
  search_malformed: 'error.characters',
  slug_required: 'error.slugEmpty',
  slug_invalid: 'error.slugSymbols',
  slug_too_long: 'error.slugLong',
  slug_reserved: 'error.slugReserved',
  slug_taken: 'error.slugTaken',
  too_many_slugs: 'error.slugsMany',
  too_many_guest_slugs: 'error.guestSlugsMany',
  link_has_clicks: 'link.notDeleted',
  slug_has_clicks: 'error.slugHasClicks',
  disabled_primary: 'error.disabledPrimary',
  auto_slug_disable: 'error.automaticDisable',
  auto_slug_remove: 'error.automaticRemove',
  // The QR dialog has a text with the smallest size.
  qr_too_small: 'error.refused',
  qr_too_long: 'error.qrLevel',
  qr_unreadable: 'error.qrUnreadable',
  qr_unchecked: 'error.unavailable',
  qr_preset_not_found: 'error.gone',
  too_many_qr_presets: 'error.qrPresetsMany',
  dark_low_contrast: 'link.qrContrast',
  name_required: 'bundles.nameRequired',
  name_too_long: 'bundles.nameLong',
  name_malformed: 'error.characters',
  description_too_long: 'bundles.descriptionLong',
  description_malformed: 'error.characters',
  icon_too_long: 'bundles.iconLong',
  icon_malformed: 'error.characters',
  accent_invalid: 'error.refused',
  title_required: 'keys.titleRequired',
  title_too_long: 'keys.titleLong',
  title_malformed: 'error.characters',
  scope_invalid: 'error.refused',
  utm_template_not_found: 'error.gone',
  too_many_utm_templates: 'error.templatesMany',
  webhook_not_found: 'error.webhookGone',
  delivery_not_found: 'error.deliveryGone',
  event_deleted: 'error.eventGone',
  too_many_webhooks: 'error.webhooksMany',
  url_private: 'error.webhookPrivate',
  too_many_keys: 'keys.many',
  slug_default_length_invalid: 'settings.slugLengthBad',
  time_zone_invalid: 'settings.timeZoneBad',
  root_redirect_url_invalid: 'settings.rootBad',
  root_redirect_url_too_long: 'settings.rootLong',
  root_redirect_url_malformed: 'error.characters',
  not_found_url_invalid: 'error.urlInvalid',
  not_found_url_too_long: 'settings.rootLong',
  not_found_url_malformed: 'error.characters',
  behaviour_too_long: 'error.behaviourLong',
  redirect_loop: 'error.redirectLoop',
  too_many_hops: 'error.tooManyHops',
  variant_not_found: 'error.variantGone',
  no_password: 'error.noPassword',
  upload_interrupted: 'transfer.brokeOff',
  import_interrupted: 'transfer.lost',
  import_stopped: 'error.unavailable',
  import_running: 'transfer.own',
  imports_full: 'transfer.full',
  analytics_busy: 'error.tooMany',
  analytics_stopped: 'error.unavailable',
  deletion_stopped: 'error.deletionStopped',
  // The admin side sends no idempotency keys.
  idempotency_key_invalid: 'error.refused',
  idempotency_key_running: 'error.refused',
  idempotency_key_other_body: 'error.refused',
  idempotency_key_other_path: 'error.refused',
  plan_not_found: 'error.gone',
  plan_not_open: 'error.planClosed',
  plan_not_applied: 'error.planClosed',
  plan_outdated: 'error.planOutdated',
  plan_history_deleted: 'error.planHistory',
  too_many_plans: 'error.refused',
  operation_not_plannable: 'error.refused',
  password_not_plannable: 'error.refused',
  reference_unknown: 'error.refused',
  too_many_clicks_to_plan: 'error.refused',
  too_many_changes: 'error.tooManyChanges',
  later_change: 'error.laterChange',
  undo_needs_rights: 'error.notOwner',
  undo_impossible: 'error.undoImpossible',
  cursor_invalid: 'error.listMoved',
}

const STATUS_TEXTS: Readonly<Record<number, TextKey>> = {
  403: 'error.forbidden',
  404: 'error.gone',
  413: 'error.tooLarge',
  429: 'error.tooMany',
  500: 'error.internal',
}

const hasText = (code: string): code is keyof typeof ERROR_TEXTS => Object.hasOwn(ERROR_TEXTS, code)

/**
 * Key of the text of a refusal: by its code, else by its status. A proxy answers without a code. The
 * server's own sentences are English and are not shown.
 */
function failureKey({ code, status }: CallError): TextKey {
  if (code !== undefined && hasText(code)) return ERROR_TEXTS[code]
  return STATUS_TEXTS[status] ?? (status > 500 ? 'error.unavailable' : 'error.refused')
}

/** Text of an error code in an answer, which a newer service may have added. */
export const textOfCode = (code: string): TextKey => (hasText(code) ? ERROR_TEXTS[code] : 'error.refused')

/** Text of a failure that the API has announced, such as that of a slug in a form. */
export const textOf = (code: ErrorCode): TextKey => ERROR_TEXTS[code]

export const wording: Wording = {
  texts,
  failureKey,
}

export type Translate = TranslateAny<TextKey>

/**
 * Texts, numbers and times in the user's language. The component re-renders when the language
 * changes. Times are Unix seconds, as in the API.
 */
export function useText() {
  const { day, moment, ...rest } = useTexts<TextKey>()
  const formatPercent = (options: Intl.NumberFormatOptions) =>
    numberFormat(rest.language, { style: 'percent', ...options })
  return {
    ...rest,
    day: (seconds: number) => day(new Date(seconds * 1000)),
    moment: (seconds: number) => `${moment(new Date(seconds * 1000))} ${zoneName(rest.language, seconds)}`,
    /** A time in the past, in Unix milliseconds, by its age. */
    ago: (atMs: number) => relativeTime(rest.language, atMs, Date.now()),
    percent: (value: number) => formatPercent({ signDisplay: 'exceptZero' }).format(value / 100),
    /** Formats a fraction, 0 to 1, as a percentage. A positive fraction is never 0 %. */
    share: (part: number) =>
      part > 0 && part < 0.005 ? `<${formatPercent({}).format(0.01)}` : formatPercent({}).format(part),
  }
}
