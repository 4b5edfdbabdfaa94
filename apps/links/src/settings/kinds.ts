import { toHost } from '../urls/host.ts'
import { isSafeUrl } from '@latchkey/http/safe-url'
import { type Kind, httpUrl, text } from '@latchkey/settings/kinds'

/** An identity, such as an email address. */
export function identity(): Kind<string> {
  return { accepts: 'an identity', parse: (value) => text().parse(value) || undefined }
}

/** The host of a short domain, as an A-label. */
export function shortHost(): Kind<string> {
  return { accepts: 'a host name without scheme, port and path', parse: toHost }
}

/** A key for signatures with HS256, which needs 256 bits. */
export function signingKey(): Kind<string> {
  return {
    accepts: 'at least 32 visible ASCII characters without spaces',
    parse: (value) => (/^[!-~]{32,}$/.test(value) ? value : undefined),
  }
}

/** A URL of keys. An attacker who could change them in transit could take any identity. */
export function safeUrl(): Kind<string> {
  return {
    accepts: 'an https URL without user name or fragment, or an http URL of this machine',
    parse(value) {
      const url = httpUrl().parse(value)
      return url !== undefined && isSafeUrl(url) ? url : undefined
    },
  }
}
