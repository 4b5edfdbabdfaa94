import type { Random } from '@latchkey/http/testing-random'
import { type LedgerLink, type Ledger, type State, kindOf } from './ledger.ts'
import { type Server, withKey } from './server.ts'
import { type Answer, NoAnswer, type Wire } from '@latchkey/http/testing-wire'

/** Links created before the load starts, which receive most of the clicks. */
export const HOT_LINKS = 20

/** The storage failed, and says that nothing is stored. */
const REFUSED = /nothing was changed/

/** Shared by all clients of a run. */
export class Workload {
  readonly ledger: Ledger
  readonly key: string
  readonly hot: string[] = []
  readonly slugs = new Map<string, LedgerLink>()
  readonly all: string[] = []
  /** Whether 503 is an answer, as while a test withholds the database. */
  mayRefuse = false
  /** Requests that were answered with 503. */
  refused = 0
  /** Ends the clients after the request that they send. */
  isOver = false
  #linkCount = 0

  constructor(ledger: Ledger, key: string) {
    this.ledger = ledger
    this.key = key
  }

  isRefusal({ status }: Answer): boolean {
    if (status !== 503 || !this.mayRefuse) return false
    this.refused++
    return true
  }

  nextNumber(): number {
    return ++this.#linkCount
  }

  /** Sends later clicks to this link. */
  publish(link: LedgerLink): void {
    for (const slug of link.slugs)
      if (!this.slugs.has(slug)) {
        this.slugs.set(slug, link)
        this.all.push(slug)
      }
  }
}

/** Follows slugs until the connection ends. */
export async function visit(workload: Workload, wire: Wire, random: Random): Promise<void> {
  while (!wire.hasEnded && !workload.isOver) {
    const slug = random.pick(random.chance(0.7) ? workload.hot : workload.all)
    await follow(workload, wire, slug, random.chance(0.05) ? 'HEAD' : 'GET')
  }
}

/**
 * Sends one click and records it. Returns undefined without an answer. HEAD is answered and not
 * counted (L12.2).
 */
async function follow(
  workload: Workload,
  wire: Wire,
  slug: string,
  method: 'GET' | 'HEAD',
): Promise<Answer | undefined> {
  const { ledger, slugs } = workload
  const link = slugs.get(slug)
  const visits = method === 'GET' ? ledger.visitsOf(slug) : { sent: 0, redirected: 0, unanswered: 0 }
  visits.sent++
  try {
    const answer = await wire.request(method, `/${slug}`)
    if (workload.isRefusal(answer)) return undefined
    const location = answer.headers.get('location')
    if (answer.status === 302) visits.redirected++
    ledger.require(
      (answer.status === 302 && link?.urls.has(location ?? '') === true) ||
        (answer.status === 404 && link?.wasEverDisabled === true),
      () => `${slug} answered ${answer.status} ${location}`,
    )
    return answer
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error
    // A received status means that the redirect was sent, even if the rest is lost.
    if (error.status === 302) visits.redirected++
    else visits.unanswered++
    return undefined
  }
}

/**
 * Creates and changes its own links, one answered write after another, until the connection ends.
 */
export class Writer {
  readonly #workload: Workload
  readonly #random: Random
  readonly #own: LedgerLink[] = []

  constructor(workload: Workload, random: Random) {
    this.#workload = workload
    this.#random = random
  }

