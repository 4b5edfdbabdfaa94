import { z } from 'zod'
import { auditAct } from '../../audit/act.ts'
import { type Context, operation } from '../../api/context.ts'
import { failure } from '../../api/failures.ts'
import { NextCursor, PageQuery, findPage } from '../../api/paging.ts'
import { Id, Moment, SUCCESS, Success, toMoment } from '../../api/wire.ts'
import type { Tx } from '../../db/tables.ts'
import { ListedUser, toListedUser } from '../../users/schema.ts'
import { findUser, lockAccount } from '../../users/store.ts'
import { countBlocks, deleteBlock, insertBlock, selectBlocks } from './store.ts'

const tag = 'People'
const path = '/blocks/{userId}'

const BlockParams = z.object({ userId: Id })

const BlockPage = z.object({
  blocks: z.array(
    z.object({ user: ListedUser.extend({ guest: z.boolean() }), createdAt: Moment }).meta({ id: 'Block' }),
  ),
  nextCursor: NextCursor,
})

const listBlocks = operation({
  id: 'listBlocks',
  methods: ['GET'],
  path: '/blocks',
  scope: 'member',
  tag,
  summary: 'List the people whom you block, the last first',
  query: PageQuery,
  result: BlockPage,
  async handler({ database, actor }, { query }) {
    const { id: userId } = actor.user
    const { rows, nextCursor } = await findPage(['blocks', userId], query, (after, limit) =>
      selectBlocks(database.read, userId, after, limit),
    )
    const blocks = rows.map((row) => ({
      user: { ...toListedUser(row), guest: row.is_guest === 1 },
      createdAt: toMoment(row.created_at),
    }))
    return { blocks, nextCursor }
  },
})

const blockUser = operation({
  id: 'blockUser',
  methods: ['PUT'],
  path,
  scope: 'member',
  tag,
  summary: 'Block a person: nothing of theirs alerts you, and their messages are folded',
  params: BlockParams,
  result: Success,
  failures: ['not_found', 'own_account', 'limit_reached'],
  async handler(context, { params: { userId } }) {
    const isNew = await context.database.write((tx) => block(tx, context, userId))
    if (isNew) publishBlock(context, userId, true)
    return SUCCESS
  },
})

async function block(tx: Tx, context: Context, blockedId: string): Promise<boolean> {
  const { actor, now, policy } = context
  const { id: userId } = actor.user
  if (blockedId === userId) throw failure('own_account')
  // Blocks of one person are counted one after the other, and neither account is erased meanwhile.
  for (const id of [userId, blockedId].toSorted()) await lockAccount(tx, id)
  if (!(await findUser(tx, blockedId))) throw failure('not_found')
  const isNew = await insertBlock(tx, { user_id: userId, blocked_id: blockedId, created_at: now })
  if (!isNew) return false
  const count = await countBlocks(tx, userId)
  if (count > policy.limits.blocks_person) throw failure('limit_reached')
  await auditCount(tx, context, count)
  return true
}

const unblockUser = operation({
  id: 'unblockUser',
  methods: ['DELETE'],
  path,
  scope: 'member',
  tag,
  summary: 'Unblock a person',
  params: BlockParams,
  result: Success,
  async handler(context, { params: { userId } }) {
    const wasBlocked = await context.database.write(async (tx) => {
      const { id } = context.actor.user
      if (!(await deleteBlock(tx, { user_id: id, blocked_id: userId }))) return false
      await auditCount(tx, context, await countBlocks(tx, id))
      return true
    })
    if (wasBlocked) publishBlock(context, userId, false)
    return SUCCESS
  },
})

/** The audit log counts blocks, and names no one who is blocked (R37.4b). */
function auditCount(tx: Tx, context: Context, count: number): Promise<void> {
  return auditAct(tx, context, { action: 'account.blocks', metadata: { count } })
}

function publishBlock({ publish, actor }: Context, blockedId: string, blocked: boolean): void {
  const { id: userId } = actor.user
  const notice = blocked ? 'blocked' : 'unblocked'
  publish({ kind: 'notice', userId, notice, data: { userId: blockedId } })
  publish({ kind: 'people', userIds: [userId] })
}

export const blockOperations = [listBlocks, blockUser, unblockUser]
