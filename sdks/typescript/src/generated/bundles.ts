// Made from the OpenAPI document by `npm run sdks`; changes made here are lost.

import { type Page, walkByCursor, walkByOffset } from '../paging.js'
import { type RequestOptions, type Transport, segment } from '../transport.js'
import type {
  AddLinkToBundleBody,
  AddLinkToBundleResult,
  Breakdown,
  Bundle,
  BundleChanges,
  BundleStats,
  BundleWithSummary,
  DeleteBundleResult,
  GetBundleAnalyticsQuery,
  GetBundleBreakdownQuery,
  GetBundleQuery,
  Link,
  ListBundleLinksQuery,
  ListBundlesQuery,
  NameCount,
  NewBundle,
  NewOwner,
  RemoveLinkFromBundleResult,
} from './models.js'

/** `client.bundles` */
export class Bundles {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * List the bundles of all users, newest first.
   * Needs a key with the scope `read`.
   */
  list(query: ListBundlesQuery = {}, options?: RequestOptions): Promise<Page<BundleWithSummary>> {
    return this.#transport.page<BundleWithSummary>({ method: 'GET', path: '/bundles', query, options })
  }

  /** Like `list`, but item by item through all pages. */
  listAll(
    query: ListBundlesQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<BundleWithSummary, void, undefined> {
    return walkByCursor((cursor) => this.list({ ...query, cursor }, options), query.cursor)
  }

  /**
   * Create a bundle.
   * Needs a key with the scope `create`.
   */
  create(body: NewBundle, options?: RequestOptions): Promise<Bundle> {
    return this.#transport.json<Bundle>({ method: 'POST', path: '/bundles', body, options })
  }

  /**
   * Read a bundle with its statistics, archived or not.
   * Needs a key with the scope `read`.
   */
  get(id: number, query: GetBundleQuery = {}, options?: RequestOptions): Promise<BundleWithSummary> {
    return this.#transport.json<BundleWithSummary>({
      method: 'GET',
      path: `/bundles/${segment(id)}`,
      query,
      options,
    })
  }

  /**
   * Change a bundle; omitted fields keep their values.
   * Needs a key with the scope `create`.
   */
  update(id: number, body: BundleChanges, options?: RequestOptions): Promise<Bundle> {
    return this.#transport.json<Bundle>({ method: 'PUT', path: `/bundles/${segment(id)}`, body, options })
  }

  /**
   * Delete a bundle and keep its links.
   * Needs a key with the scope `create`.
   */
  delete(id: number, options?: RequestOptions): Promise<DeleteBundleResult> {
    return this.#transport.json<DeleteBundleResult>({
      method: 'DELETE',
      path: `/bundles/${segment(id)}`,
      options,
    })
  }

  /**
   * Hide a bundle from the default list.
   * Needs a key with the scope `create`.
   */
  archive(id: number, options?: RequestOptions): Promise<Bundle> {
    return this.#transport.json<Bundle>({ method: 'POST', path: `/bundles/${segment(id)}/archive`, options })
  }

  /**
   * Show a bundle in the default list again.
   * Needs a key with the scope `create`.
   */
  unarchive(id: number, options?: RequestOptions): Promise<Bundle> {
    return this.#transport.json<Bundle>({
      method: 'POST',
      path: `/bundles/${segment(id)}/unarchive`,
      options,
    })
  }

  /**
   * List the links of a bundle, newest first, with their all-time clicks.
   * Needs a key with the scope `read`.
   */
  listLinks(id: number, query: ListBundleLinksQuery = {}, options?: RequestOptions): Promise<Page<Link>> {
    return this.#transport.page<Link>({
      method: 'GET',
      path: `/bundles/${segment(id)}/links`,
      query,
      options,
    })
  }

  /** Like `listLinks`, but item by item through all pages. */
  listAllLinks(
    id: number,
    query: ListBundleLinksQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<Link, void, undefined> {
    return walkByCursor((cursor) => this.listLinks(id, { ...query, cursor }, options), query.cursor)
  }

  /**
   * Add any link to any bundle.
   * Needs a key with the scope `create`.
   */
  addLink(id: number, body: AddLinkToBundleBody, options?: RequestOptions): Promise<AddLinkToBundleResult> {
    return this.#transport.json<AddLinkToBundleResult>({
      method: 'POST',
      path: `/bundles/${segment(id)}/links`,
      body,
      options,
    })
  }

  /**
   * Remove a link from a bundle and keep the link.
   * Needs a key with the scope `create`.
   */
  removeLink(id: number, linkId: number, options?: RequestOptions): Promise<RemoveLinkFromBundleResult> {
    return this.#transport.json<RemoveLinkFromBundleResult>({
      method: 'DELETE',
      path: `/bundles/${segment(id)}/links/${segment(linkId)}`,
      options,
    })
  }

  /**
   * Make another identity the owner of a bundle; its links keep their owners.
   * Needs a key with the scope `create`.
   */
  transfer(id: number, body: NewOwner, options?: RequestOptions): Promise<Bundle> {
    return this.#transport.json<Bundle>({
      method: 'POST',
      path: `/bundles/${segment(id)}/transfer`,
      body,
      options,
    })
  }

  /**
   * Analytics of a bundle: visitors, countries, referrers, devices, channels.
   * Needs a key with the scope `read`.
   */
  analytics(id: number, query: GetBundleAnalyticsQuery = {}, options?: RequestOptions): Promise<BundleStats> {
    return this.#transport.json<BundleStats>({
      method: 'GET',
      path: `/bundles/${segment(id)}/analytics`,
      query,
      options,
    })
  }

  /**
   * One breakdown of a bundle in full, with pagination.
   * Needs a key with the scope `read`.
   */
  breakdown(id: number, query: GetBundleBreakdownQuery, options?: RequestOptions): Promise<Breakdown> {
    return this.#transport.json<Breakdown>({
      method: 'GET',
      path: `/bundles/${segment(id)}/breakdown`,
      query,
      options,
    })
  }

  /** Like `breakdown`, but item by item through all pages. */
  breakdownAll(
    id: number,
    query: GetBundleBreakdownQuery,
    options?: RequestOptions,
  ): AsyncGenerator<NameCount, void, undefined> {
    return walkByOffset((offset) => this.breakdown(id, { ...query, offset }, options), query.offset ?? 0)
  }
}
