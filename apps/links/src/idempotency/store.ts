import type { Database } from '@latchkey/database/database'
import { keepRow } from '@latchkey/database/locks'
import { transportFailure } from '@latchkey/http/failure'
import type { Selectable, Transaction } from 'kysely'
import type { IdempotentAnswerTable, Tables } from '../db/tables.ts'

type Tx = Transaction<Tables>
type Row = Selectable<IdempotentAnswerTable>

/** Answers are replayed for 24 h, in seconds. */
const KEPT_SECONDS = 86_400

/** Rows per transaction, few enough not to delay the redirects that run beside it. */
const ROWS_PER_STEP = 500

/**
 * Returns the answer to an earlier request with this key. Throws 401 if the API key was revoked
 * meanwhile, and prevents that until the transaction ends.
 */
export async function findAnswer(
  tx: Tx,
  { dialect }: Pick<Database<Tables>, 'dialect'>,
  { api_key_id, idempotency_key }: Pick<Row, 'api_key_id' | 'idempotency_key'>,
  now: number,
): Promise<Row | undefined> {
  const query = tx.selectFrom('api_key').select('id').where('id', '=', api_key_id)
  const apiKey = await keepRow(dialect, query).executeTakeFirst()
  if (!apiKey) throw transportFailure('unauthorized', { headers: { 'WWW-Authenticate': 'Bearer' } })
  return tx
    .selectFrom('idempotent_answer')
    .selectAll()
    .where('api_key_id', '=', api_key_id)
    .where('idempotency_key', '=', idempotency_key)
    .where('created_at', '>', now - KEPT_SECONDS)
    .executeTakeFirst()
}

/** Stores an answer, in place of an expired one. */
export async function storeAnswer(tx: Tx, { api_key_id, idempotency_key, ...answer }: Row): Promise<void> {
  await tx
    .insertInto('idempotent_answer')
    .values({ api_key_id, idempotency_key, ...answer })
    .onConflict((conflict) => conflict.columns(['api_key_id', 'idempotency_key']).doUpdateSet(answer))
    .execute()
}

/** Deletes the answers that are not replayed any more, in small transactions. */
export async function deleteExpiredAnswers(database: Database<Tables>, now: number): Promise<void> {
  for (;;) {
    const { numDeletedRows } = await database.write((tx) =>
      tx
        .deleteFrom('idempotent_answer')
        .where((eb) =>
          eb(
            eb.refTuple('api_key_id', 'idempotency_key'),
            'in',
            eb
              .selectFrom('idempotent_answer')
              .select(['api_key_id', 'idempotency_key'])
              .where('created_at', '<=', now - KEPT_SECONDS)
              .limit(ROWS_PER_STEP)
              .$asTuple('api_key_id', 'idempotency_key'),
          ),
        )
        .executeTakeFirst(),
    )
    if (numDeletedRows < BigInt(ROWS_PER_STEP)) return
    // Writing to a file does not yield to the event loop.
    await new Promise((resolve) => setImmediate(resolve))
  }
}
