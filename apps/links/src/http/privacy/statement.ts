import { RETENTION_EVERY_HOURS } from '../../counting/old-clicks.ts'
import { SALT_GRACE_SECONDS } from '../../counting/visitor-salts.ts'
import { HOUR } from '../../time/window.ts'
import { isMcpConfigured } from '../../settings/settings.ts'
import type { Settings } from '../../settings/settings.ts'
import {
  type Item,
  type Source,
  type StoredField,
  clickFields,
  journalFields,
  rollupFields,
  saltFields,
} from './stored-fields.ts'

/** The content of both documents: how visitors' data is treated under the running settings. */
export type PrivacyStatement = ReturnType<typeof describePrivacy>

interface FieldStatement {
  name: string
  about: Item
  from: Source
  with_gpc: boolean
}

/** Contains no secret, and nothing that an unknown visitor must not know. */
export function describePrivacy(settings: Settings) {
  const { privacy, honorGpc, retentionDays, countryHeader, access } = settings
  const describe = fieldDescriber(settings)
  return {
    service: 'Latchkey Links',
    privacy,
    honors_gpc: honorGpc,
    cookies: [],
    stores_ip_addresses: false,
    country_from: countryHeader === null ? ['embedded_database'] : ['proxy_header', 'embedded_database'],
    clicks: {
      // A job deletes whole UTC days at intervals.
      kept_days: retentionDays,
      deleted_within_hours: retentionDays === null ? null : RETENTION_EVERY_HOURS,
      fields: describe(clickFields),
    },
    journal: {
      until: 'counted',
      fields: privacy === 'lean' ? describe(clickFields) : describe(journalFields),
    },
    rollups: { kept_days: null, tables: rollupFields },
    visitor_salts: { kept_hours_after_their_day: SALT_GRACE_SECONDS / HOUR, columns: saltFields },
    seen_by: {
      operator: 'everything_stored',
      [access === 'loopback' ? 'people_at_the_server' : 'people_admitted_by_the_operator']: CLICKS,
      programs_with_an_api_key: COUNTS,
      ...(isMcpConfigured(settings) && { assistants: COUNTS }),
      holders_of_a_shared_address: COUNTS,
    },
    sent_to_others: [],
    fetched_from_destinations: { titles: settings.titleFetch, icons: settings.faviconFetch, on_click: false },
  }
}

/** Single clicks, without user agent and visitor hash. */
const CLICKS = 'clicks_without_user_agent_and_visitor'
const COUNTS = 'counts'

function fieldDescriber({ privacy, honorGpc }: Settings) {
  return (fields: Readonly<Record<string, StoredField>>): FieldStatement[] =>
    Object.entries(fields)
      .filter(([, { isDetail }]) => privacy === 'full' || !isDetail)
      .map(([name, { item, from, isPersonal }]) => ({
        name,
        about: item,
        from,
        with_gpc: !honorGpc || !isPersonal,
      }))
}
