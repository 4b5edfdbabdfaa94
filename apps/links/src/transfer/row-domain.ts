import { toHost } from '../domains/host.ts'
import type { Domain } from '../links/slugs/slug.ts'
import { refuseRow } from './reason.ts'

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
  /** A short URL or host of another program. It counts if that host is a domain of this instance. */
  shortUrl?: string | undefined
}

/** Returns the domain of a row. Throws `RowRefusal` for one that the instance does not have. */
export function findRowDomain({ domain, shortUrl }: DomainFields, domains: ImportDomains): Domain {
  const { hosts, defaultHost, target } = domains
  if (domain === undefined || domain === null || domain === '') {
    const host = toHost(
      shortUrl
        ?.trim()
        .replace(/^[a-z][a-z\d+.-]*:\/\//i, '')
        .split(/[/?#:]/)[0] ?? '',
    )
    return host !== undefined && hosts.includes(host) ? host : target
  }
  const name = typeof domain === 'string' ? domain.trim() : JSON.stringify(domain)
  const host = toHost(name)
  if (host !== undefined && host === defaultHost) return null
  if (host !== undefined && hosts.includes(host)) return host
  const text = `domain ${JSON.stringify(name)} is no domain of this instance: add it to LINKS_DOMAINS`
  throw refuseRow({ code: 'domain_unknown', domain: name, text })
}
