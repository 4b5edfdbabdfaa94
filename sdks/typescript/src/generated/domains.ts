// Made from the OpenAPI document by `npm run sdks`; changes made here are lost.

import { type RequestOptions, type Transport, segment } from '../transport.js'
import type { Domain, DomainSettings, Link, NewLink } from './models.js'

/** `client.domains` */
export class Domains {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Create a link on a short domain.
   * Needs a key with the scope `create`.
   */
  createLink(host: string, body: NewLink, options?: RequestOptions): Promise<Link> {
    return this.#transport.json<Link>({
      method: 'POST',
      path: `/domains/${segment(host)}/links`,
      body,
      options,
    })
  }

  /**
   * List the short domains; the default domain comes first.
   * Needs a key with the scope `read`.
   */
  list(options?: RequestOptions): Promise<Domain[]> {
    return this.#transport.json<Domain[]>({ method: 'GET', path: '/domains', options })
  }

  /**
   * Read the settings of a short domain.
   * Needs a key with the scope `read`.
   */
  get(host: string, options?: RequestOptions): Promise<Domain> {
    return this.#transport.json<Domain>({ method: 'GET', path: `/domains/${segment(host)}`, options })
  }

  /**
   * Replace the settings of a short domain; for administrators of the instance.
   * Needs a key with the scope `create`.
   */
  set(host: string, body: DomainSettings, options?: RequestOptions): Promise<Domain> {
    return this.#transport.json<Domain>({ method: 'PUT', path: `/domains/${segment(host)}`, body, options })
  }
}
