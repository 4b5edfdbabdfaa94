import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { fileURLToPath } from 'node:url'
import { readEmbeddedAsset } from '@latchkey/http/embedded-asset'
import { type CountryResponse, Reader } from 'mmdb-lib'
import { ISO_COUNTRIES } from './visitor-values.ts'

type CountryRow = CountryResponse & { readonly country_code?: string }

const DATABASE = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'

// Special-purpose ranges (RFC 6890). The database assigns some of them to a country: 192.168.0.0/16
// to Australia.
const SPECIAL_IPV4 =
  /^(?:0|10|127)\.|^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|^169\.254\.|^172\.(?:1[6-9]|2\d|3[01])\.|^192\.(?:168|0\.[02])\.|^198\.(?:1[89]|51\.100)\.|^203\.0\.113\.|^2(?:2[4-9]|[345]\d)\./
const SPECIAL_IPV6 = /^(?:::|f[cdf]|fe[89ab]|2001:0?db8:)/i

/** The name of the database in the executable. */
export const COUNTRY_ASSET = 'countries.mmdb'

export function readCountries(): Buffer {
  return readEmbeddedAsset(COUNTRY_ASSET) ?? readFileSync(fileURLToPath(import.meta.resolve(DATABASE)))
}

// No cache by address: a lookup costs about a microsecond, and without a cache no address outlives
// its request.
export function openCountryLookup(): (address: string) => string | null {
  // The reader's own cache holds one decoded record per country, which halves the time.
  const reader = new Reader<CountryRow>(readCountries(), { cache: new Map() })
  return (address) => {
    const canonical = canonicalAddress(address)
    if (canonical === null || SPECIAL_IPV4.test(canonical) || SPECIAL_IPV6.test(canonical)) return null
    const code = reader.get(canonical)?.country_code
    return code !== undefined && ISO_COUNTRIES.has(code) ? code : null
  }
}

// The reader does not validate addresses: it locates `1.2.3` in Poland.
function canonicalAddress(address: string): string | null {
  const version = isIP(address)
  if (version === 4) return address
  if (version !== 6) return null
  const zone = address.indexOf('%')
  const withoutZone = zone === -1 ? address : address.slice(0, zone)
  return mappedIpv4(withoutZone) ?? withoutZone
}

// A dual-stack socket reports IPv4 peers as ::ffff:1.2.3.4. Other spellings come only from proxies.
function mappedIpv4(address: string): string | null {
  const dotted = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (dotted !== undefined) return dotted
  if (!/ffff:/i.test(address)) return null
  const shortest = URL.parse(`http://[${address}]`)?.hostname ?? ''
  const [, high, low] = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/.exec(shortest) ?? []
  if (high === undefined || low === undefined) return null
  const [upper, lower] = [parseInt(high, 16), parseInt(low, 16)]
  return `${upper >> 8}.${upper & 255}.${lower >> 8}.${lower & 255}`
}

const SECOND_LETTERS = Map.groupBy(ISO_COUNTRIES, ([first = '']) => first)

/** Describes a country code, in any case, in JSON Schema. */
export const COUNTRY_PATTERN = `(?:${[...SECOND_LETTERS]
  .map(([first, codes]) => `${anyCase(first)}${anyCase(codes.map((code) => code.slice(1)).join(''))}`)
  .join('|')})`

function anyCase(letters: string): string {
  return `[${letters}${letters.toLowerCase()}]`
}

export function countryFromHeader(value: string | null): string | null {
  // Letters are checked before upper-casing: `ß` and the ligature `ﬁ` would become SS and FI.
  if (value === null || !/^[a-z]{2}$/i.test(value)) return null
  const code = value.toUpperCase()
  return ISO_COUNTRIES.has(code) ? code : null
}
