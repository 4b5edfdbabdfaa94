import type { Transaction } from 'kysely'
import { originOf } from '../audit/origin.ts'
import { toAuditLine } from '../audit/schema.ts'
import { recordAudit } from '../audit/store.ts'
import { type Context, actorOf, operation } from '../context.ts'
import type { SessionRow, Tables } from '../db/tables.ts'
import { OwnsRooms, failure } from '../failures.ts'
import { requireOtherAdmin } from '../grants/operations.ts'
import { toListedSession } from '../sessions/schema.ts'
import { toUser } from '../users/schema.ts'
import { SUCCESS, Success, toMoment } from '../wire.ts'
import { exportRooms } from './rooms.ts'
import { AccountExport, Confirmation } from './schema.ts'
import { deleteUser, findAccountRows, findOwnedRoomIds } from './store.ts'

const tag = 'Account'

/** Erases an account, with an audit line by the actor. Throws `not_found`, `owns_rooms` and `last_admin`. */
export async function eraseAccount(tx: Transaction<Tables>, context: Context, userId: string): Promise<void> {
  await requireOtherAdmin(context.database.dialect, tx, userId)
  const roomIds = await findOwnedRoomIds(tx, userId)
  if (roomIds.length > 0) throw new OwnsRooms(roomIds)
  const target = { type: 'user', id: userId }
  const actorUserId = actorOf(context).user.id
  await recordAudit(tx, { action: 'account.delete', actorUserId, target }, originOf(context))
  if (!(await deleteUser(tx, userId))) throw failure('not_found')
}

const read = operation({
  id: 'exportAccount',
  methods: ['GET'],
  path: '/account/export',
  scope: 'member',
  tag,
  summary: 'Everything that is stored about you',
  result: AccountExport,
  headers: {
    'Content-Disposition': { type: 'string', description: 'Lets browsers save it as a file.' },
  },
  async handler(context): Promise<AccountExport> {
    const { user, platformAdmin, session } = actorOf(context)
    const rows = await findAccountRows(context.database.read, user.id)
    const { issuer, subject, mode, created_at } = rows.identity
    return {
      exportedAt: toMoment(context.now),
      user: {
        ...toUser(user, platformAdmin),
        createdAt: toMoment(user.created_at),
        lastSeenAt: toMoment(user.last_seen_at),
      },
      identity: { issuer, subject, mode, createdAt: toMoment(created_at) },
      grants: rows.grants.map((grant) => ({
        role: grant.role,
        scopeType: grant.scope_type,
        scopeId: grant.scope_id,
        source: grant.source,
        createdAt: toMoment(grant.created_at),
      })),
      sessions: rows.sessions.map((row) => toExported(row, session.id)),
      rooms: await exportRooms(context.database.read, user.id),
      activity: rows.activity.map(toAuditLine),
    }
  },
  answer: (body) => ({
    body,
    headers: { 'Content-Disposition': 'attachment; filename="latchkey-account.json"' },
  }),
})

function toExported(row: SessionRow, currentId: string) {
  return {
    ...toListedSession(row, currentId),
    address: row.client_ip,
    endedAt: row.revoked_at === null ? null : toMoment(row.revoked_at),
    endReason: row.revoke_reason,
  }
}

const erase = operation({
  id: 'deleteAccount',
  methods: ['DELETE'],
  path: '/account',
  scope: 'member',
  tag,
  summary: 'Erase your account and everything that is stored about you',
  body: Confirmation,
  result: Success,
  failures: ['owns_rooms', 'last_admin'],
  async handler(context) {
    const { user } = actorOf(context)
    await context.database.write((tx) => eraseAccount(tx, context, user.id))
    context.tell({ kind: 'person', userId: user.id })
    context.forget()
    return SUCCESS
  },
})

export const accountOperations = [read, erase]
