import { eraseAccount } from '../account/operations.ts'
import { auditAct } from '../audit/act.ts'
import { originOf } from '../audit/origin.ts'
import { type Context, operation } from '../api/context.ts'
import type { Tx, UserRow } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import {
  grantPlatformAdmin,
  requireOtherAdmin,
  lockGrantChanges,
  revokePlatformAdmin,
} from '../grants/operations.ts'
import { findAdminSources } from '../grants/store.ts'
import type { ClusterEvent } from '../api/cluster-events.ts'
import { findPage } from '../api/paging.ts'
import { revokeLostAccessOfUser } from '../rooms/eviction.ts'
import { insertSession, revokeSessionsOf } from '../sessions/store.ts'
import { SUCCESS, Success } from '../api/wire.ts'
import { copyOwnSession, recheckAdmin } from './own-session.ts'
import {
  type ManagedUser,
  PlatformAdminAnswer,
  PlatformAdminBody,
  StatusBody,
  UserAnswer,
  UserPage,
  UserParams,
  UserQuery,
  toManagedUser,
} from './schema.ts'
import { findUser } from '../users/store.ts'
import { findGrantsOf, selectUsers, setDisabled } from './store.ts'

const tag = 'Administration'

async function describe(context: Context, users: readonly UserRow[]): Promise<ManagedUser[]> {
  const { dialect, read } = context.database
  const ids = users.map(({ id }) => id)
  const grants = await findGrantsOf({ dialect, db: read }, ids)
  return users.map((user) => toManagedUser(user, grants))
}

const listUsers = operation({
  id: 'listUsers',
  methods: ['GET'],
  path: '/admin/users',
  scope: 'admin',
  tag,
  summary: 'List or search users, newest first',
  query: UserQuery,
  result: UserPage,
  async handler(context, { query: { q = '', ...page } }) {
    // Reading the next page of a search does not count as a search.
    if (q !== '' && page.cursor === undefined) context.rates.take('search_per_minute', context.actor.user.id)
    const { rows, nextCursor } = await findPage(['users', q], page, (after, limit) =>
      selectUsers(context.database.read, q, after, limit),
    )
    return { users: await describe(context, rows), nextCursor }
  },
})

const changeUserStatus = operation({
  id: 'changeUserStatus',
  methods: ['PATCH'],
  path: '/admin/users/{userId}/status',
  scope: 'admin',
  tag,
  summary: 'Disable a user, which ends their sessions at once, or enable them again',
  params: UserParams,
  body: StatusBody,
  result: UserAnswer,
  failures: ['own_account', 'last_admin'],
  async handler(context, { params: { userId }, body: { disabled } }) {
    const { database, now } = context
    if (disabled && userId === context.actor.user.id) throw failure('own_account')
    const { user, events } = await database.write(async (tx) => {
      await lockGrantChanges(database.dialect, tx)
      await recheckAdmin(tx, context)
      if (disabled) await requireOtherAdmin(database.dialect, tx, userId)
      const changed = await setDisabled(tx, userId, disabled)
      const row = await findUser(tx, userId)
      if (!row) throw failure('not_found')
      // Read in the transaction: a failure after the commit would hide that the change was made.
      const described = toManagedUser(
        row,
        await findGrantsOf({ dialect: database.dialect, db: tx }, [userId]),
      )
      if (!changed) return { user: described, events: [] }
      const action = disabled ? 'admin.user.disable' : 'admin.user.enable'
      await auditAct(tx, context, { action, target: { type: 'user', id: userId } })
      return { user: described, events: disabled ? await revokeSessionsAndAccess(tx, userId, now) : [] }
    })
    for (const event of events) context.publish(event)
    return { user }
  },
})

