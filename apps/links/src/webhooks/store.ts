import { type Database, inList, lockKey } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import type { Insertable, Kysely, Selectable, Transaction, UpdateObject } from 'kysely'
import type { Tables } from '../db/tables.ts'

export type WebhookRow = Selectable<Tables['webhook']>
export type DeliveryRow = Selectable<Tables['webhook_delivery']>

/** A person, and whether the webhooks of others are theirs to see and change (L25.4). */
export interface Actor {
  identity: string
  isAdmin: boolean
}

/** The state of a webhook whose next event has not been attempted. */
export const UNTRIED = { failures: 0, failing_since: null, next_attempt_at: 0 } as const

/** The number of attempts that are kept for each webhook, the latest ones. */
export const MAX_DELIVERIES = 100

/**
 * Counts the webhooks of a person. Until the transaction ends, concurrent counts for this person
 * wait.
 */
export async function countWebhooks(
  tx: Transaction<Tables>,
  dialect: DialectName,
  identity: string,
): Promise<number> {
  await lockKey(dialect, tx, Number(BigInt.asUintN(53, Bun.hash.xxHash64(`webhook ${identity}`))))
  const { count } = await tx
    .selectFrom('webhook')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('created_by', '=', identity)
    .executeTakeFirstOrThrow()
  return count
}

export function insertWebhook(
  tx: Transaction<Tables>,
  row: Insertable<Tables['webhook']>,
): Promise<WebhookRow> {
  return tx.insertInto('webhook').values(row).returningAll().executeTakeFirstOrThrow()
}

/** The webhooks of the actor, or of everyone for an administrator, oldest first. */
export function selectWebhooks(db: Kysely<Tables>, { identity, isAdmin }: Actor): Promise<WebhookRow[]> {
  return db
    .selectFrom('webhook')
    .selectAll()
    .$if(!isAdmin, (query) => query.where('created_by', '=', identity))
    .orderBy('id')
    .execute()
}

export function findWebhook(
  db: Kysely<Tables>,
  id: number,
  { identity, isAdmin }: Actor,
): Promise<WebhookRow | undefined> {
  return db
    .selectFrom('webhook')
    .selectAll()
    .where('id', '=', id)
    .$if(!isAdmin, (query) => query.where('created_by', '=', identity))
    .executeTakeFirst()
}

/** Updates a webhook of the actor. Returns undefined if there is none. */
export function updateWebhookRow(
  tx: Transaction<Tables>,
  id: number,
  { identity, isAdmin }: Actor,
  changes: UpdateObject<Tables, 'webhook'>,
): Promise<WebhookRow | undefined> {
  return tx
    .updateTable('webhook')
    .set(changes)
    .where('id', '=', id)
    .$if(!isAdmin, (query) => query.where('created_by', '=', identity))
    .returningAll()
    .executeTakeFirst()
}

/** Returns false if the actor has no such webhook. */
export async function deleteWebhookRow(
  tx: Transaction<Tables>,
  id: number,
  { identity, isAdmin }: Actor,
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('webhook')
    .where('id', '=', id)
    .$if(!isAdmin, (query) => query.where('created_by', '=', identity))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

/** The latest attempts of a webhook, newest first. */
export function listDeliveries(db: Kysely<Tables>, webhookId: number, limit: number): Promise<DeliveryRow[]> {
  return db
    .selectFrom('webhook_delivery')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

export function findDelivery(
  db: Kysely<Tables>,
  webhookId: number,
  id: number,
): Promise<DeliveryRow | undefined> {
  return db
    .selectFrom('webhook_delivery')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .where('id', '=', id)
    .executeTakeFirst()
}

/** The latest attempt of each of these webhooks that failed. */
export async function findLastFailures(
  { read, dialect }: Pick<Database<Tables>, 'read' | 'dialect'>,
  webhookIds: readonly number[],
): Promise<Map<number, DeliveryRow>> {
  const rows = await read
    .selectFrom('webhook_delivery')
    .selectAll()
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('webhook_delivery')
        .select(eb.fn.max('id').as('id'))
        .where(inList(dialect, 'webhook_id', webhookIds))
        .where((each) => each.or([each('status', 'is', null), each.not(each.between('status', 200, 299))]))
        .groupBy('webhook_id'),
    )
    .execute()
  return new Map(rows.map((row) => [row.webhook_id, row]))
}

/** Stores an attempt, and deletes those that are not kept any more. */
export async function insertDelivery(
  tx: Transaction<Tables>,
  row: Insertable<Tables['webhook_delivery']>,
): Promise<DeliveryRow> {
  const stored = await tx.insertInto('webhook_delivery').values(row).returningAll().executeTakeFirstOrThrow()
  await tx
    .deleteFrom('webhook_delivery')
    .where('webhook_id', '=', row.webhook_id)
    .where('id', '<=', (eb) =>
      eb
        .selectFrom('webhook_delivery')
        .select('id')
        .where('webhook_id', '=', row.webhook_id)
        .orderBy('id', 'desc')
        .offset(MAX_DELIVERIES)
        .limit(1),
    )
    .execute()
  return stored
}
