// Made from the OpenAPI document by `npm run sdks`; changes made here are lost.

import { type RequestOptions, type Transport } from '../transport.js'
import type { GetConfigResult } from './models.js'

/** `client.config` */
export class Config {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Read the public origin of short URLs.
   * Needs a key with the scope `read`.
   */
  get(options?: RequestOptions): Promise<GetConfigResult> {
    return this.#transport.json<GetConfigResult>({ method: 'GET', path: '/config', options })
  }
}
