import { join } from 'node:path'
import { type Database, openDatabase } from '@latchkey/database/database'
import type { SharedDatabase } from '@latchkey/database/testing-nodes'
import { freePort } from '@latchkey/http/free-port'
import type { Random } from '@latchkey/http/testing-random'
import { Page } from '../../../../bench/fanout/page.ts'
import { HOST, type Person, seedPeople } from '../../../../bench/fanout/people.ts'
import type { Answer } from '@latchkey/http/testing-wire'
import type { Tables } from '../../src/db/tables.ts'
import { type Service, startService } from '../real/service.ts'
import { until } from '../until.ts'
import { askOnce } from './ask.ts'
import { ChatLedger } from './chat-ledger.ts'

const ROOMS = 2
const MEMBERS = 12
/** People who sign out, each once. */
const LEAVERS = 200
const LEAVERS_PER_ROUND = 2
/** The longest wait that is not endless. */
const ANSWERED_WITHIN_MS = 60_000
const RETRY_MS = 50
const LIMITS = [
  'messages_per_10s',
  'room_writes_per_minute',
  'http_per_minute',
  'http_anonymous_per_minute',
  'socket_connects_per_minute',
  'socket_messages_per_10s',
  'sockets_session',
  'sockets_user',
  'login_start_per_minute',
]

export interface RoomsLoadOptions {
  folder: string
  random: Random
  /** By default, one node has a SQLite file in the folder. */
  database?: Omit<SharedDatabase, 'waitForEndOf'>
  environmentOf?: (node: number) => Record<string, string>
}

interface Leaver {
  person: Person
  page: Page
  /** From the first request to sign out on, the session may have ended. */
  state: 'signed in' | 'leaving' | 'signed out'
}

/** Nodes of Rooms with people who post, read and sign out, whose answers are compared with what is stored. */
export class RoomsLoad {
  readonly ledger = new ChatLedger()
  readonly nodes: Service[] = []
  readonly pages: Page[] = []
  readonly #options: RoomsLoadOptions
  readonly #urls: readonly [string, ...string[]]
  readonly #ports: number[] = []
  #people: readonly Person[] = []
  #roomIds: string[] = []
  readonly #leavers: Leaver[] = []
  readonly #counts = new Map<number, number>()
  #database: Database<Tables> | undefined
  #isOver = false
  #running: Promise<unknown> = Promise.resolve()

  private constructor(options: RoomsLoadOptions) {
    this.#options = options
    this.#urls = options.database?.urls ?? [`sqlite:${join(options.folder, 'rooms.db')}`]
  }

  /** Starts the nodes, and opens the pages of all members. */
  static async open(options: RoomsLoadOptions): Promise<RoomsLoad> {
    const load = new RoomsLoad(options)
    try {
      load.#people = await seedPeople(options.database?.checkedUrl ?? load.#urls[0], MEMBERS + LEAVERS)
      for (const index of load.#urls.keys()) {
        load.#ports.push(await freePort())
        await load.start(index)
      }
      await load.#openRooms()
      return load
    } catch (error) {
      await load.close()
      throw error
    }
  }

  get database(): Database<Tables> {
    this.#database ??= openDatabase<Tables>(this.#options.database?.checkedUrl ?? this.#urls[0])
    return this.#database
  }

  get members(): readonly Person[] {
    return this.#people.slice(0, MEMBERS)
  }

  /** The port of the first node. */
  get port(): number {
    return this.#ports[0] ?? 0
  }

  get signedOut(): number {
    return this.#leavers.filter(({ state }) => state === 'signed out').length
  }

  get reconnects(): number {
    return this.pages.reduce((sum, { reconnects }) => sum + reconnects, 0)
  }

