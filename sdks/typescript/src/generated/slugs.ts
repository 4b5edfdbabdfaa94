// Made from the OpenAPI document by `npm run sdks`; changes made here are lost.

import { type RequestOptions, type Transport, segment } from '../transport.js'
import type {
  AddSlugToLinkBody,
  DisableSlugBySlugQuery,
  EnableSlugBySlugQuery,
  ExplainSlugQuery,
  Explanation,
  GetLinkBySlugQuery,
  Link,
  RemoveSlugBySlugQuery,
  RemoveSlugBySlugResult,
  SetPrimarySlugBySlugQuery,
  Slug,
} from './models.js'

/** `client.slugs` */
export class Slugs {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Explain where a slug leads a visitor, without counting a click.
   * Needs a key with the scope `read`.
   */
  explain(slug: string, query: ExplainSlugQuery = {}, options?: RequestOptions): Promise<Explanation> {
    return this.#transport.json<Explanation>({
      method: 'GET',
      path: `/slugs/${segment(slug)}/explain`,
      query,
      options,
    })
  }

  /**
   * Add a custom slug to the link named in the body.
   * Needs a key with the scope `create`.
   */
  add(body: AddSlugToLinkBody, options?: RequestOptions): Promise<Slug> {
    return this.#transport.json<Slug>({ method: 'POST', path: '/slugs', body, options })
  }

  /**
   * Read the link of a slug, enabled or disabled.
   * Needs a key with the scope `read`.
   */
  getLink(slug: string, query: GetLinkBySlugQuery = {}, options?: RequestOptions): Promise<Link> {
    return this.#transport.json<Link>({ method: 'GET', path: `/slugs/${segment(slug)}`, query, options })
  }

  /**
   * Remove a custom slug, which becomes available again.
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
   * Disable a slug, which stays taken.
   * Needs a key with the scope `create`.
   */
  disable(slug: string, query: DisableSlugBySlugQuery = {}, options?: RequestOptions): Promise<Slug> {
    return this.#transport.json<Slug>({
      method: 'POST',
      path: `/slugs/${segment(slug)}/disable`,
      query,
      options,
    })
  }

  /**
   * Enable a slug, which does not become primary.
   * Needs a key with the scope `create`.
   */
  enable(slug: string, query: EnableSlugBySlugQuery = {}, options?: RequestOptions): Promise<Slug> {
    return this.#transport.json<Slug>({
      method: 'POST',
      path: `/slugs/${segment(slug)}/enable`,
      query,
      options,
    })
  }

  /**
   * Make a slug primary: displayed, and encoded in QR codes.
   * Needs a key with the scope `create`.
   */
  setPrimary(slug: string, query: SetPrimarySlugBySlugQuery = {}, options?: RequestOptions): Promise<Link> {
    return this.#transport.json<Link>({
      method: 'POST',
      path: `/slugs/${segment(slug)}/primary`,
      query,
      options,
    })
  }
}
