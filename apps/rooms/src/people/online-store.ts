import { inList } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import { sql } from 'kysely'
import type { Db, Tx } from '../db/tables.ts'
import { recordHeartbeat } from '../rooms/nodes.ts'

interface UsersOfNode {
  nodeId: string
  userIds: readonly string[]
}

/** Records that these users have a connection at the node. Erased ones are left out. */
export async function insertOnline(
  tx: Tx,
  dialect: DialectName,
  { nodeId, userIds, nowMs }: UsersOfNode & { nowMs: number },
): Promise<void> {
  if (userIds.length === 0) return
  await recordHeartbeat(tx, nodeId, nowMs)
  await tx
    .insertInto('online_users')
    .columns(['user_id', 'node_id'])
    .expression((eb) =>
      eb
        .selectFrom('users')
        .select(['id', sql<string>`cast(${nodeId} as text)`.as('node_id')])
        .where(inList(dialect, 'id', userIds)),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function deleteOnline(
  tx: Tx,
  dialect: DialectName,
  { nodeId, userIds }: UsersOfNode,
): Promise<void> {
  if (userIds.length === 0) return
  await tx
    .deleteFrom('online_users')
    .where('node_id', '=', nodeId)
    .where(inList(dialect, 'user_id', userIds))
    .execute()
}

export async function selectOnlineIds(db: Db, nodeId: string): Promise<string[]> {
  const rows = await db.selectFrom('online_users').select('user_id').where('node_id', '=', nodeId).execute()
  return rows.map(({ user_id }) => user_id)
}
