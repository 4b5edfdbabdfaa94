import type { AnyOperation } from '@latchkey/http/operation'
import type { Context } from '../../src/context.ts'
import { DEFAULT_LIMITS, type LimitName } from '../../src/limits.ts'
import { guest, someone } from '../admin/people.ts'
import { type Browser, type TestRooms, openRooms } from '../rooms.ts'

export const ACTORS = ['nobody', 'guest', 'member', 'admin'] as const
export type ActorName = (typeof ACTORS)[number]
export type Operation = AnyOperation<Context>

/** Rates would answer before what is tested here. */
const WITHOUT_RATES = Object.fromEntries(
  Object.keys(DEFAULT_LIMITS)
    .filter((name) => /_per_|^sessions_user$|^rooms_owned$|^guest_rooms$/.test(name))
    .map((name) => [name, 1_000_000]),
) as Record<LimitName, number>

export interface Cast {
  rooms: TestRooms
  /** A browser of this kind of person, signed in again if the last request ended its session. */
  as(name: ActorName): Promise<Browser>
  /** Ids of things that exist. */
  ids(): Promise<string[]>
  close(): Promise<void>
}

/** A service with one person of each kind. The administrator is the first who signs in. */
export async function openCast(url: string): Promise<Cast> {
  const rooms = await openRooms({ url, limits: { ...WITHOUT_RATES, body_bytes: DEFAULT_LIMITS.body_bytes } })
  const browsers = new Map<ActorName, Browser>()
  const enter: Record<ActorName, () => Promise<Browser>> = {
    nobody: async () => rooms.browser({ ip: '192.0.2.100' }),
    guest: async () => (await guest(rooms)).browser,
    member: async () =>
      (await someone(rooms, { sub: 'member', name: 'Mia', email: 'mia@example.com' })).browser,
    admin: async () =>
      (await someone(rooms, { sub: 'admin', name: 'Ada', email: 'ada@example.com' })).browser,
  }
  const { read } = rooms.rooms.database
  const isLive = async (browser: Browser) =>
    browser.token !== undefined && (await browser.send('/api/session')).status === 200
  const cast: Cast = {
    rooms,
    async as(name) {
      const known = browsers.get(name)
      if (known && (name === 'nobody' ? known.token === undefined : await isLive(known))) return known
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
  await cast.as('admin')
  for (const name of ACTORS) await cast.as(name)
  return cast
}

/** Whether somebody of this kind passes the door of this operation. */
export function mayCall(name: ActorName, { scope }: Operation): boolean {
  const least = { public: 0, session: 1, member: 2, admin: 3 }[scope] ?? 3
  return ACTORS.indexOf(name) >= least
}

export function addressOf({ path }: Operation, params: Readonly<Record<string, string>>): string {
  return `/api${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))}`
}
