import { z } from 'zod'
import { auditAct } from '../audit/act.ts'
import { operation } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import { PageQuery, findPage } from '../api/paging.ts'
import { findBlockedIds } from '../users/blocks.ts'
import { toUser } from '../users/schema.ts'
import { SUCCESS, Success } from '../api/wire.ts'
import { logOut } from './logout.ts'
import {
  RevokeAnswer,
  SessionList,
  SessionParams,
  SessionAnswer,
  toListedSession,
  toOwnSession,
} from './schema.ts'
import { listLiveSessions, revokeOwnSession, revokeSessionsOf } from './store.ts'

const getSession = operation({
  id: 'getSession',
  methods: ['GET'],
  path: '/session',
  scope: 'session',
  tag: 'Session',
  summary: 'Read the current session and its user',
  result: SessionAnswer,
  async handler(context) {
    const { user, platformAdmin, session } = context.actor
    const blocked = await findBlockedIds(context.database, user.is_guest === 1 ? [] : [user.id])
    return {
      user: toUser(user, platformAdmin),
      session: toOwnSession(session),
      blockedIds: [...(blocked.get(user.id) ?? [])],
    }
  },
})

const listSessions = operation({
  id: 'listSessions',
  methods: ['GET'],
  path: '/sessions',
  scope: 'session',
  tag: 'Session',
  summary: 'List your live sessions, newest first',
  query: PageQuery,
  result: SessionList,
  async handler(context, { query }) {
    const { user, session: own } = context.actor
    const owner = { userId: user.id, nowMs: context.now }
    const { rows, nextCursor } = await findPage(['sessions', user.id], query, (after, limit) =>
      listLiveSessions(context.database.read, owner, after, limit),
    )
    return { sessions: rows.map((session) => toListedSession(session, own.id)), nextCursor }
  },
})

const endSession = operation({
  id: 'endSession',
  methods: ['DELETE'],
  path: '/sessions/{id}',
  scope: 'session',
  tag: 'Session',
  summary: 'Revoke one of your sessions',
  params: SessionParams,
  result: Success,
  failures: ['not_found'],
  async handler(context, { params }) {
    const { user, session } = context.actor
    const target = { userId: user.id, id: params.id, nowMs: context.now }
    await context.database.write(async (tx) => {
      if (!(await revokeOwnSession(tx, target))) throw failure('not_found')
      await auditAct(tx, context, revocationOf(params.id))
    })
    context.publish({ kind: 'sessions', sessionIds: [params.id] })
    if (params.id === session.id) context.clearSessionCookies()
    return SUCCESS
  },
})

const endOtherSessions = operation({
  id: 'endOtherSessions',
  methods: ['POST'],
  path: '/sessions/revoke-others',
  scope: 'session',
  tag: 'Session',
  summary: 'Revoke all your sessions except this one',
  result: RevokeAnswer,
  async handler(context) {
    const { user, session } = context.actor
    const ended = await context.database.write(async (tx) => {
      const end = { reason: 'signed_out' as const, nowMs: context.now, except: session.id }
      const ids = await revokeSessionsOf(tx, user.id, end)
      for (const id of ids) await auditAct(tx, context, revocationOf(id))
      return ids
    })
    context.publish({ kind: 'sessions', sessionIds: ended })
    return { revoked: ended.length }
  },
})

const logout = operation({
  id: 'logout',
  methods: ['POST'],
  path: '/auth/logout',
  scope: 'session',
  tag: 'Session',
  summary: 'Sign out here or everywhere',
  body: z.object({
    everywhere: z.literal(true).optional().meta({ description: 'Ends all sessions of the account.' }),
  }),
  result: Success.extend({
    logoutUrl: z
      .string()
      .optional()
      .meta({ description: 'The URL at which the browser signs out at the identity provider as well.' }),
  }),
  async handler(context, { body }) {
    const logoutUrl = await logOut(context, { everywhere: body.everywhere === true })
    return { ...SUCCESS, ...(logoutUrl !== null && { logoutUrl }) }
  },
})

function revocationOf(id: string) {
  return { action: 'session.revoke', target: { type: 'session', id } } as const
}

export const sessionOperations = [getSession, listSessions, endSession, endOtherSessions, logout]
