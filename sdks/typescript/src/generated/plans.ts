// Made from the OpenAPI document by `npm run sdks`; changes made here are lost.

import { type Page, walkByCursor } from '../paging.js'
import { type RequestOptions, type Transport, segment } from '../transport.js'
import type { ListPlansQuery, NewPlan, Plan, PlanSummary, PlanUndo } from './models.js'

/** `client.plans` */
export class Plans {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /**
   * Plan operations: check them and see what they would change, without changing it.
   * Needs a key with the scope `create`.
   */
  create(body: NewPlan, options?: RequestOptions): Promise<Plan> {
    return this.#transport.json<Plan>({ method: 'POST', path: '/plans', body, options })
  }

  /**
   * List your plans, latest first; administrators those of everyone.
   * Needs a key with the scope `read`.
   */
  list(query: ListPlansQuery = {}, options?: RequestOptions): Promise<Page<PlanSummary>> {
    return this.#transport.page<PlanSummary>({ method: 'GET', path: '/plans', query, options })
  }

  /** Like `list`, but item by item through all pages. */
  listAll(
    query: ListPlansQuery = {},
    options?: RequestOptions,
  ): AsyncGenerator<PlanSummary, void, undefined> {
    return walkByCursor((cursor) => this.list({ ...query, cursor }, options), query.cursor)
  }

  /**
   * Read a plan with everything that it changes.
   * Needs a key with the scope `read`.
   */
  get(id: number, options?: RequestOptions): Promise<Plan> {
    return this.#transport.json<Plan>({ method: 'GET', path: `/plans/${segment(id)}`, options })
  }

  /**
   * Apply a plan: all of it, or nothing if something was changed since or an operation is refused.
   * Needs a key with the scope `create`.
   */
  apply(id: number, options?: RequestOptions): Promise<Plan> {
    return this.#transport.json<Plan>({ method: 'POST', path: `/plans/${segment(id)}/apply`, options })
  }

  /**
   * Discard a plan, which can then no longer be applied.
   * Needs a key with the scope `create`.
   */
  discard(id: number, options?: RequestOptions): Promise<Plan> {
    return this.#transport.json<Plan>({ method: 'POST', path: `/plans/${segment(id)}/discard`, options })
  }

  /**
   * Undo an applied plan where nothing was changed since, and list what stays.
   * Needs a key with the scope `create`.
   */
  undo(id: number, options?: RequestOptions): Promise<PlanUndo> {
    return this.#transport.json<PlanUndo>({ method: 'POST', path: `/plans/${segment(id)}/undo`, options })
  }
}
