import { auditAct } from '../audit/act.ts'
import { type Context, operation } from '../api/context.ts'
import type { Tx } from '../db/tables.ts'
import { DetailedFailure, failure } from '../api/failures.ts'
import { requireOtherAdmin } from '../grants/operations.ts'
import type { ClusterEvent } from '../api/cluster-events.ts'
import { endTransfersTo } from '../members/ownership/transfers.ts'
import { SUCCESS, Success } from '../api/wire.ts'
import { collectAccount } from './export.ts'
import { AccountExport, Confirmation } from './schema.ts'
import { deleteUser, lockOwnedRooms } from './store.ts'

const tag = 'Account'

/**
 * Erases an account and records that in the audit log. Returns the events to publish. Throws
 * `not_found`, `owns_rooms` and `last_admin`.
 */
export async function eraseAccount(tx: Tx, context: Context, userId: string): Promise<ClusterEvent[]> {
  await requireOtherAdmin(context.database.dialect, tx, userId)
  const roomIds = await lockOwnedRooms(tx, userId)
  if (roomIds.length > 0) throw new DetailedFailure('owns_rooms', { roomIds })
  await auditAct(tx, context, { action: 'account.delete', target: { type: 'user', id: userId } })
  const events = await endTransfersTo(tx, userId)
  if (!(await deleteUser(tx, userId, context.now))) throw failure('not_found')
  return [{ kind: 'person', userId }, ...events]
}

const exportAccount = operation({
  id: 'exportAccount',
  methods: ['GET'],
  path: '/account/export',
  scope: 'member',
  tag,
  summary: 'Download all data stored about you',
  result: AccountExport,
  headers: {
    'Content-Disposition': { type: 'string', description: 'Makes browsers save the response as a file.' },
  },
  async handler(context) {
    context.rates.take('exports_per_hour', context.actor.user.id)
    return collectAccount(context)
  },
  answer: (body) => ({
    body,
    headers: {
      'Content-Type': 'application/json;charset=utf-8',
      'Content-Disposition': 'attachment; filename="latchkey-account.json"',
    },
  }),
})

const deleteAccount = operation({
  id: 'deleteAccount',
  methods: ['DELETE'],
  path: '/account',
  scope: 'member',
  tag,
  summary: 'Erase your account and all data stored about you',
  body: Confirmation,
  result: Success,
  failures: ['owns_rooms', 'last_admin'],
  async handler(context) {
    const { user } = context.actor
    const events = await context.database.write((tx) => eraseAccount(tx, context, user.id))
    for (const event of events) context.publish(event)
    context.clearSessionCookies()
    return SUCCESS
  },
})

export const accountOperations = [exportAccount, deleteAccount]
