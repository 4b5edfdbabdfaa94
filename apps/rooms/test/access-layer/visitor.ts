// A browser that visits Rooms and a service behind its access layer, and the proxy of the service.
import { expect } from 'bun:test'
import { type JWTPayload, createLocalJWKSet, jwtVerify } from 'jose'
import { ALICE, type HostileProvider, type Person, conditions } from '../provider/hostile.ts'
import { type Browser, ORIGIN, type TestOptions, type TestRooms } from '../rooms.ts'

export const GO = 'https://go.example.com'
export const WIKI = 'https://wiki.example.com'
export const SERVICE_KEY = 'a-key-of-the-services-of-this-test'
export const ADMIN = `${GO}/_/admin/links?q=a%20b`

/** Settings with which Rooms is the access layer of both services. */
export function accessLayer(require = ''): TestOptions {
  return {
    settings: { accessOrigins: [GO, WIKI], accessServiceKey: SERVICE_KEY },
    provider: (idp: HostileProvider) =>
      idp.config({
        backchannelLogout: true,
        accessConditions: require === '' ? [] : conditions(require),
      }),
  }
}

/** The headers that a proxy adds to a request for this address. */
export function forwarded(address: string): Record<string, string> {
  const { protocol, host, pathname, search } = new URL(address)
  return {
    'x-forwarded-proto': protocol.slice(0, -1),
    'x-forwarded-host': host,
    'x-forwarded-uri': pathname + search,
  }
}

const NAVIGATION = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

/** One browser. Its cookies at a service are those of `at(origin)`. */
export class Visitor {
  readonly service: TestRooms
  readonly rooms: Browser
  readonly #others = new Map<string, Browser>()

  constructor(service: TestRooms, rooms = service.browser()) {
    this.service = service
    this.rooms = rooms
  }

  /** Requests to a service reach Rooms from its proxy. */
  at(origin: string): Browser {
    const browser = this.#others.get(origin) ?? this.service.browser({ ip: '127.0.0.1', origin })
    this.#others.set(origin, browser)
    return browser
  }

  /** This browser after a restart of Rooms, or at another node. */
  movedTo(service: TestRooms): Visitor {
    const moved = new Visitor(service)
    for (const [name, value] of this.rooms.cookies) moved.rooms.cookies.set(name, value)
    for (const [origin, { cookies }] of this.#others)
      for (const [name, value] of cookies) moved.at(origin).cookies.set(name, value)
    return moved
  }

  /** The proxy asks whether this browser may see the address. */
  ask(address = ADMIN, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> {
    const browser = this.at(new URL(address).origin)
    return browser.send('/api/access', { method, headers: { ...forwarded(address), ...headers } })
  }

  /** Opens an address as a person does, and returns the first that neither Rooms nor its proxy redirects. */
  async follow(address: string): Promise<string> {
    const seen: string[] = []
    for (let next = address; ;) {
      seen.push(next)
      if (seen.length > 10) throw new Error(`redirected in a circle: ${seen.join('\n')}`)
      const { origin, pathname } = new URL(next)
      const isPage = origin !== ORIGIN && !pathname.startsWith('/api/access/')
      const headers = origin === ORIGIN ? NAVIGATION : { ...NAVIGATION, ...forwarded(next) }
      const response = isPage ? await this.ask(next) : await this.#browserAt(origin)?.send(next, { headers })
      const location = response?.headers.get('location')
      if (!location || (isPage && response?.status !== 401)) return next
      next = new URL(location, next).href
      if (new URL(next).origin === this.service.idp.issuer) return next
    }
  }

  #browserAt(origin: string): Browser {
    return origin === ORIGIN ? this.rooms : this.at(origin)
  }

  /** Opens the admin pages of the service as a person who signs in where that is asked. */
  async enter(person: Person = ALICE, address = ADMIN): Promise<string> {
    const end = await this.follow(address)
    if (new URL(end).origin !== this.service.idp.issuer) return end
    return this.follow(this.service.idp.authorize(end, person))
  }
}

/** The claims that the service reads, after the checks that it makes. */
export async function verify(
  { rooms, service }: Visitor,
  response: Response,
  audience = GO,
): Promise<JWTPayload & { header: Record<string, unknown> }> {
  expect(response.status).toBe(200)
  const keys = await rooms.json<{ keys: [] }>('/api/access/jwks')
  const assertion = response.headers.get('x-latchkey-assertion') ?? ''
  const { payload, protectedHeader } = await jwtVerify(assertion, createLocalJWKSet(keys), {
    issuer: ORIGIN,
    audience,
    algorithms: ['ES256'],
    typ: 'JWT',
    currentDate: new Date(service.clock.ms),
  })
  return { ...payload, header: { ...protectedHeader } }
}
