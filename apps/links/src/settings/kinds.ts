import { isSafeUrl } from '@latchkey/http/safe-url'
import { type Kind, httpUrl } from '@latchkey/settings/kinds'

/** Where keys come from: whoever could change them on the way could be anybody. */
export function safeUrl(): Kind<string> {
  return {
    accepts: 'an https URL without user name or fragment, or an http URL of this machine',
    parse(value) {
      const url = httpUrl().parse(value)
      return url !== undefined && isSafeUrl(url) ? url : undefined
    },
  }
}