/** Ends the sessions and visits of a disabled user. Returns the events to publish. */
async function revokeSessionsAndAccess(tx: Tx, userId: string, nowMs: number): Promise<ClusterEvent[]> {
  const sessionIds = await revokeSessionsOf(tx, userId, { reason: 'disabled', nowMs })
  const lost = await revokeLostAccessOfUser(tx, userId, nowMs)
  return [{ kind: 'sessions', sessionIds }, { kind: 'person', userId }, ...lost]
}

const deleteUser = operation({
  id: 'deleteUser',
  methods: ['DELETE'],
  path: '/admin/users/{userId}',
  scope: 'admin',
  tag,
  summary: 'Erase a user and all data stored about them',
  params: UserParams,
  result: Success,
  failures: ['owns_rooms', 'last_admin'],
  async handler(context, { params: { userId } }) {
    const { database } = context
    const events = await database.write(async (tx) => {
      await lockGrantChanges(database.dialect, tx)
      await recheckAdmin(tx, context)
      return eraseAccount(tx, context, userId)
    })
    for (const event of events) context.publish(event)
    if (userId === context.actor.user.id) context.clearSessionCookies()
    return SUCCESS
  },
})

const changePlatformAdmin = operation({
  id: 'changePlatformAdmin',
  methods: ['PUT'],
  path: '/admin/users/{userId}/platform-admin',
  scope: 'admin',
  tag,
  summary: 'Grant or revoke the administrator role; a change ends all sessions of the user',
  params: UserParams,
  body: PlatformAdminBody,
  result: PlatformAdminAnswer,
  failures: ['account_disabled', 'guest_not_permitted', 'last_admin'],
  async handler(context, { params: { userId }, body: { granted } }) {
    const { database } = context
    const isOwn = userId === context.actor.user.id
    const { changed, remaining, session, events } = await database.write(async (tx) => {
      await lockGrantChanges(database.dialect, tx)
      await recheckAdmin(tx, context)
      const user = await findUser(tx, userId)
      if (!user) throw failure('not_found')
      const copy = isOwn ? await copyOwnSession(tx, context) : undefined
      const outcome = granted ? await grantAdmin(tx, context, user) : await revokeAdmin(tx, context, user)
      const { sessions_user: maxSessions } = context.policy.limits
      const inPlace = copy && outcome.changed ? await insertSession(tx, copy, maxSessions) : undefined
      // A former administrator loses access to rooms that only this right gave.
      const lost = outcome.changed ? await revokeLostAccessOfUser(tx, userId, context.now) : []
      return { ...outcome, session: inPlace, events: lost }
    })
    if (changed) context.publish({ kind: 'person', userId })
    for (const event of events) context.publish(event)
    if (session) context.setSessionCookies(session)
    return { ...SUCCESS, changed, remaining }
  },
})

type GrantOutcome = Awaited<ReturnType<typeof revokePlatformAdmin>>

async function grantAdmin(tx: Tx, context: Context, user: UserRow): Promise<GrantOutcome> {
  if (user.is_guest === 1) throw failure('guest_not_permitted', { text: 'Guests cannot be administrators' })
  if (user.disabled === 1) throw failure('account_disabled')
  const grantedBy = context.actor.user.id
  const origin = originOf(context)
  const grant = { userId: user.id, source: 'manual', grantedBy, origin } as const
  const changed = await grantPlatformAdmin(tx, grant)
  const target = { type: 'user', id: user.id }
  if (changed) await auditAct(tx, context, { action: 'admin.user.admin_grant', target })
  return { changed, remaining: await findAdminSources(tx, user.id) }
}

async function revokeAdmin(tx: Tx, context: Context, user: UserRow): Promise<GrantOutcome> {
  const outcome = await revokePlatformAdmin(tx, {
    dialect: context.database.dialect,
    userId: user.id,
    revokedBy: context.actor.user.id,
    origin: originOf(context),
  })
  const target = { type: 'user', id: user.id }
  if (outcome.changed) await auditAct(tx, context, { action: 'admin.user.admin_revoke', target })
  return outcome
}

export const userOperations = [listUsers, changeUserStatus, deleteUser, changePlatformAdmin]
