// Made from the OpenAPI document by `npm run sdks`; changes made here are lost.

import { type RequestOptions, type Transport } from '../transport.js'
import type { EventPage, ListEventsQuery } from './models.js'

/** `client.events` */
export class Events {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List events in the order in which they happened, and wait for the next ones.
   * Needs a key with the scope `read`.
   */
  list(query: ListEventsQuery = {}, options?: RequestOptions): Promise<EventPage> {
    return this.#transport.json<EventPage>({ method: 'GET', path: '/events', query, options })
  }
}