  async start(index: number): Promise<void> {
    this.nodes[index] = await startService({
      AUTH_PROVIDER: 'oidc',
      AUTH_CLIENT_ID: 'prove',
      OIDC_ISSUER: 'https://login.example.com',
      ALLOWED_HOSTS: `https://${HOST}`,
      ROOMS_PORT: String(this.#ports[index]),
      ROOMS_DATABASE_URL: this.#urls[index] ?? '',
      ROOMS_FILES: `files:${join(this.#options.folder, 'files')}`,
      ROOMS_LIMITS: LIMITS.map((limit) => `${limit}=1000000`).join(),
      ...this.#options.environmentOf?.(index),
    })
  }

  async isReady(): Promise<boolean> {
    const answers = await Promise.all(
      this.#ports.map((port) => askOnce(port, this.#people[0] as Person, 'GET', '/api/ready')),
    )
    return answers.every(({ status }) => status === 200)
  }

  /** Members post, one after another, and some people sign out. */
  begin(random: Random): void {
    this.#isOver = false
    this.#running = Promise.all([
      ...this.members.map((person, author) => this.#post(person, author, random.fork(`member ${author}`))),
      this.#leave(random.fork('leavers')),
      this.#probe(random.fork('probe')),
    ])
  }

  /** Resolves when each person has an answer, or has given up. */
  async end(): Promise<void> {
    this.#isOver = true
    const late = Bun.sleep(ANSWERED_WITHIN_MS).then(() => 'late' as const)
    if ((await Promise.race([this.#running, late])) === 'late')
      throw new Error(`A request has no answer after ${ANSWERED_WITHIN_MS} ms`)
  }

  /** Compares messages, pages and sessions with the database of the nodes, which run. */
  async check(): Promise<void> {
    await this.ledger.reconcile(this.database)
    const rooms = await this.database.read.selectFrom('rooms').select(['id', 'last_seq']).execute()
    const lastOf = new Map(rooms.map(({ id, last_seq }) => [id, last_seq]))
    for (const [index, page] of this.pages.entries()) {
      const last = lastOf.get(this.roomOf(index)) ?? 0
      await until(() => page.isPresent && page.seq >= last).catch(() => undefined)
      this.ledger.require(
        page.isPresent && page.seq === last && page.faults === 0,
        () =>
          `page ${index} (${page.isPresent}) has ${page.seq} of ${last} events, ${page.faults} after a hole`,
      )
    }
    await this.#checkSessions()
  }

  async stop(): Promise<void> {
    for (const page of [...this.pages, ...this.#leavers.map((leaver) => leaver.page)]) page.close()
    for (const node of this.nodes) await node.stop()
    await this.ledger.reconcile(this.database)
  }

  async close(): Promise<void> {
    this.#isOver = true
    for (const page of [...this.pages, ...this.#leavers.map((leaver) => leaver.page)]) page.close()
    for (const node of this.nodes) await node.kill()
    await this.#database?.close()
  }

  /** The room of a member. */
  roomOf(index: number): string {
    return this.#roomIds[index % ROOMS] ?? ''
  }

  async #openRooms(): Promise<void> {
    for (let index = 0; index < ROOMS; index++) {
      const body = {
        name: `Room ${index}`,
        maxParticipants: 100,
        retention: 'forever',
        defaultRole: 'speaker',
      }
      const { text } = await askOnce(
        this.#ports[0] ?? 0,
        this.#people[index] as Person,
        'POST',
        '/api/rooms',
        body,
      )
      this.#roomIds.push((JSON.parse(text) as { room: { id: string } }).room.id)
    }
    for (let index = 0; index < MEMBERS; index++) {
      const page = this.#openPage(index, this.#options.random.fork(`page ${index}`))
      await page.enter()
      this.pages.push(page)
    }
  }

  #openPage(index: number, random: Random): Page {
    return new Page({
      person: this.#people[index] as Person,
      roomId: this.roomOf(index),
      ports: () => this.#ports,
      node: index % this.#ports.length,
      delay: (belowMs) => random.next() * belowMs,
    })
  }

  async #post(person: Person, author: number, random: Random): Promise<void> {
    while (!this.#isOver) {
      const number = this.#counts.get(author) ?? 0
      this.#counts.set(author, number + 1)
      const [roomId, clientId] = [this.roomOf(author), `${author}-${number}`]
      const content = `message of ${author} ${number}`
      this.ledger.begin(clientId, { author, roomId, content })
      await this.#postUntilStored(person, { roomId, clientId, content }, random)
      await Bun.sleep(random.next() * RETRY_MS)
    }
  }

  /** Sends a message with one id until it is stored, as pages do. */
  async #postUntilStored(
    person: Person,
    { roomId, ...body }: { roomId: string; clientId: string; content: string },
    random: Random,
  ): Promise<void> {
    // A second sending of some messages finds them stored.
    let isSecond = random.chance(0.1)
    while (!this.#isOver) {
      const answer = await this.#ask(random, person, 'POST', `/api/rooms/${roomId}/messages`, body)
      if (answer === undefined) continue
      this.ledger.require([200, 201].includes(answer.status), () => `a post: ${answer.status} ${answer.text}`)
      if (answer.status === 200) this.ledger.repeated++
      if (answer.status < 300)
        this.ledger.acknowledge(
          body.clientId,
          (JSON.parse(answer.text) as { message: { seq: number } }).message.seq,
        )
      if (!isSecond) return
      isSecond = false
    }
  }

  /** Asks any node. Undefined after a pause if the request has to be sent again. */
  async #ask(
    random: Random,
    person: Person,
    method: string,
    path: string,
    body?: object,
  ): Promise<Answer | undefined> {
    const answer = await askOnce(random.pick(this.#ports), person, method, path, body).catch(() => undefined)
    if (answer !== undefined && answer.status !== 503) return answer
    this.ledger.unanswered++
    await Bun.sleep(RETRY_MS)
    return undefined
  }

  async #leave(random: Random): Promise<void> {
    for (let count = 0; count < LEAVERS_PER_ROUND && !this.#isOver; count++) {
      const index = MEMBERS + this.#leavers.length
      const person = this.#people[index]
      if (!person) return
      const page = this.#openPage(index, random)
      const leaver: Leaver = { person, page, state: 'signed in' }
      this.#leavers.push(leaver)
      // Without its node, the page is not open.
      await page.enter().catch(() => page.terminate())
      await Bun.sleep(random.next() * RETRY_MS)
      leaver.state = 'leaving'
      while (!this.#isOver && leaver.state === 'leaving') await this.#signOut(leaver, random)
    }
  }

  async #signOut(leaver: Leaver, random: Random): Promise<void> {
    const answer = await this.#ask(random, leaver.person, 'POST', '/api/auth/logout', {})
    if (answer === undefined) return
    // An earlier request that got no answer may have ended the session.
    this.ledger.require(
      [200, 401].includes(answer.status),
      () => `a sign-out: ${answer.status} ${answer.text}`,
    )
    leaver.state = 'signed out'
  }

  /** Looks for a session that has ended and is accepted by some node. */
  async #probe(random: Random): Promise<void> {
    while (!this.#isOver) {
      const gone = this.#leavers.filter(({ state }) => state === 'signed out')
      if (gone.length > 0) await this.#requireEnded(random.pick(gone), random.pick(this.#ports))
      await Bun.sleep(RETRY_MS)
    }
  }

  async #requireEnded({ person }: Leaver, port: number): Promise<void> {
    const answer = await askOnce(port, person, 'GET', '/api/sessions').catch(() => undefined)
    const isEnded = answer === undefined || answer.status === 401 || answer.status === 503
    this.ledger.require(isEnded, () => `an ended session was accepted: ${answer?.status}`)
  }

  async #checkSessions(): Promise<void> {
    for (const leaver of this.#leavers.filter(({ state }) => state === 'signed out')) {
      for (const port of this.#ports) {
        const { status } = await askOnce(port, leaver.person, 'GET', '/api/sessions')
        this.ledger.require(status === 401, () => `an ended session was answered ${status}`)
      }
      await until(() => !leaver.page.isPresent).catch(() => undefined)
      this.ledger.require(!leaver.page.isPresent, () => 'a page of an ended session is open')
      leaver.page.close()
    }
  }
}
