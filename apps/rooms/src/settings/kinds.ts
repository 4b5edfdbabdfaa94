import { isLoopbackHost } from '@latchkey/http/safe-url'
import { type Kind, text } from '@latchkey/settings/kinds'
import { parseLimits } from '../limits.ts'
import { type ClaimPath, parseClaimPath } from '../login/claim-path.ts'

/** Visible on the login button. */
export function label(): Kind<string> {
  return {
    accepts: 'text of 1 to 64 characters without control characters or surrounding whitespace',
    parse: (given) => (Array.from(given).length <= 64 ? text().parse(given) : undefined),
  }
}

// RFC 6749 section 3.3
const SCOPE_TOKEN = /^[!#-[\]-~]+$/

/** Scopes, separated by blanks; each is kept once. */
export function scopes(): Kind<readonly string[]> {
  return {
    accepts: 'scope names, separated by spaces',
    parse(given) {
      const names = given.split(' ').filter((name) => name !== '')
      return names.length > 0 && names.every((name) => SCOPE_TOKEN.test(name))
        ? [...new Set(names)]
        : undefined
    },
  }
}

export function claimPath(): Kind<ClaimPath> {
  return {
    accepts: 'a dot path of at most 10 parts, without __proto__, constructor or prototype',
    parse: parseClaimPath,
  }
}

/** An issuer, byte for byte: it is compared so. */
export function issuer(): Kind<string> {
  return {
    accepts: 'an absolute https URL without user name, query or fragment',
    parse: (given) => (isPlainUrl(given) && !given.includes('?') ? given : undefined),
  }
}

/** Where a provider answers, byte for byte. */
export function endpoint(): Kind<string> {
  return {
    accepts: 'an absolute https URL without user name or fragment',
    parse: (given) => (isPlainUrl(given) ? given : undefined),
  }
}

function isPlainUrl(given: string): boolean {
  // URL() would drop line ends and repair backslashes in silence.
  if (!/^https?:\/\/[^/\\]/.test(given) || /[\s\p{Cc}\\#]/u.test(given)) return false
  const url = URL.parse(given)
  return url !== null && url.username === '' && url.password === '' && !/^https?:\/\/[^/]*@/.test(given)
}

/** One exact origin, as browsers write it (R3.1). */
export function ownOrigin(): Kind<string> {
  return {
    accepts:
      'an exact origin in lower case, without path, trailing slash or default port; https, or http for loopback names',
    parse(given) {
      const url = /^https?:\/\//.test(given) ? URL.parse(given) : null
      // A name with a star is an origin to URL(), but to no browser; one that ends with a dot is asked for without it (R3.2).
      if (url === null || url.origin !== given || !/^[a-z0-9_.[\]:-]+(?<!\.)$/.test(url.hostname))
        return undefined
      return url.protocol === 'https:' || isLoopbackHost(url.hostname) ? given : undefined
    },
  }
}

/** A host name or address as URLs have it. */
export function hostName(): Kind<string> {
  return {
    accepts: 'a host name or IP address, without port',
    parse(given) {
      const url = /[\s/\\@?#]/.test(given) ? null : URL.parse(`https://${given}`)
      return url !== null && url.port === '' && url.hostname === given.toLowerCase()
        ? url.hostname
        : undefined
    },
  }
}

export function limits(): Kind<ReturnType<typeof parseLimits> & {}> {
  return {
    accepts: 'comma-separated key=number pairs; keys as listed in docs/operate/settings.md, numbers from 1',
    parse: parseLimits,
  }
}

/** A Redis or Valkey server. */
export function redisUrl(): Kind<string> {
  return {
    accepts: 'redis://HOST or rediss://HOST, optionally with user, password, port and database',
    parse: (given) => (/^rediss?:\/\/\S+$/.test(given) && URL.canParse(given) ? given : undefined),
  }
}
