import { isSafeUrl } from '@latchkey/http/safe-url'
import { type Kind, httpUrl } from '@latchkey/settings/kinds'

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
