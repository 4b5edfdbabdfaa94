// Made from the OpenAPI document by `npm run sdks`; changes made here are lost.

import { type RequestOptions, type Transport, segment } from '../transport.js'
import type {
  AddSlugToLinkBody,
  GetLinkBySlugQuery,
  Link,
  RemoveSlugBySlugQuery,
  RemoveSlugBySlugResult,
  Slug,
} from './models.js'

/** `client.slugs` */
export class Slugs {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Add a custom slug to the link named in the body.
   * Needs a key with the scope `create`.
   */
  add(body: AddSlugToLinkBody, options?: RequestOptions): Promise<Slug> {
    return this.#transport.json<Slug>({ method: 'POST', path: '/slugs', body, options })
  }

  /**
   * The link that a slug belongs to, also for a disabled slug.
   * Needs a key with the scope `read`.
   */
  getLink(slug: string, query: GetLinkBySlugQuery = {}, options?: RequestOptions): Promise<Link> {
    return this.#transport.json<Link>({ method: 'GET', path: `/slugs/${segment(slug)}`, query, options })
  }

  /**
   * Remove a custom slug; it is free for people again.
   * Needs a key with the scope `create`.
   */
  remove(
    slug: string,
    query: RemoveSlugBySlugQuery = {},
    options?: RequestOptions,
  ): Promise<RemoveSlugBySlugResult> {
    return this.#transport.json<RemoveSlugBySlugResult>({
      method: 'DELETE',
      path: `/slugs/${segment(slug)}`,
      query,
      options,
    })
  }

  /**
   * Stop this slug from redirecting; it stays taken.
   * Needs a key with the scope `create`.
   */
  disable(slug: string, options?: RequestOptions): Promise<Slug> {
    return this.#transport.json<Slug>({ method: 'POST', path: `/slugs/${segment(slug)}/disable`, options })
  }

  /**
   * Let this slug redirect again; it does not become primary.
   * Needs a key with the scope `create`.
   */
  enable(slug: string, options?: RequestOptions): Promise<Slug> {
    return this.#transport.json<Slug>({ method: 'POST', path: `/slugs/${segment(slug)}/enable`, options })
  }

  /**
   * Make this the slug that is shown and encoded.
   * Needs a key with the scope `create`.
   */
  setPrimary(slug: string, options?: RequestOptions): Promise<Link> {
    return this.#transport.json<Link>({ method: 'POST', path: `/slugs/${segment(slug)}/primary`, options })
  }
}
