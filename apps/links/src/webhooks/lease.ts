import type { ExpressionBuilder, Kysely, Transaction, Updateable } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { WebhookRow } from './store.ts'

/**
 * How long a node delivers to a webhook without renewing its lease, in seconds: three attempts with
 * their timeout.
 */
const LEASE_SECONDS = 30

/** A node, and the moment at which it asks for a lease. */
export interface Holder {
  node: string
  /** Unix seconds on the clock that all nodes share. */
  now: number
}

/**
 * The condition that no other node has the lease. A lease that ends later than any can is that of a
 * wrong clock.
 */
function isFree({ node, now }: Holder) {
  return (eb: ExpressionBuilder<Tables, 'webhook'>) =>
    eb.or([
      eb('lease_until', '<=', now),
      eb('lease_until', '>', now + LEASE_SECONDS),
      eb('lease_holder', '=', node),
    ])
}

/** Webhooks whose next attempt is due, those of healthy receivers first. */
export function listDue(db: Kysely<Tables>, holder: Holder, newestSeq: number): Promise<WebhookRow[]> {
  return db
    .selectFrom('webhook')
    .selectAll()
    .where('disabled_at', 'is', null)
    .where('next_attempt_at', '<=', holder.now)
    .where('position', '<', newestSeq)
    .where(isFree(holder))
    .orderBy('failures')
    .orderBy('id')
    .execute()
}

/** Takes the lease of a webhook that is due. Returns undefined if another node has it. */
export function takeLease(
  tx: Transaction<Tables>,
  id: number,
  holder: Holder,
): Promise<WebhookRow | undefined> {
  const { node, now } = holder
  return tx
    .updateTable('webhook')
    .set({ lease_holder: node, lease_until: now + LEASE_SECONDS })
    .where('id', '=', id)
    .where('disabled_at', 'is', null)
    .where('next_attempt_at', '<=', now)
    .where(isFree(holder))
    .returningAll()
    .executeTakeFirst()
}

/**
 * Writes the outcome of an attempt and renews the lease. Returns undefined, and changes nothing, if
 * the node has lost it or a person has updated, moved or disabled the webhook meanwhile: the outcome
 * at another receiver says nothing.
 */
export function updateLeased(
  tx: Transaction<Tables>,
  { id, position, url, failures }: Pick<WebhookRow, 'id' | 'position' | 'url' | 'failures'>,
  { node, now }: Holder,
  changes: Updateable<Tables['webhook']>,
): Promise<WebhookRow | undefined> {
  return tx
    .updateTable('webhook')
    .set({ ...changes, lease_until: now + LEASE_SECONDS })
    .where('id', '=', id)
    .where('position', '=', position)
    .where('url', '=', url)
    .where('failures', '=', failures)
    .where('lease_holder', '=', node)
    .where('disabled_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

export async function releaseLease(tx: Transaction<Tables>, id: number, node: string): Promise<void> {
  await tx
    .updateTable('webhook')
    .set({ lease_holder: null, lease_until: 0 })
    .where('id', '=', id)
    .where('lease_holder', '=', node)
    .execute()
}

/** Frees all leases when the only node of an instance starts: no other node can hold one. */
export async function releaseAllLeases(tx: Transaction<Tables>): Promise<void> {
  await tx
    .updateTable('webhook')
    .set({ lease_holder: null, lease_until: 0 })
    .where('lease_holder', 'is not', null)
    .execute()
}
