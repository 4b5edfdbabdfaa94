// Kills nodes at random moments while visitors follow a link with a maximum, starts them again on the
// same files, and compares how many people got through with the maximum.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DESKTOP } from '../actions.ts'
import { Server, createKey, withKey } from './server.ts'
import { NoAnswer, type Wire } from '@latchkey/http/testing-wire'

/** Connections of people, shared out among the nodes. */
const PEOPLE = 64
/** Connections of previews, which use nothing up. */
const PREVIEWS = 6
/** People who get through between two kills, at least. As many as there are may lose their place. */
const CLICKS_PER_KILL = 20

/** Requests that follow no link: programs, a HEAD and a prefetch. */
const PREVIEW_REQUESTS = [
  ['GET', { 'User-Agent': 'Slackbot-LinkExpanding 1.0' }],
  ['GET', { 'User-Agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' }],
  ['GET', { 'User-Agent': DESKTOP, 'Sec-Purpose': 'prefetch' }],
  ['HEAD', { 'User-Agent': DESKTOP }],
] as const

export interface LimitOutcome {
  kills: number
  maxClicks: number
  /** People who were sent to the destination. */
  through: number
  /** People whose connection was cut before they had an answer. */
  unanswered: number
  /** People who came too late. */
  refused: number
  previews: number
  /** Previews that were sent to the destination. */
  redirectedPreviews: number
  /** Stored clicks of the link. */
  clicks: number
  left: number
  restartMs: number[]
}

interface LimitOptions {
  kills: number
  /** A database that two nodes share; without one, a single node has a SQLite file. */
  databaseUrl?: string
}

