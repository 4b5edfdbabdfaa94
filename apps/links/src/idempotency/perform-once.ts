import { tryLockKey, withSavepoint } from '@latchkey/database/database'
import { Failure } from '@latchkey/http/failure'
import type { Call, Surface } from '@latchkey/http/mount'
import type { Repetition } from '@latchkey/http/operation'
import type { Context } from '../api/context.ts'
import type { Tx } from '../db/tables.ts'
import { failures } from '../api/failures.ts'
import { joinTransaction } from '../api/join-transaction.ts'
import {
  type AnswerRow,
  type StoredAnswer,
  deleteReservation,
  findAnswer,
  isReserved,
  reserveAnswer,
  sealAnswer,
  storeAnswer,
  unsealAnswer,
} from './store.ts'

export const IDEMPOTENCY_HEADER = 'Idempotency-Key'
export const REPLAY_HEADER = 'Idempotent-Replay'

export const idempotencyFailures = [
  'idempotency_key_invalid',
  'idempotency_key_running',
  'idempotency_key_other_body',
  'idempotency_key_other_path',
] as const

const KEY = /^[\x21-\x7e]{1,64}$/

/** How long a repeated request waits for the first one. */
const WAIT_MS = 5_000
const RETRY_MS = 50
const RETRY_AFTER_SECONDS = '1'

type OwnCall = Pick<Call<Context, unknown>, 'request' | 'body' | 'createContext'> & {
  operation: { isOutbound?: boolean; repetition?: Repetition<Context> }
}
type Work = Parameters<NonNullable<Surface<Context, unknown>['around']>>[1]
type Claim = Omit<AnswerRow, 'created_at' | keyof StoredAnswer>

interface Options {
  apiKeyId: number
  /** Seals stored answers: some contain the secret of a webhook. */
  secret: string
  render: (refusal: Failure) => Response
}

/**
 * Performs a POST whose `Idempotency-Key` is new, and otherwise answers as the first request with
 * it was answered (L28.2). The answer is stored in the transaction of the operation: whenever the
 * process ends, both are there or neither is. An operation that waits for another server runs in no
 * transaction: it reserves its key first, and stores its answer afterwards.
 */
export async function performOnce(options: Options, call: OwnCall, work: Work): Promise<Response> {
  const { request } = call
  const key = request.method === 'POST' ? request.headers.get(IDEMPOTENCY_HEADER) : null
  if (key === null) return work(call.createContext)
  if (!KEY.test(key)) throw failure('idempotency_key_invalid')
  const { pathname, search } = new URL(request.url, 'http://localhost')
  // Under the secret, since a short password in a body could be guessed from its plain hash.
  const hash = (value: string | Uint8Array) =>
    new Bun.CryptoHasher('sha256', options.secret).update(value).digest('hex')
  const claim = {
    api_key_id: options.apiKeyId,
    idempotency_key: key,
    path_hash: hash(`${pathname}${search}`),
    body_hash: hash(call.body ?? ''),
  }
  const context = await call.createContext()
  const { isOutbound, repetition } = call.operation
  const attempt = { ...options, claim, context, repetition, work, isFlushed: await context.flushClicks() }
  const tryOnce = isOutbound ? tryWithReservation : tryInTransaction
  for (const endMs = performance.now() + WAIT_MS; ;) {
    const response = await tryOnce(attempt)
    if (response) return response
    if (performance.now() > endMs) throw failure('idempotency_key_running', RETRY_AFTER_SECONDS)
    await Bun.sleep(RETRY_MS)
  }
}

function failure(code: (typeof idempotencyFailures)[number], retryAfterSeconds?: string): Failure {
  return new Failure(code, failures[code], retryAfterSeconds ? { 'Retry-After': retryAfterSeconds } : {})
}

interface Attempt extends Options {
  claim: Claim
  context: Context
  isFlushed: boolean
  repetition: Repetition<Context> | undefined
  work: Work
}

