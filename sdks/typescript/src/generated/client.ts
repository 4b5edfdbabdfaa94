// Made from the OpenAPI document by `npm run sdks`; changes made here are lost.

import { type ClientOptions, Transport } from '../transport.js'
import { Links } from './links.js'
import { Domains } from './domains.js'
import { Config } from './config.js'
import { Bulk } from './bulk.js'
import { Slugs } from './slugs.js'
import { Legacy } from './legacy.js'
import { Bundles } from './bundles.js'
import { Changes } from './changes.js'
import { Plans } from './plans.js'
import { Webhooks } from './webhooks.js'
import { Events } from './events.js'

/**
 * A client of one Latchkey Links service.
 *
 * ```ts
 * const client = new LinksClient({ baseUrl: 'https://go.example.com', apiKey: 'sk_…' })
 * const link = await client.links.create({ url: 'https://example.com/' })
 * ```
 */
export class LinksClient {
  readonly links: Links
  readonly domains: Domains
  readonly config: Config
  readonly bulk: Bulk
  readonly slugs: Slugs
  readonly legacy: Legacy
  readonly bundles: Bundles
  readonly changes: Changes
  readonly plans: Plans
  readonly webhooks: Webhooks
  readonly events: Events

  /** Throws a TypeError where the address or the key cannot be one. */
  constructor(options: ClientOptions) {
    const transport = new Transport(options)
    this.links = new Links(transport)
    this.domains = new Domains(transport)
    this.config = new Config(transport)
    this.bulk = new Bulk(transport)
    this.slugs = new Slugs(transport)
    this.legacy = new Legacy(transport)
    this.bundles = new Bundles(transport)
    this.changes = new Changes(transport)
    this.plans = new Plans(transport)
    this.webhooks = new Webhooks(transport)
    this.events = new Events(transport)
  }
}