export async function runLimit({ kills, databaseUrl }: LimitOptions): Promise<LimitOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-limit-'))
  const run = new LimitRun(folder, { kills, ...(databaseUrl !== undefined && { databaseUrl }) })
  try {
    return await run.run()
  } finally {
    await run.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** One node, its visitors, and the files of its journal. */
interface Node {
  start: () => Promise<Server>
  server: Server
  visitors: Promise<unknown>
}

class LimitRun {
  readonly #options: LimitOptions
  readonly #folder: string
  readonly #nodes: Node[] = []
  readonly #counts: LimitOutcome
  /** Requests of people that have no answer yet. */
  #inFlight = 0
  /** No further person sets out beyond this number, so that every kill meets a place that is left. */
  #ceiling = 0
  #headers: Record<string, string> = {}
  #linkPath = ''

  constructor(folder: string, options: LimitOptions) {
    this.#folder = folder
    this.#options = options
    const maxClicks = options.kills * (CLICKS_PER_KILL + PEOPLE)
    this.#counts = {
      kills: 0,
      maxClicks,
      through: 0,
      unanswered: 0,
      refused: 0,
      previews: 0,
      redirectedPreviews: 0,
      clicks: 0,
      left: 0,
      restartMs: [],
    }
  }

  async run(): Promise<LimitOutcome> {
    const { databaseUrl, kills } = this.#options
    for (const name of databaseUrl === undefined ? ['only'] : ['one', 'two']) await this.#addNode(name)
    await this.#createLink()
    for (const node of this.#nodes) await this.#sendVisitors(node)
    for (let kill = 0; kill < kills; kill++)
      await this.#killAt((kill + 1) * CLICKS_PER_KILL, this.#nodes[kill % this.#nodes.length] as Node)
    this.#ceiling = Infinity
    await Promise.all(this.#nodes.map(({ visitors }) => visitors))
    return this.#readOutcome()
  }

  async close(): Promise<void> {
    for (const { server } of this.#nodes) await server.close()
  }

  async #addNode(name: string): Promise<void> {
    const { databaseUrl } = this.#options
    const environment = {
      ...(databaseUrl !== undefined && { LINKS_DATABASE_URL: databaseUrl }),
      LINKS_JOURNAL: `sqlite:${join(this.#folder, `journal-${name}.db`)}`,
    }
    const start = () => Server.start(this.#folder, { environment })
    this.#nodes.push({ start, server: await start(), visitors: Promise.resolve() })
  }

  async #createLink(): Promise<void> {
    const [{ server }] = this.#nodes as [Node]
    this.#headers = withKey(await createKey(server))
    const body = { url: 'https://example.com/few', slug: 'few' }
    const { text } = await server.request('POST', '/_/api/links', { headers: this.#headers, body })
    this.#linkPath = `/_/api/links/${(JSON.parse(text) as { id: number }).id}`
    const { maxClicks: max_clicks } = this.#counts
    const behaviour = { headers: this.#headers, body: { max_clicks } }
    const { status } = await server.request('PUT', `${this.#linkPath}/behaviour`, behaviour)
    if (status !== 200) throw new Error(`The limit was answered with ${status}`)
  }

  /** Kills the node once that many people got through, while others are on their way. */
  async #killAt(through: number, node: Node): Promise<void> {
    this.#ceiling = through + PEOPLE
    while (this.#counts.through < through) await nextTurn()
    await node.server.kill()
    await node.visitors
    const startedMs = performance.now()
    node.server = await node.start()
    this.#counts.restartMs.push(performance.now() - startedMs)
    this.#counts.kills++
    await this.#sendVisitors(node)
  }

  async #sendVisitors(node: Node): Promise<void> {
    const connect = (count: number) =>
      Promise.all(Array.from({ length: count / this.#nodes.length }, () => node.server.connect()))
    const [people, previews] = [await connect(PEOPLE), await connect(PREVIEWS)]
    node.visitors = Promise.all([
      ...people.map((wire) => this.#followAsPerson(wire)),
      ...previews.map((wire) => this.#followAsPreview(wire)),
    ])
  }

  /** Follows the link until the server is killed, or until the link leads nowhere. */
  async #followAsPerson(wire: Wire): Promise<void> {
    const counts = this.#counts
    try {
      for (;;) {
        while (counts.through + this.#inFlight >= this.#ceiling && !wire.hasEnded) await nextTurn()
        if (wire.hasEnded) return
        this.#inFlight++
        const { status } = await wire
          .request('GET', '/few', { headers: { 'User-Agent': DESKTOP } })
          .finally(() => this.#inFlight--)
        if (status !== 302) break
        counts.through++
      }
      counts.refused++
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      // The status line says that the visitor gets through, even if the rest is lost.
      if (error.status === 302) counts.through++
      else counts.unanswered++
    } finally {
      wire.close()
    }
  }

  async #followAsPreview(wire: Wire): Promise<void> {
    const counts = this.#counts
    try {
      while (counts.refused === 0) {
        const [method, headers] = PREVIEW_REQUESTS[counts.previews % PREVIEW_REQUESTS.length] ?? ['GET', {}]
        const { status } = await wire.request(method, '/few', { headers })
        counts.previews++
        if (status === 302) counts.redirectedPreviews++
      }
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
    } finally {
      wire.close()
    }
  }

  async #readOutcome(): Promise<LimitOutcome> {
    const [{ server }] = this.#nodes as [Node]
    const read = async (path: string) =>
      JSON.parse((await server.request('GET', path, { headers: this.#headers })).text) as Record<
        string,
        number
      >
    // Each node counts the clicks of its own journal, at the latest when it stops.
    for (const other of this.#nodes.slice(1)) await other.server.stop()
    this.#counts.left = (await read(`${this.#linkPath}/behaviour`))['clicks_left'] ?? NaN
    this.#counts.clicks = (await read(this.#linkPath))['total_clicks'] ?? NaN
    return this.#counts
  }
}

/** Leaves the processor to the nodes. */
function nextTurn(): Promise<void> {
  return Bun.sleep(1)
}

/** Returns the problems of the outcome; none if exactly the maximum got through. */
export function findLimitProblems(outcome: LimitOutcome): string[] {
  const { maxClicks, through, unanswered, refused, clicks, left, redirectedPreviews } = outcome
  return [
    ...(through > maxClicks ? [`${through - maxClicks} people too many got through`] : []),
    // A place is lost only with a visitor whose connection was cut.
    ...(through + unanswered < maxClicks ? [`${maxClicks - through - unanswered} places were lost`] : []),
    ...(left === 0 ? [] : [`${left} places are left`]),
    ...(refused === PEOPLE ? [] : [`${refused} of ${PEOPLE} people were refused at the end`]),
    ...(redirectedPreviews === 0 ? [] : [`${redirectedPreviews} previews were redirected`]),
    ...(clicks < through || clicks > maxClicks
      ? [`${clicks} clicks are stored, ${through} got through`]
      : []),
  ]
}
