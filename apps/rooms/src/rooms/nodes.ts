import type { Transaction } from 'kysely'
import type { Tables } from '../db/tables.ts'

/** The node is alive at this moment. */
export async function recordHeartbeat(tx: Transaction<Tables>, nodeId: string, nowMs: number): Promise<void> {
  await tx
    .insertInto('nodes')
    .values({ node_id: nodeId, heartbeat: nowMs })
    .onConflict((conflict) => conflict.column('node_id').doUpdateSet({ heartbeat: nowMs }))
    .execute()
}

/** The node stops in order: whoever was here through it is given the time to come back through another. */
export async function leaveCluster(
  tx: Transaction<Tables>,
  nodeId: string,
  leasesUntilMs: number,
): Promise<void> {
  await tx
    .updateTable('presence_leases')
    .set({ expires_at: leasesUntilMs })
    .where('node_id', '=', nodeId)
    .where('expires_at', '>', leasesUntilMs)
    .execute()
  await tx.deleteFrom('nodes').where('node_id', '=', nodeId).execute()
}

/** Forgets nodes that have given no sign of life since this moment. */
export async function deleteSilentNodes(tx: Transaction<Tables>, sinceMs: number): Promise<void> {
  await tx.deleteFrom('nodes').where('heartbeat', '<', sinceMs).execute()
}
