import { tryLockKey, withSavepoint } from '@latchkey/database/database'
import { Failure } from '@latchkey/http/failure'
import type { Call, Surface } from '@latchkey/http/mount'
import type { Transaction } from 'kysely'
import type { Context } from '../context.ts'
import type { Tables } from '../db/tables.ts'
import { failures } from '../failures.ts'
import { joinTransaction } from '../join-transaction.ts'
import { findAnswer, storeAnswer } from './store.ts'

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

type Tx = Transaction<Tables>
type OwnCall = Pick<Call<Context, unknown>, 'request' | 'body' | 'createContext'>
type Work = Parameters<NonNullable<Surface<Context, unknown>['around']>>[1]

interface Claim {
  api_key_id: number
  idempotency_key: string
  path_hash: string
  body_hash: string
}

/**
 * Performs a POST whose `Idempotency-Key` is new, and otherwise answers as the first request with
 * it was answered (L28.2). The answer is stored in the transaction of the operation: whenever the
 * process ends, both are there or neither is.
 */
export async function performOnce(
  { apiKeyId, render }: { apiKeyId: number; render: (refusal: Failure) => Response },
  call: OwnCall,
  work: Work,
): Promise<Response> {
  const { request } = call
  const key = request.method === 'POST' ? request.headers.get(IDEMPOTENCY_HEADER) : null
  if (key === null) return work(call.createContext)
  if (!KEY.test(key)) throw failure('idempotency_key_invalid')
  const { pathname, search } = new URL(request.url, 'http://localhost')
  const claim = {
    api_key_id: apiKeyId,
    idempotency_key: key,
    path_hash: hash(`${pathname}${search}`),
    body_hash: hash(call.body ?? ''),
  }
  const context = await call.createContext()
  const attempt = {
    claim,
    context,
    isFlushed: await context.flushClicks(),
    perform: (tx: Tx, own: Context) =>
      withSavepoint(tx, () => work(() => own)).catch((error: unknown) => render(requireFinal(error))),
  }
  for (const endMs = performance.now() + WAIT_MS; ;) {
    const response = await tryOnce(attempt)
    if (response) return response
    if (performance.now() > endMs) throw failure('idempotency_key_running', RETRY_AFTER_SECONDS)
    await Bun.sleep(RETRY_MS)
  }
}

function hash(text: string | Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex')
}

function failure(code: (typeof idempotencyFailures)[number], retryAfterSeconds?: string): Failure {
  return new Failure(code, failures[code], retryAfterSeconds ? { 'Retry-After': retryAfterSeconds } : {})
}

interface Attempt {
  claim: Claim
  context: Context
  isFlushed: boolean
  /** Performs the operation in the transaction, or refuses it and undoes what it has written. */
  perform: (tx: Tx, context: Context) => Promise<Response>
}

/** Returns undefined while another request with the key is being performed. */
async function tryOnce({ claim, context, isFlushed, perform }: Attempt): Promise<Response | undefined> {
  const { database, now } = context
  let startFetches: (() => void) | undefined
  const response = await database.write(async (tx) => {
    startFetches = undefined
    const lock = `idempotency ${claim.api_key_id} ${claim.idempotency_key}`
    if (!(await tryLockKey(database.dialect, tx, Number(BigInt.asUintN(53, Bun.hash.xxHash64(lock))))))
      return undefined
    const earlier = await findAnswer(tx, database, claim, now)
    if (earlier) return replay(earlier, claim)
    const joined = joinTransaction(context, tx, isFlushed)
    const answer = await perform(tx, joined.context)
    const body = await answer.text()
    const { status, headers } = answer
    const stored = { ...claim, created_at: now, status, headers: JSON.stringify([...headers]), body }
    await storeAnswer(tx, stored)
    startFetches = joined.startFetches
    return new Response(body, { status, headers })
  })
  startFetches?.()
  return response
}

/** Returns the refusal that every repetition would meet. Throws any other error. */
function requireFinal(error: unknown): Failure {
  if (error instanceof Failure && error.status < 500 && error.status !== 401 && error.status !== 429)
    return error
  throw error
}

function replay(
  { path_hash, body_hash, status, headers, body }: Claim & StoredAnswer,
  claim: Claim,
): Response {
  if (path_hash !== claim.path_hash) throw failure('idempotency_key_other_path')
  if (body_hash !== claim.body_hash) throw failure('idempotency_key_other_body')
  const response = new Response(body, { status, headers: JSON.parse(headers) as [string, string][] })
  response.headers.set(REPLAY_HEADER, 'true')
  return response
}

interface StoredAnswer {
  status: number
  headers: string
  body: string
}
