import type { CodedReason, ForeignFeature, ReasonCode, UnsupportedKind } from '../../../transfer/reason.ts'
import type { OwnKey } from '../../texts/index.ts'
import type { Translate } from '../../texts/text.ts'
import type { Row } from './job.ts'

/** The text of each code (L25.7); null for those of the CSV parser. */
const REASON_TEXTS: Readonly<Record<ReasonCode, OwnKey | null>> = {
  slug_exists: 'transfer.reason.sameSlug',
  url_exists: 'transfer.reason.sameUrl',
  slug_taken: 'transfer.reason.taken',
  slug_not_owned: 'transfer.reason.notYours',
  slug_not_alone: 'transfer.reason.notAlone',
  owner_changed: 'transfer.reason.owner',
  auto_slug_changed: 'transfer.reason.autoTaken',
  slug_renamed: 'transfer.reason.renamed',
  slug_overwritten: 'transfer.reason.overwritten',
  features_dropped: 'transfer.reason.omitted',
  field_cut: 'transfer.reason.cut',
  field_dropped: 'transfer.reason.dropped',
  domain_dropped: 'transfer.reason.domainDropped',
  password_unknown: 'transfer.reason.password',
  link_disabled: 'transfer.reason.disabled',
  slug_case: 'transfer.reason.case',
  url_required: 'transfer.reason.urlRequired',
  url_invalid: 'error.urlInvalid',
  slug_required: 'transfer.reason.slugRequired',
  slug_invalid: 'transfer.reason.badSlug',
  domain_unknown: 'transfer.reason.domain',
  too_many_slugs: 'transfer.reason.manySlugs',
  redirect_loop: 'error.redirectLoop',
  too_many_hops: 'error.tooManyHops',
  field_too_long: 'transfer.reason.long',
  field_malformed: 'transfer.reason.control',
  time_invalid: 'transfer.reason.time',
  field_invalid: 'transfer.reason.wrong',
  field_count: 'transfer.reason.fields',
  not_json: 'transfer.reason.notJson',
  not_utf8: 'transfer.reason.notText',
  too_long: 'transfer.reason.tooLong',
  too_deep: 'transfer.reason.deep',
  too_many_values: 'transfer.reason.tooMuch',
  file_empty: 'transfer.reason.empty',
  file_not_utf8: 'transfer.reason.fileNotText',
  file_malformed: null,
  file_unsupported: 'transfer.reason.kind',
  column_missing: 'transfer.reason.columns',
  too_many_columns: 'transfer.reason.manyColumns',
  entries_missing: 'transfer.reason.noEntries',
  quote_not_closed: 'transfer.reason.quote',
  json_truncated: 'transfer.reason.breaksOff',
}

const FEATURE_TEXTS: Readonly<Record<ForeignFeature, OwnKey>> = {
  valid_since: 'transfer.reason.omitted.start',
  max_visits: 'transfer.reason.omitted.visits',
  forward_query: 'transfer.reason.omitted.query',
  ios: 'transfer.reason.omitted.ios',
  android: 'transfer.reason.omitted.android',
  geo: 'transfer.reason.omitted.country',
  expired_url: 'transfer.reason.omitted.expiry',
  rules: 'transfer.reason.omitted.rules',
  split: 'transfer.reason.omitted.split',
  region: 'transfer.reason.omitted.region',
  cloaking: 'transfer.reason.omitted.cloaking',
}

const KIND_TEXTS: Readonly<Record<UnsupportedKind, OwnKey>> = {
  bookmarks: 'transfer.reason.kind.bookmarks',
  html: 'transfer.reason.kind.html',
  sql: 'transfer.reason.kind.sql',
  zip: 'transfer.reason.kind.zip',
  gzip: 'transfer.reason.kind.gzip',
  sqlite: 'transfer.reason.kind.sqlite',
}

function valuesOf(t: Translate, reason: CodedReason): Record<string, string | number> {
  const { code, slug, missing, columns, features, kind, ...values } = reason
  return {
    ...values,
    // An invalid slug may contain any character.
    ...(slug !== undefined && { slug: code === 'slug_invalid' ? JSON.stringify(slug) : slug }),
    ...(kind && { kind: t(KIND_TEXTS[kind]) }),
    ...(missing && { missing: missing.map((name) => `"${name}"`).join(' / ') }),
    ...(columns && { columns: columns.join(', ') }),
    ...(features && { features: features.map((feature) => t(FEATURE_TEXTS[feature])).join(', ') }),
  }
}

/** The reasons of a row in the user's language, or in the server's English where one has no text. */
export function reasonText(
  t: Translate,
  { reason = '', reasons = [] }: Pick<Row, 'reason' | 'reasons'>,
): string {
  const texts = reasons.map((each) => {
    const key = REASON_TEXTS[each.code]
    return key && t(key, valuesOf(t, each))
  })
  return texts.length > 0 && texts.every((text) => text !== null) ? texts.join('; ') : reason
}
