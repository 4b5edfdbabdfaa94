import { afterAll, beforeAll, expect, test } from 'bun:test'
import { freePort } from '@latchkey/http/free-port'
import { until } from '../until.ts'
import type { Addresses } from './documented.ts'
import { type Page, Person } from './person.ts'
import type { LogoutProvider, RealProvider } from './provider.ts'
import { type Service, startService } from './service.ts'

interface Parts<Provider extends RealProvider> {
  /** For Rooms at this origin. */
  provider: (roomsOrigin: string) => Promise<Provider>
  /** As documented. */
  settings: (addresses: Addresses) => Record<string, string>
  /** Undefined: SQLite in the working directory of the service. */
  databaseUrl?: () => Promise<string>
}

/**
 * Rooms and a provider that is configured for it, on real ports. Both run for all tests of a file.
 */
export interface Pair<Provider extends RealProvider> {
  origin: string
  provider: Provider
  service: Service
  /** Secrets of the two sides and the browser. */
  secrets: string[]
}

/** Starts both sides for the tests of the calling block. */
export function pair<Provider extends RealProvider>(parts: Parts<Provider>): Pair<Provider> {
  const up = { secrets: [] as string[] } as Pair<Provider>
  beforeAll(async () => {
    const port = await freePort()
    up.origin = `http://localhost:${port}`
    up.provider = await parts.provider(up.origin)
    const settings = parts.settings(addressesOf(up))
    up.secrets.push(settings['AUTH_CLIENT_SECRET'] ?? 'no secret is set')
    up.service = await startService({
      ...settings,
      ROOMS_PORT: String(port),
      ROOMS_DATABASE_URL: (await parts.databaseUrl?.()) ?? '',
    })
  }, 60_000)
  afterAll(async () => {
    await up.service?.stop()
    await up.provider?.stop()
  }, 20_000)
  return up
}

export function addressesOf({
  origin,
  provider,
}: Pick<Pair<RealProvider>, 'origin' | 'provider'>): Addresses {
  return { 'https://rooms.example.com': origin, 'https://login.example.com': provider.origin }
}

/** Follows the login button to the page of the provider. */
export async function ask(
  up: Pair<RealProvider>,
  person: Person,
  returnTo = '/rooms/harbour',
): Promise<Page> {
  const page = await person.visit(`${up.origin}/api/auth/login?returnTo=${encodeURIComponent(returnTo)}`)
  note(up, person, page)
  return page
}

export async function signIn(up: Pair<RealProvider>, person = new Person()): Promise<Person> {
  const page = await up.provider.signIn(person, await ask(up, person))
  note(up, person, page)
  expect(page.url.href).toBe(`${up.origin}/rooms/harbour`)
  return person
}

function note(up: Pair<RealProvider>, person: Person, { trail }: Page): void {
  for (const { searchParams } of trail)
    for (const name of ['code', 'state', 'nonce', 'id_token_hint'])
      up.secrets.push(...searchParams.getAll(name))
  up.secrets.push(...person.cookies('localhost').values())
}

interface SignedIn {
  user: { id: string; nickname: string; email: string | null; identityType: string; platformAdmin: boolean }
}

export async function readUser(
  up: Pair<RealProvider>,
  person: Person,
): Promise<SignedIn['user'] | undefined> {
  const response = await person.call(up.origin, '/api/session')
  if (response.status === 401) return undefined
  expect(response.status).toBe(200)
  return ((await response.json()) as SignedIn).user
}

export async function signOut(
  up: Pair<RealProvider>,
  person: Person,
): Promise<{ success: boolean; logoutUrl?: string }> {
  const response = await person.call(up.origin, '/api/auth/logout', {
    method: 'POST',
    body: {},
    headers: { 'x-csrf-token': person.cookies('localhost').get('latchkey_csrf') ?? '' },
  })
  expect(response.status).toBe(200)
  return (await response.json()) as { success: boolean; logoutUrl?: string }
}

/** Tests for every provider. */
export function proveLogins(up: Pair<RealProvider>): void {
  test('a login ends at the page where it was started, with the session of a member', async () => {
    const person = await signIn(up)
    expect(await readUser(up, person)).toMatchObject({
      nickname: 'Alice Andersson',
      email: 'alice@example.com',
      identityType: 'oauth',
      platformAdmin: true,
    })
    expect([...person.cookies('localhost').keys()].filter((name) => name.startsWith('latchkey'))).toEqual([
      'latchkey_login',
      'latchkey_session',
      'latchkey_csrf',
    ])
  })

  test('a second login is the same account, with its current name and email address', async () => {
    const before = await readUser(up, await signIn(up))
    await up.provider.rename('Alice Berg', 'berg@example.com')
    const after = await readUser(up, await signIn(up))
    await up.provider.rename('Alice Andersson', 'alice@example.com')
    expect(after).toEqual({
      ...before,
      nickname: 'Alice Berg',
      email: 'berg@example.com',
    } as SignedIn['user'])
  })
}

/** Tests for providers with a consent page. */
export function proveRefusal(up: Pair<RealProvider>): void {
  test('refused consent leads to the sign-in page with `cancelled` and signs no one in', async () => {
    const person = new Person()
    const page = await up.provider.refuse(person, await ask(up, person))
    expect(page.url.href).toBe(`${up.origin}/login?error=cancelled&returnTo=%2Frooms%2Fharbour`)
    expect(person.cookies('localhost').has('latchkey_session')).toBe(false)
    expect(await readUser(up, person)).toBeUndefined()
  })
}

/** Tests of logout in both directions. */
export function proveLogouts(up: Pair<LogoutProvider>): void {
  test('logout ends the session here, then at the provider, and returns', async () => {
    const [person, elsewhere] = [await signIn(up), await signIn(up)]
    const { logoutUrl = '' } = await signOut(up, person)
    expect(await readUser(up, person)).toBeUndefined()
    expect(new URL(logoutUrl).origin).toBe(up.provider.origin)
    up.secrets.push(...new URL(logoutUrl).searchParams.getAll('id_token_hint'))
    const back = await up.provider.agreeToSignOut(person, await person.visit(logoutUrl))
    expect([back.url.origin, back.url.pathname]).toEqual([up.origin, '/'])
    expect(back.url.searchParams.get('error')).toBeNull()
    // The provider no longer knows this browser, so it asks again.
    expect((await ask(up, person)).url.origin).toBe(up.provider.origin)
    expect(await readUser(up, elsewhere)).toBeDefined()
  })

  test('a session that ends at the provider ends here, and no other does', async () => {
    const [person, elsewhere] = [await signIn(up), await signIn(up)]
    await up.provider.signOutThere(person)
    // Some providers respond to the user before they notify Rooms.
    await until(async () => (await readUser(up, person)) === undefined)
    expect(await readUser(up, elsewhere)).toBeDefined()
  })
}

/** Call this last. */
export function proveSilence(up: Pair<RealProvider>): void {
  test('the log contains no code, state, token, cookie or secret of these tests', () => {
    expect(up.secrets.length).toBeGreaterThan(10)
    expect(up.secrets.filter((secret) => secret !== '' && up.service.log.includes(secret))).toEqual([])
    expect(up.service.log).not.toContain('"level":"error"')
  })
}
