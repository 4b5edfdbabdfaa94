// Made from the OpenAPI document by `npm run sdks`; changes made here are lost.

import { type RequestOptions, type Transport } from '../transport.js'
import type { BulkChanges, BulkLinks, BulkResults } from './models.js'

/** `client.bulk` */
export class Bulk {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Shorten up to 1000 URLs.
   * Needs a key with the scope `create`.
   */
  createLinks(body: BulkLinks, options?: RequestOptions): Promise<BulkResults> {
    return this.#transport.json<BulkResults>({ method: 'POST', path: '/bulk/links', body, options })
  }

  /**
   * Change up to 1000 links, or all that match a filter.
   * Needs a key with the scope `create`.
   */
  updateLinks(body: BulkChanges, options?: RequestOptions): Promise<BulkResults> {
    return this.#transport.json<BulkResults>({ method: 'PATCH', path: '/bulk/links', body, options })
  }
}
