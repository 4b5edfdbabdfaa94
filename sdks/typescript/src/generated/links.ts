// Made from the OpenAPI document by `npm run sdks`; changes made here are lost.

import { type Page, walkByCursor, walkByOffset } from '../paging.js'
import { type RequestOptions, type Transport, segment } from '../transport.js'
import type {
  AddSlugBody,
  Behaviour,
  Breakdown,
  Bundle,
  ClickStats,
  DeleteBehaviourResult,
  DeleteLinkQuery,
  DeleteLinkResult,
  ExplainLinkQuery,
  Explanation,
  GetLinkAnalyticsQuery,
  GetLinkBreakdownQuery,
  GetLinkQrQuery,
  GetLinkQuery,
  GetLinkTimelineQuery,
  HistoryChange,
  Link,
  LinkChanges,
  ListLinkHistoryQuery,
  ListLinksQuery,
  NameCount,
  NewBehaviour,
  NewLink,
  NewOwner,
  PromoteVariantBody,
  RemoveSlugQuery,
  RemoveSlugResult,
  RestoreLinkBody,
  Slug,
  TimelineData,
} from './models.js'

/** `client.links` */
export class Links {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Shorten a URL.
   * Needs a key with the scope `create`.
   */
  create(body: NewLink, options?: RequestOptions): Promise<Link> {
    return this.#transport.json<Link>({ method: 'POST', path: '/links', body, options })
  }

  /**
   * List links.
   * Needs a key with the scope `read`.
   */
  list(query: ListLinksQuery = {}, options?: RequestOptions): Promise<Page<Link>> {
    return this.#transport.page<Link>({ method: 'GET', path: '/links', query, options })
  }

  /** Like `list`, but item by item through all pages. */
  listAll(query: ListLinksQuery = {}, options?: RequestOptions): AsyncGenerator<Link, void, undefined> {
    return walkByCursor((cursor) => this.list({ ...query, cursor }, options), query.cursor)
  }

  /**
   * Read a link.
   * Needs a key with the scope `read`.
   */
  get(id: number, query: GetLinkQuery = {}, options?: RequestOptions): Promise<Link> {
    return this.#transport.json<Link>({ method: 'GET', path: `/links/${segment(id)}`, query, options })
  }

  /**
   * Change a link; omitted fields keep their values.
   * Needs a key with the scope `create`.
   */
  update(id: number, body: LinkChanges, options?: RequestOptions): Promise<Link> {
    return this.#transport.json<Link>({ method: 'PUT', path: `/links/${segment(id)}`, body, options })
  }

