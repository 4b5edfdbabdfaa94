import { auditAct, auditRead } from '../audit/act.ts'
import { operation } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import { endSessionsOfGuests } from '../guests/store.ts'
import { PageQuery, findPage } from '../api/paging.ts'
import { RevokeAnswer, SessionList, SessionParams, toListedSession } from '../sessions/schema.ts'
import { listLiveSessions, revokeSessionsOf } from '../sessions/store.ts'
import { SUCCESS, Success } from '../api/wire.ts'
import { requireAdmin } from './own-session.ts'
import { UserParams } from './schema.ts'
import { findUser } from '../users/store.ts'
import { revokeAnySession } from './store.ts'

const tag = 'Administration'

const listUserSessions = operation({
  id: 'listUserSessions',
  methods: ['GET'],
  path: '/admin/users/{userId}/sessions',
  scope: 'admin',
  tag,
  summary: 'List the live sessions of a user, newest first',
  params: UserParams,
  query: PageQuery,
  result: SessionList,
  async handler(context, { params: { userId }, query }) {
    const { read } = context.database
    if (!(await findUser(read, userId))) throw failure('not_found')
    const { rows, nextCursor } = await findPage(['sessions', userId], query, (after, limit) =>
      listLiveSessions(read, { userId, nowMs: context.now }, after, limit),
    )
    const target = { type: 'user', id: userId }
    await auditRead(context, { action: 'admin.user.sessions_read', target })
    const current = context.actor.session.id
    return { sessions: rows.map((session) => toListedSession(session, current)), nextCursor }
  },
})

const endAnySession = operation({
  id: 'endAnySession',
  methods: ['DELETE'],
  path: '/admin/sessions/{id}',
  scope: 'admin',
  tag,
  summary: 'Revoke a session of any user',
  params: SessionParams,
  result: Success,
  async handler(context, { params: { id } }) {
    const { session } = context.actor
    await context.database.write(async (tx) => {
      await requireAdmin(tx, context)
      const userId = await revokeAnySession(tx, id, context.now)
      if (userId === undefined) throw failure('not_found')
      const target = { type: 'session', id }
      await auditAct(tx, context, { action: 'session.revoke', target, metadata: { userId } })
    })
    context.publish({ kind: 'sessions', sessionIds: [id] })
    if (id === session.id) context.clearSessionCookies()
    return SUCCESS
  },
})

const endUserSessions = operation({
  id: 'endUserSessions',
  methods: ['POST'],
  path: '/admin/users/{userId}/revoke-sessions',
  scope: 'admin',
  tag,
  summary: 'Revoke all sessions of a user',
  params: UserParams,
  result: RevokeAnswer,
  async handler(context, { params: { userId } }) {
    const sessionIds = await context.database.write(async (tx) => {
      await requireAdmin(tx, context)
      if (!(await findUser(tx, userId))) throw failure('not_found')
      const ended = await revokeSessionsOf(tx, userId, { reason: 'revoked', nowMs: context.now })
      const metadata = { sessions: ended.length }
      const target = { type: 'user', id: userId }
      await auditAct(tx, context, { action: 'admin.user.sessions_revoke', target, metadata })
      return ended
    })
    context.publish({ kind: 'sessions', sessionIds })
    if (userId === context.actor.user.id) context.clearSessionCookies()
    return { revoked: sessionIds.length }
  },
})

const endGuestSessions = operation({
  id: 'endGuestSessions',
  methods: ['POST'],
  path: '/admin/guests/revoke-all',
  scope: 'admin',
  tag,
  summary: 'Revoke the sessions of all guests',
  result: RevokeAnswer,
  async handler(context) {
    const sessionIds = await context.database.write(async (tx) => {
      await requireAdmin(tx, context)
      const ended = await endSessionsOfGuests(tx, context.now)
      const metadata = { sessions: ended.length }
      await auditAct(tx, context, { action: 'admin.guests.revoke_all', metadata })
      return ended
    })
    context.publish({ kind: 'sessions', sessionIds })
    return { revoked: sessionIds.length }
  },
})

export const userSessionOperations = [listUserSessions, endAnySession, endUserSessions, endGuestSessions]
