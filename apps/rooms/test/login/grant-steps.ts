import { grantPlatformAdmin, revokePlatformAdmin } from '../../src/grants/operations.ts'
import { findUserByReference } from '../../src/users/store.ts'
import { type Person, claimPath } from '../provider/hostile.ts'
import { type Browser, type TestRooms } from '../rooms.ts'
import { dump } from './steps.ts'

export const BOB: Person = { sub: 'bob', name: 'Bob Berg' }

/** The grants of all accounts: sources by subject, and teams as `team:<id>`. */
export async function grantsOf(t: TestRooms): Promise<Record<string, string[]>> {
  const { identities, role_grants } = await dump(t.rooms)
  const held = identities.map(({ user_id, subject }) => {
    const own = role_grants.filter((grant) => grant['user_id'] === user_id)
    const names = own.map(({ scope_type, scope_id, source }) =>
      scope_type === 'team' ? `team:${String(scope_id)}` : String(source),
    )
    return [String(subject), names.toSorted((a, b) => a.localeCompare(b))] as const
  })
  return Object.fromEntries(held)
}

export async function userIdOf(t: TestRooms, subject: string): Promise<string> {
  const user = await findUserByReference(t.rooms.database.read, `${t.idp.issuer}|${subject}`)
  if (!user) throw new Error(`${subject} has no account`)
  return user.id
}

export const originOf = (t: TestRooms) => ({ clientIp: null, requestId: null, nowMs: t.clock.ms })

export async function grantAdmin(t: TestRooms, subject: string): Promise<boolean> {
  const userId = await userIdOf(t, subject)
  return t.rooms.database.write((tx) =>
    grantPlatformAdmin(tx, { userId, source: 'manual', grantedBy: null, origin: originOf(t) }),
  )
}

export async function revokeAdmin(t: TestRooms, subject: string) {
  const userId = await userIdOf(t, subject)
  const { database } = t.rooms
  return database.write((tx) =>
    revokePlatformAdmin(tx, { dialect: database.dialect, userId, revokedBy: null, origin: originOf(t) }),
  )
}

export async function errorCodeOf(act: Promise<unknown>): Promise<unknown> {
  return act.then(
    () => undefined,
    (error: unknown) => (error as { code?: unknown }).code,
  )
}

export async function isAdmin(browser: Browser): Promise<boolean> {
  const { user } = await browser.json<{ user: { platformAdmin: boolean } }>('/api/session')
  return user.platformAdmin
}

export const adminsByClaim = (value: string) => (idp: TestRooms['idp']) =>
  idp.config({ adminClaim: { path: claimPath('groups'), value } })

export const team = (id: unknown, role: unknown) => ({ id, role })
