// Made from the OpenAPI document by `npm run sdks`; changes made here are lost.

import { type Page, walkByCursor } from '../paging.js'
import { type RequestOptions, type Transport } from '../transport.js'
import type { LegacyPathOfLink, ListLegacyPathsQuery } from './models.js'

/** `client.legacy` */
export class Legacy {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List the paths of other services that links answer as well, or look one of them up.
   * Needs a key with the scope `read`.
   */
  listPaths(query: ListLegacyPathsQuery = {}, options?: RequestOptions): Promise<Page<LegacyPathOfLink>> {
    return this.#transport.page<LegacyPathOfLink>({ method: 'GET', path: '/legacy', query, options })
  }

  /** Like `listPaths`, but item by item through all pages. */
  listAllPaths(
    query: ListLegacyPathsQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<LegacyPathOfLink, void, undefined> {
    return walkByCursor((cursor) => this.listPaths({ ...query, cursor }, options), query.cursor)
  }
}
