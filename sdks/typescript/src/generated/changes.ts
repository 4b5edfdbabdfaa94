// Made from the OpenAPI document by `npm run sdks`; changes made here are lost.

import { type Page, walkByCursor } from '../paging.js'
import { type RequestOptions, type Transport } from '../transport.js'
import type { ChangesToUndo, HistoryChange, ListChangesQuery, UndoResult } from './models.js'

/** `client.changes` */
export class Changes {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List your changes of links and bundles, latest first; administrators those of everyone.
   * Needs a key with the scope `read`.
   */
  list(query: ListChangesQuery = {}, options?: RequestOptions): Promise<Page<HistoryChange>> {
    return this.#transport.page<HistoryChange>({ method: 'GET', path: '/changes', query, options })
  }

  /** Like `list`, but item by item through all pages. */
  listAll(
    query: ListChangesQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<HistoryChange, void, undefined> {
    return walkByCursor((cursor) => this.list({ ...query, cursor }, options), query.cursor)
  }

  /**
   * Undo your changes since a moment, or those of an assistant; administrators those of everyone.
   * Needs a key with the scope `create`.
   */
  undo(body: ChangesToUndo, options?: RequestOptions): Promise<UndoResult> {
    return this.#transport.json<UndoResult>({ method: 'POST', path: '/changes/undo', body, options })
  }
}