  /**
   * Delete a link with its slugs.
   * Needs a key with the scope `create`.
   */
  delete(id: number, query: DeleteLinkQuery = {}, options?: RequestOptions): Promise<DeleteLinkResult> {
    return this.#transport.json<DeleteLinkResult>({
      method: 'DELETE',
      path: `/links/${segment(id)}`,
      query,
      options,
    })
  }

  /**
   * Disable a link; its expiry and slugs do not change.
   * Needs a key with the scope `create`.
   */
  disable(id: number, options?: RequestOptions): Promise<Link> {
    return this.#transport.json<Link>({ method: 'POST', path: `/links/${segment(id)}/disable`, options })
  }

  /**
   * Enable a link.
   * Needs a key with the scope `create`.
   */
  enable(id: number, options?: RequestOptions): Promise<Link> {
    return this.#transport.json<Link>({ method: 'POST', path: `/links/${segment(id)}/enable`, options })
  }

  /**
   * Read where a link leads, for whom and when.
   * Needs a key with the scope `read`.
   */
  getBehaviour(id: number, options?: RequestOptions): Promise<Behaviour> {
    return this.#transport.json<Behaviour>({
      method: 'GET',
      path: `/links/${segment(id)}/behaviour`,
      options,
    })
  }

  /**
   * Replace where a link leads, for whom and when; an empty object removes it.
   * Needs a key with the scope `create`.
   */
  setBehaviour(id: number, body: NewBehaviour, options?: RequestOptions): Promise<Behaviour> {
    return this.#transport.json<Behaviour>({
      method: 'PUT',
      path: `/links/${segment(id)}/behaviour`,
      body,
      options,
    })
  }

  /**
   * Remove the behaviour of a link, which then leads to its URL.
   * Needs a key with the scope `create`.
   */
  deleteBehaviour(id: number, options?: RequestOptions): Promise<DeleteBehaviourResult> {
    return this.#transport.json<DeleteBehaviourResult>({
      method: 'DELETE',
      path: `/links/${segment(id)}/behaviour`,
      options,
    })
  }

  /**
   * End a split: one of its parts becomes the URL of the link, or of the rule.
   * Needs a key with the scope `create`.
   */
  promoteVariant(id: number, body: PromoteVariantBody, options?: RequestOptions): Promise<Behaviour> {
    return this.#transport.json<Behaviour>({
      method: 'POST',
      path: `/links/${segment(id)}/behaviour/promote`,
      body,
      options,
    })
  }

  /**
   * Explain where a link leads a visitor, without counting a click.
   * Needs a key with the scope `read`.
   */
  explain(id: number, query: ExplainLinkQuery = {}, options?: RequestOptions): Promise<Explanation> {
    return this.#transport.json<Explanation>({
      method: 'GET',
      path: `/links/${segment(id)}/explain`,
      query,
      options,
    })
  }

  /**
   * Add a custom slug to any link.
   * Needs a key with the scope `create`.
   */
  addSlug(id: number, body: AddSlugBody, options?: RequestOptions): Promise<Slug> {
    return this.#transport.json<Slug>({ method: 'POST', path: `/links/${segment(id)}/slugs`, body, options })
  }

  /**
   * Disable a slug, which stays taken.
   * Needs a key with the scope `create`.
   */
  disableSlug(id: number, slug: string, options?: RequestOptions): Promise<Slug> {
    return this.#transport.json<Slug>({
      method: 'POST',
      path: `/links/${segment(id)}/slugs/${segment(slug)}/disable`,
      options,
    })
  }

  /**
   * Enable a slug, which does not become primary.
   * Needs a key with the scope `create`.
   */
  enableSlug(id: number, slug: string, options?: RequestOptions): Promise<Slug> {
    return this.#transport.json<Slug>({
      method: 'POST',
      path: `/links/${segment(id)}/slugs/${segment(slug)}/enable`,
      options,
    })
  }

  /**
   * Make a slug primary: displayed, and encoded in QR codes.
   * Needs a key with the scope `create`.
   */
  setPrimarySlug(id: number, slug: string, options?: RequestOptions): Promise<Link> {
    return this.#transport.json<Link>({
      method: 'POST',
      path: `/links/${segment(id)}/slugs/${segment(slug)}/primary`,
      options,
    })
  }

  /**
   * Remove a custom slug, which becomes available again.
   * Needs a key with the scope `create`.
   */
  removeSlug(
    id: number,
    slug: string,
    query: RemoveSlugQuery = {},
    options?: RequestOptions,
  ): Promise<RemoveSlugResult> {
    return this.#transport.json<RemoveSlugResult>({
      method: 'DELETE',
      path: `/links/${segment(id)}/slugs/${segment(slug)}`,
      query,
      options,
    })
  }

  /**
   * List the bundles of a link by name, without archived ones.
   * Needs a key with the scope `read`.
   */
  listBundles(id: number, options?: RequestOptions): Promise<Bundle[]> {
    return this.#transport.json<Bundle[]>({ method: 'GET', path: `/links/${segment(id)}/bundles`, options })
  }

  /**
   * Make another identity the owner of a link.
   * Needs a key with the scope `create`.
   */
  transfer(id: number, body: NewOwner, options?: RequestOptions): Promise<Link> {
    return this.#transport.json<Link>({
      method: 'POST',
      path: `/links/${segment(id)}/transfer`,
      body,
      options,
    })
  }

  /**
   * List the changes of a link, deleted or not, newest first.
   * Needs a key with the scope `read`.
   */
  listHistory(
    id: number,
    query: ListLinkHistoryQuery = {},
    options?: RequestOptions,
  ): Promise<Page<HistoryChange>> {
    return this.#transport.page<HistoryChange>({
      method: 'GET',
      path: `/links/${segment(id)}/history`,
      query,
      options,
    })
  }

  /** Like `listHistory`, but item by item through all pages. */
  listAllHistory(
    id: number,
    query: ListLinkHistoryQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<HistoryChange, void, undefined> {
    return walkByCursor((cursor) => this.listHistory(id, { ...query, cursor }, options), query.cursor)
  }

  /**
   * Give a link the values that it had right after a change; its owner stays.
   * Needs a key with the scope `create`.
   */
  restore(id: number, body: RestoreLinkBody, options?: RequestOptions): Promise<Link> {
    return this.#transport.json<Link>({
      method: 'POST',
      path: `/links/${segment(id)}/restore`,
      body,
      options,
    })
  }

  /**
   * Analytics of a link: visitors, countries, referrers, devices, channels.
   * Needs a key with the scope `read`.
   */
  analytics(id: number, query: GetLinkAnalyticsQuery = {}, options?: RequestOptions): Promise<ClickStats> {
    return this.#transport.json<ClickStats>({
      method: 'GET',
      path: `/links/${segment(id)}/analytics`,
      query,
      options,
    })
  }

  /**
   * Clicks of a link by hour, day, week or month.
   * Needs a key with the scope `read`.
   */
  timeline(id: number, query: GetLinkTimelineQuery = {}, options?: RequestOptions): Promise<TimelineData> {
    return this.#transport.json<TimelineData>({
      method: 'GET',
      path: `/links/${segment(id)}/timeline`,
      query,
      options,
    })
  }

  /**
   * One breakdown of a link in full, with pagination.
   * Needs a key with the scope `read`.
   */
  breakdown(id: number, query: GetLinkBreakdownQuery, options?: RequestOptions): Promise<Breakdown> {
    return this.#transport.json<Breakdown>({
      method: 'GET',
      path: `/links/${segment(id)}/breakdown`,
      query,
      options,
    })
  }

  /** Like `breakdown`, but item by item through all pages. */
  breakdownAll(
    id: number,
    query: GetLinkBreakdownQuery,
    options?: RequestOptions,
  ): AsyncGenerator<NameCount, void, undefined> {
    return walkByOffset((offset) => this.breakdown(id, { ...query, offset }, options), query.offset ?? 0)
  }

  /**
   * Create a QR code of the short URL.
   * Needs a key with the scope `read`.
   */
  qr(id: number, query: GetLinkQrQuery = {}, options?: RequestOptions): Promise<Blob> {
    return this.#transport.file({ method: 'GET', path: `/links/${segment(id)}/qr`, query, options })
  }
}
