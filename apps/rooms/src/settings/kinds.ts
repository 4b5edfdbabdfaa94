import { isIP } from 'node:net'
import { isLoopbackHost } from '@latchkey/http/safe-url'
import { type Kind, text } from '@latchkey/settings/kinds'
import { parseLimits } from '../api/limits.ts'
import { type ClaimPath, parseClaimPath } from '../identity/claim-path.ts'
import { type Condition, MAX_CONDITIONS, parseConditions } from '../identity/conditions.ts'

/** The label of the sign-in button. */
export function label(): Kind<string> {
  return {
    accepts: 'text of 1 to 64 characters without control characters or surrounding whitespace',
    parse: (value) => (Array.from(value).length <= 64 ? text().parse(value) : undefined),
  }
}

// RFC 6749 section 3.3
const SCOPE_TOKEN = /^[!#-[\]-~]+$/

/** Distinct scopes, separated by spaces. */
export function scopes(): Kind<readonly string[]> {
  return {
    accepts: 'scope names, separated by spaces',
    parse(value) {
      const names = value.split(' ').filter((name) => name !== '')
      return names.length > 0 && names.every((name) => SCOPE_TOKEN.test(name))
        ? [...new Set(names)]
        : undefined
    },
  }
}

/** The type of an access token in lower case. RFC 6749, appendix A.13. */
export function tokenType(): Kind<string> {
  return {
    accepts: 'a token_type such as bearer, or none',
    parse: (value) => (/^[\w.-]{1,64}$/.test(value) ? value.toLowerCase() : undefined),
  }
}

const LOGOUT_PARAMETERS = ['client_id', 'state', 'id_token_hint']

/** The name of a query parameter that Rooms does not use otherwise. */
export function logoutParameter(): Kind<string> {
  return {
    accepts: `the name of a query parameter other than ${LOGOUT_PARAMETERS.join(', ')}`,
    parse: (value) =>
      /^[\w.-]{1,64}$/.test(value) && !LOGOUT_PARAMETERS.includes(value) ? value : undefined,
  }
}

export function claimPath(): Kind<ClaimPath> {
  return {
    accepts: 'a dot path of at most 10 parts, without __proto__, constructor or prototype',
    parse: parseClaimPath,
  }
}

/** Conditions that claims must meet (R38.1). */
export function conditions(): Kind<readonly Condition[]> {
  return {
    accepts: `up to ${MAX_CONDITIONS} conditions claim=value or claim=value|value, separated by commas`,
    parse(value) {
      const parsed = parseConditions(value)
      return 'fault' in parsed ? undefined : parsed
    },
    findFault(value) {
      const parsed = parseConditions(value)
      return 'fault' in parsed ? parsed.fault : undefined
    },
  }
}

/** An issuer, kept exactly as given: it is compared character by character. */
export function issuer(): Kind<string> {
  return {
    accepts: 'an absolute https URL without user name, query or fragment',
    parse: (value) => (isPlainUrl(value) && !value.includes('?') ? value : undefined),
  }
}

/** A URL of the provider, kept exactly as given. */
export function endpoint(): Kind<string> {
  return {
    accepts: 'an absolute https URL without user name or fragment',
    parse: (value) => (isPlainUrl(value) ? value : undefined),
  }
}

function isPlainUrl(value: string): boolean {
  // URL() would silently drop line ends and repair backslashes.
  if (!/^https?:\/\/[^/\\]/.test(value) || /[\s\p{Cc}\\#]/u.test(value)) return false
  const url = URL.parse(value)
  return url !== null && url.username === '' && url.password === '' && !/^https?:\/\/[^/]*@/.test(value)
}

/** An exact origin in the form that browsers send (R3.1). */
export function ownOrigin(): Kind<string> {
  return {
    accepts:
      'an exact origin in lower case, without path, trailing slash or default port; https, or http for loopback names',
    parse(value) {
      const url = /^https?:\/\//.test(value) ? URL.parse(value) : null
      // URL() accepts a name with a star, but browsers do not. A trailing dot is removed from
      // requests (R3.2).
      if (url === null || url.origin !== value || !/^[a-z0-9_.[\]:-]+(?<!\.)$/.test(url.hostname))
        return undefined
      return url.protocol === 'https:' || isLoopbackHost(url.hostname) ? value : undefined
    },
  }
}

/** A host name or address in the form that URLs have. */
export function hostName(): Kind<string> {
  return {
    accepts: 'a host name or IP address, without port',
    parse(value) {
      const url = /[\s/\\@?#]/.test(value) ? null : URL.parse(`https://${value}`)
      return url !== null && url.port === '' && url.hostname === value.toLowerCase()
        ? url.hostname
        : undefined
    },
  }
}

export function limits(): Kind<ReturnType<typeof parseLimits> & {}> {
  return {
    accepts:
      'comma-separated key=number pairs; keys as listed in docs/operate/settings.md, whole numbers from 1, or 0 where that turns a feature off',
    parse: parseLimits,
  }
}

/** A folder, or a bucket with an optional prefix. */
export function filePlace(): Kind<{ folder: string } | { bucket: string; prefix: string }> {
  return {
    accepts: 'the path of a folder, s3://BUCKET or s3://BUCKET/PREFIX',
    parse(value) {
      if (/\p{Cc}/u.test(value)) return undefined
      const [, bucket, path = ''] =
        /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[\w.-]+)*)\/?$/.exec(value) ?? []
      if (bucket !== undefined) return { bucket, prefix: path === '' ? '' : `${path.slice(1)}/` }
      return /^\w+:\/\//.test(value) ? undefined : { folder: value }
    },
  }
}

/** A STUN or TURN server as browsers accept it (RFC 7064, RFC 7065). */
export function iceUrl(kind: 'stun' | 'turn'): Kind<string> {
  const pattern = {
    stun: /^stuns?:[\w.-]+(:\d{1,5})?$/,
    turn: /^turns?:[\w.-]+(:\d{1,5})?(\?transport=(udp|tcp))?$/,
  }[kind]
  return {
    accepts:
      kind === 'stun'
        ? 'stun:HOST:PORT'
        : 'turn:HOST:PORT or turns:HOST:PORT, optionally with ?transport=udp or tcp',
    parse: (value) => (pattern.test(value) ? value : undefined),
  }
}

/** A LiveKit server: its scheme is brought to that of HTTP, and it ends without a slash. */
export function livekitUrl(): Kind<string> {
  return {
    accepts: 'an absolute http, https, ws or wss URL without user name, query or fragment',
    parse(value) {
      const url = value.replace(/^ws(s?):/, 'http$1:')
      return isPlainUrl(url) && !url.includes('?') ? url.replace(/\/+$/, '') : undefined
    },
  }
}

/** A secret with which tokens are signed: HS256 needs 32 bytes (RFC 7518, section 3.2). */
export function signingSecret(): Kind<string> {
  return {
    accepts: 'at least 32 characters without control characters or surrounding whitespace',
    parse: (value) => (value.length >= 32 ? text().parse(value) : undefined),
  }
}

/** The path of a program, or `auto`. */
export function programPath(): Kind<string> {
  return {
    accepts: 'auto, or the path of a program',
    parse: (value) => (value === 'auto' || value.includes('/') ? text().parse(value) : undefined),
  }
}

export function ipAddress(): Kind<string> {
  return {
    accepts: 'an IP address',
    parse: (value) => (isIP(value) === 0 ? undefined : value),
  }
}

/** A Redis or Valkey server. */
export function redisUrl(): Kind<string> {
  return {
    accepts: 'redis://HOST or rediss://HOST, optionally with user, password, port and database',
    parse: (value) => (/^rediss?:\/\/\S+$/.test(value) && URL.canParse(value) ? value : undefined),
  }
}
