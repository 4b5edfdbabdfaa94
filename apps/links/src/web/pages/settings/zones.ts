const REGIONS = [
  'Africa',
  'America',
  'Antarctica',
  'Arctic',
  'Asia',
  'Atlantic',
  'Australia',
  'Europe',
  'Indian',
  'Pacific',
] as const

const isIn = (zone: string, region: string) => zone.startsWith(`${region}/`)

/** "America/Argentina/Buenos_Aires" as "Buenos Aires, Argentina": typing a city finds it. */
const labelOf = (zone: string) => zone.replaceAll('_', ' ').split('/').slice(1).toReversed().join(', ')

/**
 * The time zones that the browser lists, by region, and the stored one, which may have a name that
 * the browser knows but does not list. `others` have no region, such as UTC.
 */
export function zonesByRegion(stored: string | null) {
  const own = stored ?? 'UTC'
  const zones = [...new Set([...Intl.supportedValuesOf('timeZone'), own])]
  return {
    others: [...new Set(['UTC', own])].filter((zone) => !REGIONS.some((region) => isIn(zone, region))),
    regions: REGIONS.map((region) => ({
      region,
      zones: zones
        .filter((zone) => isIn(zone, region))
        .map((value) => ({ value, label: labelOf(value) }))
        .toSorted((one, other) => one.label.localeCompare(other.label)),
    })),
  }
}
