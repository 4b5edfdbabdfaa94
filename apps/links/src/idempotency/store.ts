import type { Database } from '@latchkey/database/database'
import { keepRow } from '@latchkey/database/locks'
import { elapsedMs } from '@latchkey/http/elapsed'
import { transportFailure } from '@latchkey/http/failure'
import { seal, unseal } from '@latchkey/tokens/seal'
import type { Selectable } from 'kysely'
import type { IdempotentAnswerTable, Tables, Tx } from '../db/tables.ts'

export type AnswerRow = Selectable<IdempotentAnswerTable>
export type StoredAnswer = Pick<AnswerRow, 'status' | 'headers' | 'body'>

/** Answers are replayed for 24 h, in seconds. */
const KEPT_SECONDS = 86_400

/**
 * How long a request that waits for another server may hold its key, in seconds: several times its
 * timeout. A reservation that is older is that of a process that has ended.
 */
const RESERVED_SECONDS = 30
/** A sealed body is never empty. */
const RESERVATION: StoredAnswer = { status: 409, headers: '[]', body: '' }

/** Rows per transaction, few enough not to delay the redirects that run beside it. */
const ROWS_PER_STEP = 500

/**
 * Returns the answer to an earlier request with this key, or its reservation. Throws 401 if the API
 * key was revoked meanwhile, and prevents that until the transaction ends.
 */
export async function findAnswer(
  tx: Tx,
  { dialect }: Pick<Database<Tables>, 'dialect'>,
  { api_key_id, idempotency_key }: Pick<AnswerRow, 'api_key_id' | 'idempotency_key'>,
  now: number,
): Promise<AnswerRow | undefined> {
  const query = tx.selectFrom('api_key').select('id').where('id', '=', api_key_id)
  const apiKey = await keepRow(dialect, query).executeTakeFirst()
  if (!apiKey) throw transportFailure('unauthorized', { headers: { 'WWW-Authenticate': 'Bearer' } })
  const row = await tx
    .selectFrom('idempotent_answer')
    .selectAll()
    .where('api_key_id', '=', api_key_id)
    .where('idempotency_key', '=', idempotency_key)
    .where('created_at', '>', now - KEPT_SECONDS)
    .executeTakeFirst()
  return row && isReserved(row) && elapsedMs(row.created_at, now) >= RESERVED_SECONDS ? undefined : row
}

/** True while the first request is being performed. */
export function isReserved({ body }: Pick<AnswerRow, 'body'>): boolean {
  return body === RESERVATION.body
}

export function reserveAnswer(tx: Tx, claim: Omit<AnswerRow, keyof StoredAnswer>): Promise<void> {
  return storeAnswer(tx, { ...claim, ...RESERVATION })
}

export async function deleteReservation(
  tx: Tx,
  { api_key_id, idempotency_key }: Pick<AnswerRow, 'api_key_id' | 'idempotency_key'>,
): Promise<void> {
  await tx
    .deleteFrom('idempotent_answer')
    .where('api_key_id', '=', api_key_id)
    .where('idempotency_key', '=', idempotency_key)
    .where('body', '=', RESERVATION.body)
    .execute()
}

/** Encrypts the body: some contain the secret of a webhook, which is stored in no other place in clear. */
export function sealAnswer({ body, ...answer }: StoredAnswer, secret: string): StoredAnswer {
  return { ...answer, body: seal(body, secret, 'idempotent-answer') }
}

/** Throws for an answer that was sealed by another instance. */
export function unsealAnswer({ status, headers, body: sealed }: StoredAnswer, secret: string): StoredAnswer {
  const body = unseal(sealed, secret, 'idempotent-answer')
  if (body === undefined) throw new Error('A stored answer was sealed by another instance')
  return { status, headers, body }
}

/** Stores an answer, in place of an expired one. */
export async function storeAnswer(
  tx: Tx,
  { api_key_id, idempotency_key, ...answer }: AnswerRow,
): Promise<void> {
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
