import type { Database } from '@latchkey/database/database'
import { dialectOf } from '@latchkey/database/url'
import type { Log } from '@latchkey/http/log'
import type { DomainTable, Tables } from '../db/tables.ts'
import { createFaultLog } from '../api/fault-log.ts'
import { locationOf } from '../urls/location.ts'
import type { Domain } from '../urls/slug.ts'
import type { Robots } from '../settings/robots.ts'
import { DEFAULT_HOST, listDomainRows } from './store.ts'

/** How long a change on another node may stay unnoticed, in milliseconds (L12.5). */
const REFRESH_MS = 900

/** A short domain as visitors meet it. Kept in memory, since redirects read no settings. */
export interface Site {
  readonly domain: Domain
  /** The status of redirects. */
  readonly status: number
  /** The domain whose slugs it answers with as well; undefined for none. */
  readonly aliasOf: Domain | undefined
  /**
   * `rootUrl` and `notFoundUrl` are null on the default domain, whose URLs are values of the
   * instance.
   */
  readonly rootUrl: string | null
  readonly notFoundUrl: string | null
  readonly robots: Robots
}

interface SiteSettings {
  domains: readonly string[]
  redirectStatus: number
  robots: Robots
}

/** The short domains of the instance, with what administrators set for each (L31.1). */
export class Sites {
  /** Further domains, in the order of the settings. */
  readonly hosts: readonly string[]
  readonly #database: Database<Tables>
  readonly #redirectStatus: number
  readonly #robots: Robots
  #sites: ReadonlyMap<Domain, Site> = new Map()
  #timer: Timer | undefined

  constructor({ domains, redirectStatus, robots }: SiteSettings, database: Database<Tables>) {
    this.hosts = domains
    this.#redirectStatus = redirectStatus
    this.#robots = robots
    this.#database = database
  }

  static async open(
    settings: SiteSettings & { databaseUrl: string },
    database: Database<Tables>,
    log: Log,
  ): Promise<Sites> {
    const sites = new Sites(settings, database)
    await sites.refresh()
    // An SQLite file has one service, whose writes refresh by themselves.
    if (dialectOf(settings.databaseUrl) === 'postgres')
      sites.#refreshLater(createFaultLog(log, 'domains: cannot be read', 'reads'))
    return sites
  }

  /** The site of a further domain of the settings, or of the default domain. */
  of(domain: Domain): Site {
    return this.#sites.get(domain) ?? this.#siteWith(domain)
  }

  /**
   * The domain of a host name; undefined for other hosts. `origin` is the public origin, whose host
   * is the default domain.
   */
  domainOf(host: string, origin: string): Domain | undefined {
    if (host === new URL(origin).hostname) return null
    return this.hosts.includes(host) ? host : undefined
  }

  /** Reads the settings of all domains again. Call this after every write of them. */
  async refresh(): Promise<void> {
    const rows = await listDomainRows(this.#database.read)
    const domains = [null, ...this.hosts]
    this.#sites = new Map(
      domains.map((domain) => {
        const row = rows.find(({ host }) => host === (domain ?? DEFAULT_HOST))
        return [domain, this.#siteWith(domain, row)]
      }),
    )
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #siteWith(domain: Domain, row?: Omit<DomainTable, 'well_known'>): Site {
    const aliasOf = row?.alias_of ?? undefined
    return {
      domain,
      status: row?.status ?? this.#redirectStatus,
      aliasOf: aliasOf === DEFAULT_HOST ? null : aliasOf,
      rootUrl: locationOf(row?.root_url ?? '') ?? null,
      notFoundUrl: locationOf(row?.not_found_url ?? '') ?? null,
      robots: row?.robots ?? this.#robots,
    }
  }

  #refreshLater(logFault: (error: unknown) => void): void {
    this.#timer = setTimeout(() => {
      this.refresh()
        // Redirects keep the last known settings, as they keep the last known links.
        .catch(logFault)
        .finally(() => {
          if (this.#timer) this.#refreshLater(logFault)
        })
    }, REFRESH_MS)
  }
}
