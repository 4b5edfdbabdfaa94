import type { Result, Router } from 'hono/router'
import { RegExpRouter } from 'hono/router/reg-exp-router'
import { SmartRouter } from 'hono/router/smart-router'
import { TrieRouter } from 'hono/router/trie-router'

/**
 * Finds paths without parameters by one map lookup, before paths with parameters. Hono's fast
 * router cannot hold `/links/newest` beside `/links/:id`, and its other one takes five microseconds
 * for every request.
 */
export class FixedFirst<Handler> implements Router<Handler> {
  name = 'FixedFirst'
  readonly #fixed = new Map<string, Result<Handler>>()
  readonly #others = new SmartRouter<Handler>({ routers: [new RegExpRouter(), new TrieRouter()] })
  #hasOthers = false

  add(method: string, path: string, handler: Handler): void {
    if (!path.includes(':')) return void this.#fixed.set(`${method} ${path}`, [[[handler, {}]]])
    this.#others.add(method, path, handler)
    this.#hasOthers = true
  }

  match(method: string, path: string): Result<Handler> {
    const fixed = this.#fixed.get(`${method} ${path}`)
    if (fixed) return fixed
    // The router throws when it has no routes.
    return this.#hasOthers ? this.#others.match(method, path) : [[]]
  }
}