  async work(wire: Wire): Promise<void> {
    // The state after the last kill is reconciled by now. A link that it created has no writer and
    // is only clicked.
    while (!wire.hasEnded && !this.#workload.isOver) {
      // Whether the last change of the others is stored is open.
      const settled = this.#own.filter(({ pending }) => pending === undefined)
      if (settled.length < 5 || this.#random.chance(0.35)) await this.create(wire, this.#random.chance(0.4))
      else await this.#change(wire, this.#random.pick(settled))
    }
  }

  async create(wire: Wire, withSlug: boolean): Promise<LedgerLink | undefined> {
    const { ledger } = this.#workload
    const number = this.#workload.nextNumber()
    const link = {
      url: `https://example.com/made/${number}`,
      label: `made ${number}`,
      slug: withSlug ? `made-${number}` : undefined,
    }
    ledger.begin(link)
    const answer = await this.#send(wire, 'POST', '/links', link)
    if (answer === 'refused') ledger.recordRefused(link)
    if (answer === 'refused' || answer === 'open') return undefined
    ledger.require(answer.status === 201, () => `create answered ${answer.status} ${answer.text}`)
    if (answer.status !== 201) return undefined
    const created = JSON.parse(answer.text) as { id: number; slugs: { slug: string }[] }
    const ledgerLink = ledger.recordCreated(link, {
      id: created.id,
      slugs: created.slugs.map(({ slug }) => slug),
    })
    ledger.writes[withSlug ? 'create with slug' : 'create'].answered++
    this.#own.push(ledgerLink)
    this.#workload.publish(ledgerLink)
    if (this.#random.chance(0.5)) await this.#followOwn(wire, ledgerLink)
    return ledgerLink
  }

  async #change(wire: Wire, link: LedgerLink): Promise<void> {
    const number = this.#workload.nextNumber()
    const next: State = { ...link.state }
    const chanceOfChange = this.#random.next()
    if (chanceOfChange < 0.5) {
      next.url = `https://example.com/changed/${number}`
      next.label = this.#random.chance(0.2) ? null : `changed ${number}`
    } else if (chanceOfChange < 0.65) next.primary = `changed-${number}`
    else next.disabled = !next.disabled
    await this.#sendChange(wire, link, next)
  }

  async #sendChange(wire: Wire, link: LedgerLink, next: State): Promise<void> {
    const { ledger } = this.#workload
    const kind = kindOf(link.state, next)
    link.pending = next
    link.urls.add(next.url)
    if (next.disabled) link.wasEverDisabled = true
    const answer =
      kind === 'disable' || kind === 'enable'
        ? await this.#send(wire, 'POST', `/links/${link.id}/${kind}`)
        : await this.#send(
            wire,
            this.#random.chance(0.5) ? 'PUT' : 'PATCH',
            `/links/${link.id}`,
            kind === 'update' ? { url: next.url, label: next.label } : { slug: next.primary },
          )
    if (answer === 'open') return
    link.pending = undefined
    if (answer === 'refused') return
    ledger.require(answer.status === 200, () => `${kind} answered ${answer.status} ${answer.text}`)
    link.state = next
    link.slugs.add(next.primary)
    this.#workload.publish(link)
    ledger.writes[kind].answered++
    if (this.#random.chance(0.5)) await this.#followOwn(wire, link)
  }

  /** A change applies to the next redirect (L12.5), and no other writer changes the link. */
  async #followOwn(wire: Wire, link: LedgerLink): Promise<void> {
    const answer = await follow(this.#workload, wire, link.state.primary, 'GET')
    if (!answer) return
    const expected = link.state.disabled ? '404 null' : `302 ${link.state.url}`
    const actual = `${answer.status} ${answer.headers.get('location')}`
    this.#workload.ledger.require(
      actual === expected,
      () => `after its change a link answers ${actual}, not ${expected}`,
    )
  }

  /** 'open' if whether it is stored is not known. */
  async #send(
    wire: Wire,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<Answer | 'refused' | 'open'> {
    try {
      const headers = withKey(this.#workload.key)
      const request = body === undefined ? { headers } : { headers, body }
      const answer = await wire.request(method, `/_/api${path}`, request)
      if (!this.#workload.isRefusal(answer)) return answer
      return REFUSED.test(answer.text) ? 'refused' : 'open'
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      return 'open'
    }
  }
}

interface Clients {
  writers: readonly Writer[]
  visitors: number
  random: Random
}

/** Runs all clients, shared out among the servers, until their server stops or the load is over. */
export async function runLoad(
  servers: readonly Server[],
  workload: Workload,
  { writers, visitors, random }: Clients,
): Promise<void> {
  workload.isOver = false
  const wires = await Promise.all(
    Array.from({ length: writers.length + visitors }, (_, index) =>
      (servers[index % servers.length] as Server).connect(),
    ),
  )
  await Promise.all(
    wires.map((wire, index) => {
      const writer = writers[index]
      return writer ? writer.work(wire) : visit(workload, wire, random.fork(`visitor ${index}`))
    }),
  )
  for (const wire of wires) wire.close()
}
