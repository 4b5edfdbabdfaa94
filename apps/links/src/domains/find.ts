import type { Context } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import type { Domain } from '../urls/slug.ts'

type DomainContext = Pick<Context, 'sites' | 'origin'>

/** Throws 404 for a host that is no domain of the instance. */
export function requireDomain({ sites, origin }: DomainContext, host: string): Domain {
  const domain = sites.domainOf(host, origin)
  if (domain === undefined) throw failure('domain_not_found')
  return domain
}

/**
 * The domain that a query names, as it is stored. Links of a domain that is no longer in the settings
 * can still be found.
 */
export function queriedDomain({ sites, origin }: DomainContext, host: string | undefined): Domain {
  if (host === undefined) return null
  const domain = sites.domainOf(host, origin)
  return domain === undefined ? host : domain
}
