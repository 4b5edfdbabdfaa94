import { toHost } from '../urls/host.ts'
import type { Domain } from '../urls/slug.ts'
import { type Reason, refuseRow } from './reason.ts'

/** The short domains of the instance that imports. */
export interface ImportDomains {
  /** Further domains. */
  hosts: readonly string[]
  /** Null if the host of the default domain is unknown. */
  defaultHost: string | null
  /** The domain of rows that name none. */
  target: Domain
}

export const DEFAULT_DOMAIN_ONLY: ImportDomains = { hosts: [], defaultHost: null, target: null }

interface DomainFields {
  /** The domain in a file of this program: it has to exist. */
  domain?: unknown
  /** Whether a row whose domain the instance does not have goes to the domain of the import. */
  isDomainOptional?: boolean
  /** A short URL or host of another program. It counts if that host is a domain of this instance. */
  shortUrl?: string | undefined
}

/**
 * Returns the domain of a row. One that the instance does not have is a note, or throws
 * `RowRefusal`.
 */
export function findRowDomain(
  { domain, isDomainOptional = false, shortUrl }: DomainFields,
  domains: ImportDomains,
  notes: Reason[] = [],
): Domain {
  const { hosts, target } = domains
  if (domain === undefined || domain === null || (typeof domain === 'string' && domain.trim() === '')) {
    const host = hostOf(shortUrl ?? '')
    return host !== undefined && hosts.includes(host) ? host : target
  }
  const name = typeof domain === 'string' ? domain.trim() : JSON.stringify(domain)
  const own = findDomain(name, domains)
  if (own !== undefined) return own
  const shortName = name.slice(0, MAX_NAME_LENGTH)
  const text = `domain ${JSON.stringify(shortName)} is no domain of this instance`
  if (!isDomainOptional)
    throw refuseRow({
      code: 'domain_unknown',
      domain: shortName,
      text: `${text}: add it to LINKS_DOMAINS, or remove the field from the file`,
    })
  notes.push({
    code: 'domain_dropped',
    domain: shortName,
    text: `${text}, and was left out; LINKS_DOMAINS adds it, and --map domain= ignores the column`,
  })
  return target
}

/** The domain of the instance with this host; undefined if it has none. */
export function findDomain(text: string, { hosts, defaultHost }: ImportDomains): Domain | undefined {
  const host = hostOf(text)
  if (host === undefined) return undefined
  if (host === defaultHost) return null
  return hosts.includes(host) ? host : undefined
}

const MAX_NAME_LENGTH = 253

/** The host of a short URL, with or without `https://`, or a host by itself. */
function hostOf(text: string): string | undefined {
  const [host = ''] = text
    .trim()
    .replace(/^[a-z][a-z\d+.-]*:\/\//i, '')
    .split(/[/?#:]/, 1)
  return toHost(host)
}
