import type { Tx } from '../db/tables.ts'

/** Records that the node is alive. */
export async function recordHeartbeat(tx: Tx, nodeId: string, nowMs: number): Promise<void> {
  await tx
    .insertInto('nodes')
    .values({ node_id: nodeId, heartbeat: nowMs })
    .onConflict((conflict) => conflict.column('node_id').doUpdateSet({ heartbeat: nowMs }))
    .execute()
}

/**
 * Orderly stop of a node: its leases last until `leasesUntilMs`, and clients can return through
 * another node.
 */
export async function leaveCluster(tx: Tx, nodeId: string, leasesUntilMs: number): Promise<void> {
  await tx
    .updateTable('presence_leases')
    .set({ expires_at: leasesUntilMs })
    .where('node_id', '=', nodeId)
    .where('expires_at', '>', leasesUntilMs)
    .execute()
  await tx.deleteFrom('nodes').where('node_id', '=', nodeId).execute()
}

/** A node renews its heartbeat every 15 seconds. Its leases have expired by then. */
export const NODE_SILENT_MS = 60_000

/** Deletes nodes without a heartbeat since this moment. */
export async function deleteSilentNodes(tx: Tx, sinceMs: number): Promise<void> {
  await tx.deleteFrom('nodes').where('heartbeat', '<', sinceMs).execute()
}
