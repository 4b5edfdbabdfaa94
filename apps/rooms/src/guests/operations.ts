import { DAY_MS } from '@latchkey/http/duration'
import { z } from 'zod'
import { deleteUser, lockOwnedRooms } from '../account/store.ts'
import { originOf } from '../audit/origin.ts'
import { recordAudit } from '../audit/store.ts'
import { type PublicContext, operation, publicOperation } from '../api/context.ts'
import type { Tx } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import type { ClusterEvent } from '../api/cluster-events.ts'
import { reassignRooms } from './succession.ts'
import { productNameOf } from '../platform/operations.ts'
import { SessionAnswer, toOwnSession } from '../sessions/schema.ts'
import { lifetimesOf } from '../sessions/session.ts'
import { insertSession } from '../sessions/store.ts'
import { User, toUser } from '../users/schema.ts'
import { insertUser } from '../users/store.ts'
import { newGuestId } from './guest-id.ts'
import { parseNickname } from './nickname.ts'
import { NicknameBody } from './schema.ts'
import { findEndedGuest, renameUser } from './store.ts'

/** Retention of a guest's data after the last session (R14.7). */
const RETENTION_MS = 7 * DAY_MS

const tag = 'Guests'

async function nicknameFrom({ database }: PublicContext, input: string): Promise<string> {
  const nickname = parseNickname(input, await productNameOf(database.read))
  if ('name' in nickname) return nickname.name
  if (nickname.refused === 'reserved') throw failure('nickname_reserved')
  throw failure('invalid_request', {
    text: 'nickname: must have 1 to 64 visible characters',
    fields: [{ path: 'nickname', code: 'custom' }],
  })
}

/**
 * Checks the limits before the body is processed. A refused nickname does not count against them.
 */
function checkCreation({ rates, clientPrefix }: PublicContext): void {
  rates.check('guest_create_per_minute', clientPrefix)
  rates.check('guest_create_per_hour', clientPrefix)
  rates.check('guest_create_total_per_minute', clientPrefix)
}

/**
 * Counts against all limits or against none: a request that the total limit refuses does not count
 * against the client prefix, and vice versa.
 */
function countCreation(context: PublicContext): void {
  checkCreation(context)
  const { rates, clientPrefix } = context
  rates.take('guest_create_total_per_minute', clientPrefix)
  rates.take('guest_create_per_minute', clientPrefix)
  rates.take('guest_create_per_hour', clientPrefix)
}

const createGuestSession = publicOperation({
  id: 'createGuestSession',
  methods: ['POST'],
  path: '/session',
  scope: 'public',
  tag,
  summary: 'Create a guest session with a nickname',
  body: NicknameBody,
  result: SessionAnswer,
  status: 201,
  failures: ['guests_disabled', 'session_exists', 'nickname_reserved'],
  async handler(context, { body }) {
    const { database, policy, now } = context
    if (context.actor) throw failure('session_exists')
    checkCreation(context)
    const nickname = await nicknameFrom(context, body.nickname)
    countCreation(context)
    const { user, session } = await database.write(async (tx) => {
      const guest = await insertUser(tx, { id: newGuestId(now), nickname, email: null, is_guest: 1 }, now)
      const details = {
        userId: guest.id,
        nowMs: now,
        lifetimes: lifetimesOf(true, policy.sessions),
        clientIp: context.clientIp,
        userAgent: context.userAgent,
        loginAtMs: now,
      }
      const started = await insertSession(tx, details, policy.limits.sessions_user)
      const target = { type: 'user', id: guest.id }
      await recordAudit(tx, { action: 'guest.create', actorUserId: guest.id, target }, originOf(context))
      return { user: guest, session: started }
    })
    context.setSessionCookies(session)
    return { user: toUser(user, false), session: toOwnSession(session), blockedIds: [] }
  },
})

const renameGuest = operation({
  id: 'renameGuest',
  methods: ['PATCH'],
  path: '/session',
  scope: 'session',
  tag,
  summary: 'Change the nickname of a guest; names of accounts come from the provider',
  body: NicknameBody,
  result: z.object({ user: User }),
  failures: ['forbidden', 'nickname_reserved'],
  async handler(context, { body }) {
    const { user } = context.actor
    if (user.is_guest !== 1) throw failure('forbidden')
    context.rates.check('guest_rename_per_minute', user.id)
    const nickname = await nicknameFrom(context, body.nickname)
    context.rates.take('guest_rename_per_minute', user.id)
    await context.database.write((tx) => renameUser(tx, user.id, nickname))
    context.publish({ kind: 'person', userId: user.id })
    return { user: toUser({ ...user, nickname }, false) }
  },
})

/**
 * Deletes the data of one guest after the retention (R14.7), as a job. The guest's rooms get
 * another owner or are deleted before (R17.10).
 */
export async function purgeGuests(
  tx: Tx,
  nowMs: number,
): Promise<{ events: ClusterEvent[]; isMore: boolean }> {
  const id = await findEndedGuest(tx, nowMs - RETENTION_MS, nowMs)
  if (id === undefined) return { events: [], isMore: false }
  const events = await reassignRooms(tx, await lockOwnedRooms(tx, id), nowMs)
  await deleteUser(tx, id, nowMs)
  return { events, isMore: true }
}

export const guestOperations = [createGuestSession, renameGuest]