/** Returns undefined while another request with the key is being performed. */
async function tryInTransaction(attempt: Attempt): Promise<Response | undefined> {
  const { claim, context, isFlushed, repetition, work, render, secret } = attempt
  let startFetches: (() => void) | undefined
  const response = await context.database.write(async (tx) => {
    startFetches = undefined
    if (!(await tryLockClaim(tx, attempt))) return undefined
    const joined = joinTransaction(context, tx, isFlushed)
    const earlier = await findAnswer(tx, context.database, claim, context.now)
    if (earlier) return replay(earlier, { ...attempt, context: joined.context })
    const answer = await read(
      await withSavepoint(tx, () => work(() => joined.context)).catch((error: unknown) =>
        render(requireFinal(error)),
      ),
    )
    const reduced = repetition ? await rewrite(answer, async (body) => repetition.reduce(body)) : answer
    await storeAnswer(tx, { ...claim, created_at: context.now, ...sealAnswer(reduced, secret) })
    startFetches = joined.startFetches
    return toResponse(answer)
  })
  startFetches?.()
  return response
}

/** Returns undefined while another request with the key is being performed. */
async function tryWithReservation(attempt: Attempt): Promise<Response | undefined> {
  const { claim, context, work, render, secret } = attempt
  const { database, now } = context
  const outcome = await database.write(async (tx) => {
    if (!(await tryLockClaim(tx, attempt))) return undefined
    const earlier = await findAnswer(tx, database, claim, now)
    if (earlier) return replay(earlier, attempt)
    await reserveAnswer(tx, { ...claim, created_at: now })
    return 'reserved' as const
  })
  if (outcome !== 'reserved') return outcome
  try {
    const answer = await read(
      await work(() => context).catch((error: unknown) => render(requireFinal(error))),
    )
    await database.write(async (tx) => {
      // Throws for a key that was revoked meanwhile.
      await findAnswer(tx, database, claim, now)
      await storeAnswer(tx, { ...claim, created_at: now, ...sealAnswer(answer, secret) })
    })
    return toResponse(answer)
  } catch (error) {
    // Where this fails as well, the reservation ends by itself.
    await database.write((tx) => deleteReservation(tx, claim)).catch(() => {})
    throw error
  }
}

function tryLockClaim(tx: Tx, { claim, context: { database } }: Attempt): Promise<boolean> {
  const lock = `idempotency ${claim.api_key_id} ${claim.idempotency_key}`
  return tryLockKey(database.dialect, tx, Number(BigInt.asUintN(53, Bun.hash.xxHash64(lock))))
}

/** Returns the refusal that every repetition would meet. Throws any other error. */
function requireFinal(error: unknown): Failure {
  if (error instanceof Failure && error.status < 500 && error.status !== 401 && error.status !== 429)
    return error
  throw error
}

/** Returns undefined if the answer is only reserved. Throws if the key is that of another request. */
async function replay(
  earlier: AnswerRow,
  { claim, context, repetition, secret }: Attempt,
): Promise<Response | undefined> {
  if (earlier.path_hash !== claim.path_hash) throw failure('idempotency_key_other_path')
  if (earlier.body_hash !== claim.body_hash) throw failure('idempotency_key_other_body')
  if (isReserved(earlier)) return undefined
  const stored = unsealAnswer(earlier, secret)
  const answer = repetition ? await rewrite(stored, (body) => repetition.complete(context, body)) : stored
  const response = toResponse(answer)
  response.headers.set(REPLAY_HEADER, 'true')
  return response
}

async function read(response: Response): Promise<StoredAnswer> {
  const { status, headers } = response
  return { status, headers: JSON.stringify([...headers]), body: await response.text() }
}

/** Returns the answer with a changed body. Refusals have nothing to leave out. */
async function rewrite(
  answer: StoredAnswer,
  change: (body: Readonly<Record<string, unknown>>) => Promise<unknown>,
): Promise<StoredAnswer> {
  if (answer.status >= 400) return answer
  const body: unknown = await change(JSON.parse(answer.body) as Record<string, unknown>)
  return { ...answer, body: JSON.stringify(body) }
}

function toResponse({ status, headers, body }: StoredAnswer): Response {
  return new Response(body, { status, headers: JSON.parse(headers) as [string, string][] })
}
