import ipaddr from 'ipaddr.js'

/**
 * The values that a setting accepts. `accepts` completes the sentence "must be …" and never depends
 * on the value, which keeps a refused secret out of messages. `parse` returns undefined for a value
 * that it refuses.
 */
export interface Kind<T> {
  readonly accepts: string
  parse(text: string): T | undefined
  /** The part of a refused text that is wrong; without it, the whole text. */
  findWrongPart?(text: string): string | undefined
  /**
   * The fault of a refused text that has many parts. It completes a sentence that begins with
   * the name of the setting, in place of "must be …".
   */
  findFault?(text: string): string | undefined
}

/** A rate: `count` requests in `perSeconds` seconds. */
export interface Rate {
  readonly count: number
  readonly perSeconds: number
}

const CONTROL = /\p{Cc}/u
// RFC 9110 section 5.6.2
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
// The last label needs a letter. Otherwise it is an IPv4 address with a mistake in it.
const HOST_NAME = /^(?:[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?\.)*[a-z0-9_-]*[a-z][a-z0-9_-]*$/i

/**
 * Any text in one line, unchanged.
 *
 * @example text().parse('links') // 'links'
 */
export function text(): Kind<string> {
  return {
    accepts: 'text without control characters or surrounding whitespace',
    parse: (raw) => (CONTROL.test(raw) || raw !== raw.trim() ? undefined : raw),
  }
}

/**
 * A secret that can follow `Bearer `: visible ASCII, because header values carry nothing else
 * reliably, and long enough to be unguessable.
 *
 * @example bearerToken().parse('9f2c…') // refused: the ellipsis is not ASCII
 */
export function bearerToken(): Kind<string> {
  return {
    accepts: 'at least 16 visible ASCII characters without spaces',
    parse: (raw) => (/^[!-~]{16,}$/.test(raw) ? raw : undefined),
  }
}

/**
 * A whole number from `min` to `max`, in decimal digits.
 *
 * @example integer(0, 65535).parse('8080') // 8080
 */
export function integer(min: number, max: number): Kind<number> {
  return {
    accepts: `a whole number from ${min} to ${max}`,
    parse(raw) {
      // Number() alone would accept 0x10, 1e3 and blanks.
      const value = /^\d{1,15}$/.test(raw) ? Number(raw) : Number.NaN
      return value >= min && value <= max ? value : undefined
    },
  }
}

/**
 * One of the listed words or numbers, in exactly this spelling.
 *
 * @example oneOf([301, 302]).parse('302') // 302, as a number
 */
export function oneOf<const T extends readonly (string | number)[]>(choices: T): Kind<T[number]> {
  return {
    accepts: `one of ${choices.join(', ')}`,
    parse: (raw): T[number] | undefined => choices.find((choice) => String(choice) === raw),
  }
}

/**
 * `on` or `off`.
 *
 * @example onOff().parse('on') // true
 */
export function onOff(): Kind<boolean> {
  return {
    accepts: 'on or off',
    parse: (raw) => (raw === 'on' ? true : raw === 'off' ? false : undefined),
  }
}

/**
 * `true` or `false`.
 *
 * @example trueFalse().parse('true') // true
 */
export function trueFalse(): Kind<boolean> {
  return {
    accepts: 'true or false',
    parse: (raw) => (raw === 'true' ? true : raw === 'false' ? false : undefined),
  }
}

/**
 * An address to listen on: IPv4, IPv6 without brackets, or a host name; no port.
 *
 * @example listenHost().parse('::1') // '::1'
 */
export function listenHost(): Kind<string> {
  return {
    accepts: 'an IP address or a host name, without port',
    parse: (raw) => (isAddress(raw) || HOST_NAME.test(raw) ? raw : undefined),
  }
}

/**
 * A bare http or https origin. The result is the origin in the form of browsers: lower-case,
 * without a default port.
 *
 * @example origin().parse('https://Go.Example.com') // 'https://go.example.com'
 */
export function origin(): Kind<string> {
  return {
    accepts: 'a bare http or https origin: scheme, host and optional port, without a path',
    parse(raw) {
      const url = parseHttpUrl(raw)
      // A bare origin has nothing after the host, but address bars copy a lone slash.
      return url && raw.replace(/\/$/, '').split('/').length === 3 && !/[?#]/.test(raw)
        ? url.origin
        : undefined
    },
  }
}

/**
 * An absolute http or https URL without user name and fragment, kept byte for byte because issuers
 * are compared that way.
 *
 * @example httpUrl().parse('https://login.example.com/certs') // the same text
 */
export function httpUrl(): Kind<string> {
  return {
    accepts: 'an absolute http or https URL without user name or fragment',
    parse: (raw) => (parseHttpUrl(raw) && !raw.includes('#') ? raw : undefined),
  }
}

/**
 * Addresses and CIDR ranges, separated by commas. The result is trimmed and has at least one entry.
 *
 * @example addresses().parse('10.0.0.0/8, ::1') // ['10.0.0.0/8', '::1']
 */
export function addresses(): Kind<readonly string[]> {
  const entry: Kind<string> = {
    accepts: 'an IP address or a CIDR range',
    parse: (raw) => (isAddress(raw) || isRange(raw) ? raw : undefined),
  }
  return { ...listOf(entry), accepts: 'IP addresses and CIDR ranges, separated by commas' }
}

/**
 * Like `addresses`, but may be empty, which differs from an unset variable: `none`, or an empty
 * value in a declaration with `keepsEmpty`.
 *
 * @example addressesOrNone().parse('none') // []
 */
export function addressesOrNone(): Kind<readonly string[]> {
  const some = addresses()
  return {
    accepts: `${some.accepts}, or none`,
    parse: (raw) => (raw === '' || raw === 'none' ? [] : some.parse(raw)),
    findWrongPart: (raw) => some.findWrongPart?.(raw),
  }
}

/**
 * Items of one kind, separated by commas, trimmed, at least one.
 *
 * @example listOf(origin()).parse('https://a.example, https://b.example') // two origins
 */
export function listOf<T>(item: Kind<T>): Kind<readonly T[]> {
  return {
    accepts: `a comma-separated list; each item is ${item.accepts}`,
    parse(raw) {
      const values = entriesOf(raw).map((entry) => item.parse(entry))
      return values.every((value) => value !== undefined) ? values : undefined
    },
    findWrongPart: (raw) => entriesOf(raw).find((entry) => item.parse(entry) === undefined),
  }
}

function entriesOf(raw: string): string[] {
  return raw.split(',').map((entry) => entry.trim())
}

const SECONDS = { sec: 1, min: 60, hour: 3600 } as const

/**
 * `N/sec`, `N/min` or `N/hour`; `off` is null.
 *
 * @example rate().parse('600/min') // { count: 600, perSeconds: 60 }
 */
export function rate(): Kind<Rate | null> {
  return {
    accepts: 'N/sec, N/min or N/hour with N from 1 to 1000000, or off',
    parse(raw) {
      if (raw === 'off') return null
      const [, digits, unit] = /^([1-9]\d{0,5}|1000000)\/(sec|min|hour)$/.exec(raw) ?? []
      if (digits === undefined || (unit !== 'sec' && unit !== 'min' && unit !== 'hour')) return undefined
      return { count: Number(digits), perSeconds: SECONDS[unit] }
    },
  }
}

/**
 * `sqlite:PATH`, relative to the working directory or absolute.
 *
 * @example sqliteUrl().parse('sqlite:./data/links.db') // the same text
 */
export function sqliteUrl(): Kind<string> {
  return { accepts: 'sqlite:PATH', parse: (raw) => (isSqliteUrl(raw) ? raw : undefined) }
}

/**
 * `sqlite:PATH`, or the address of a PostgreSQL database.
 *
 * @example databaseUrl().parse('postgres://links@db.example.com/links') // the same text
 */
export function databaseUrl(): Kind<string> {
  return {
    accepts: 'sqlite:PATH or postgres://USER:PASSWORD@HOST/DATABASE',
    parse: (raw) => (isSqliteUrl(raw) || isPostgresUrl(raw) ? raw : undefined),
  }
}

/**
 * The name of a header or a cookie: an RFC 9110 token, which RFC 6265 also requires for cookies.
 *
 * @example headerName().parse('X-Forwarded-For') // 'X-Forwarded-For'
 */
export function headerName(): Kind<string> {
  return {
    accepts: 'a name of letters, digits and dashes (an RFC 9110 token)',
    parse: (raw) => (TOKEN.test(raw) ? raw : undefined),
  }
}

function parseHttpUrl(raw: string): URL | undefined {
  // URL() would silently drop tabs, line ends and outer blanks, and repair `https:host` and
  // backslashes.
  if (!/^https?:\/\/[^/\\]/i.test(raw) || /[\s\p{Cc}\\]/u.test(raw)) return undefined
  const url = URL.parse(raw)
  return url && url.username === '' && url.password === '' ? url : undefined
}

function isSqliteUrl(raw: string): boolean {
  // sqlite://data/x.db would name a file at the root of the disk. Three slashes are the usual
  // absolute form.
  return /^sqlite:(?!\/\/(?!\/))\S/.test(raw) && !CONTROL.test(raw) && raw === raw.trim()
}

function isPostgresUrl(raw: string): boolean {
  return /^postgres(?:ql)?:\/\/\S+$/.test(raw) && URL.canParse(raw)
}

// Only the four-part form: ipaddr.js itself also reads 127.1, 0x7f.1 and octal.
function isAddress(raw: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(raw) || (isPlainIPv6(raw) && ipaddr.IPv6.isValid(raw))
}

function isRange(raw: string): boolean {
  return ipaddr.IPv4.isValidCIDRFourPartDecimal(raw) || (isPlainIPv6(raw) && ipaddr.IPv6.isValidCIDR(raw))
}

// A zone (fe80::1%eth0) belongs to an interface of one machine. The peers to compare with have
// none.
function isPlainIPv6(raw: string): boolean {
  return raw.includes(':') && !raw.includes('%')
}
