import type { AnyOperation } from '@latchkey/http/operation'
import type { Context } from '../../src/api/context.ts'
import { DEFAULT_LIMITS, type LimitName } from '../../src/api/limits.ts'
import { signedInGuest, signedInUser } from '../actions.ts'
import { type Browser, type TestRooms, openRooms } from '../rooms.ts'

export const ACTORS = ['visitor', 'guest', 'member', 'admin'] as const
export type ActorName = (typeof ACTORS)[number]
export type Operation = AnyOperation<Context>

/** Rate limits would refuse requests before the checks under test. */
const WITHOUT_RATES = Object.fromEntries(
  Object.keys(DEFAULT_LIMITS)
    .filter((name) => /_per_|^sessions_user$|^rooms_owned$|^guest_rooms$/.test(name))
    .map((name) => [name, 1_000_000]),
) as Record<LimitName, number>

export interface TestActors {
  rooms: TestRooms
  /** A browser of this kind of user, signed in again if the last request ended its session. */
  browserFor(name: ActorName): Promise<Browser>
  /** Ids of existing rows. */
  ids(): Promise<string[]>
  close(): Promise<void>
}

/** A service with one user of each kind. The administrator signs in first. */
export async function openActors(): Promise<TestActors> {
  const rooms = await openRooms({ limits: { ...WITHOUT_RATES, body_bytes: DEFAULT_LIMITS.body_bytes } })
  const browsers = new Map<ActorName, Browser>()
  const enter: Record<ActorName, () => Promise<Browser>> = {
    visitor: async () => rooms.browser({ ip: '192.0.2.100' }),
    guest: async () => (await signedInGuest(rooms)).browser,
    member: async () =>
      (await signedInUser(rooms, { sub: 'member', name: 'Mia', email: 'mia@example.com' })).browser,
    admin: async () =>
      (await signedInUser(rooms, { sub: 'admin', name: 'Ada', email: 'ada@example.com' })).browser,
  }
  const { read } = rooms.rooms.database
  const isLive = async (browser: Browser) =>
    browser.token !== undefined && (await browser.send('/api/session')).status === 200
  const cast: TestActors = {
    rooms,
    async browserFor(name) {
      const existing = browsers.get(name)
      if (existing && (name === 'visitor' ? existing.token === undefined : await isLive(existing)))
        return existing
      const browser = await enter[name]()
      browsers.set(name, browser)
      return browser
    },
    async ids() {
      const users = await read.selectFrom('users').select('id').limit(3).execute()
      const sessions = await read.selectFrom('sessions').select('id').limit(3).execute()
      return [...users, ...sessions].map(({ id }) => id)
    },
    close: () => rooms.close(),
  }
  await cast.browserFor('admin')
  for (const name of ACTORS) await cast.browserFor(name)
  return cast
}

/** Whether this kind of user may call the operation. */
export function mayCall(name: ActorName, { scope }: Operation): boolean {
  const minIndex = { public: 0, session: 1, member: 2, admin: 3 }[scope] ?? 3
  return ACTORS.indexOf(name) >= minIndex
}

export function addressOf({ path }: Operation, params: Readonly<Record<string, string>>): string {
  return `/api${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))}`
}
