import { isSafeUrl } from '@latchkey/http/safe-url'
import { type Kind, httpUrl, text } from '@latchkey/settings/kinds'

/** An identity, such as an email address. */
export function identity(): Kind<string> {
  return { accepts: 'an identity', parse: (value) => text().parse(value) || undefined }
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
