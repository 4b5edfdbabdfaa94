import type { z } from 'zod'
import { answers } from './answers.ts'

/**
 * Method and path of each operation by id. The build writes it from the operations themselves
 * (build.ts).
 */
declare const OPERATIONS: Readonly<Record<string, readonly [method: string, path: string]>>

/** The source of a call's types: an operation as `@latchkey/http/operation` declares it. */
export interface DeclaredOperation {
  id: string
  params?: z.ZodType | undefined
  query?: z.ZodType | undefined
  body?: z.ZodType | undefined
  result: z.ZodType
}

type Part<Name extends string, Value> = [Value] extends [never] ? unknown : { [Key in Name]: Value }
type Out<Schema> = NonNullable<Schema> extends infer S extends z.ZodType ? z.output<S> : never
type In<Schema> = NonNullable<Schema> extends infer S extends z.ZodType ? z.input<S> : never

/** Input of a call of `O`. Pass `Query` where the operation's own schema is less specific. */
export type InputOf<O extends DeclaredOperation, Query = Out<O['query']>> = Part<'params', Out<O['params']>> &
  Part<'body', In<O['body']>> & { query?: Partial<Query> }

/** The operations of a union whose id is, or may be, `Id`. */
export type OfId<O, Id> = O extends { id: infer Ids } ? (Id extends Ids ? O : never) : never

/** Input and result of every operation of a union, by id. */
export type CallsOf<O extends DeclaredOperation> = {
  [Id in O['id']]: {
    input: InputOf<OfId<O, Id>>
    result: z.output<OfId<O, Id>['result']>
  }
}

type AnyCall = { input: object; result: unknown }

/**
 * A refusal: its status (0 when there was no answer), the server's own text, and its stable code in
 * apps with such codes.
 */
export class CallError extends Error {
  readonly status: number
  readonly code: string | undefined
  /** The invalid fields of the body, where the answer names them. */
  readonly fields: readonly { path: string; code: string }[]
  /** The whole answer, for properties that only one refusal has. */
  readonly answer: Readonly<Record<string, unknown>>

  constructor(status: number, text: string, answer: Refusal = {}) {
    super(text)
    this.status = status
    this.code = answer.code
    this.fields = answer.fields ?? []
    this.answer = { ...answer }
  }
}

/** True for a call that the service did not answer, such as without a connection. */
export const isUnanswered = (error: unknown): boolean => error instanceof CallError && error.status === 0

type Refusal = { code?: string; fields?: readonly { path: string; code: string }[] }

let isOver = false
/** The server has said that the session ended, and has admitted no request since. */
let hasEnded = false
const listeners = new Set<() => void>()

/**
 * Over while the last answer was a 401, or once the server has said so: the person's session ended
 * while the page was open.
 */
export const signIn = {
  isOver: () => isOver,
  end() {
    hasEnded = true
    setOver(true)
  },
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

function applyAnswer({ ok, status }: Response): void {
  if (status === 401) return setOver(true)
  // A person who was disabled gets refusals of other kinds.
  if (hasEnded && !ok) return
  hasEnded = false
  setOver(false)
}

function setOver(over: boolean): void {
  if (isOver === over) return
  isOver = over
  for (const listener of listeners) listener()
}

/**
 * A dead connection may stay silent for minutes, while the service answers a person's request
 * within seconds.
 */
const ANSWER_WITHIN_MS = 60_000

/**
 * A request that breaks off or times out counts as unanswered. A request that the caller aborted is
 * not a failure.
 */
const noAnswer = (givenUp?: AbortSignal) => (error: unknown) => {
  if (givenUp?.aborted) throw error
  throw new CallError(0, 'offline', { code: 'offline' })
}

async function bodyOf(response: Response, givenUp?: AbortSignal): Promise<unknown> {
  return response.status === 204 ? undefined : response.json().catch(noAnswer(givenUp))
}

async function refusalOf(response: Response): Promise<CallError> {
  const answer = (await response.json().catch(() => null)) as ({ error?: string } & Refusal) | null
  return new CallError(response.status, answer?.error ?? '', answer ?? {})
}

export interface CallOptions {
  signal?: AbortSignal
  /** Timeout in milliseconds, including the time to read the answer. Null for long operations. */
  answerWithinMs?: number | null
  /** Lets the call outlive the page. */
  keepalive?: boolean
  accept?: string
  /** The version that a change is for: another is refused with 412. */
  ifMatch?: string
  /** The body for an operation that takes any body. */
  upload?: Blob
}

interface Transport {
  /** Base path of the operations: `/api`. */
  base: string
  /** Timeout of reads in milliseconds. By default that of all calls. */
  readWithinMs?: number
  /** Headers beside the usual ones, such as a CSRF token. Called before each request. */
  headers?: (method: string) => Record<string, string>
}

/** Each value of a list is a parameter. Only there an empty text has a meaning. */
function parametersOf(query: object): string[][] {
  return Object.entries(query).flatMap(([name, value]) => {
    if (Array.isArray(value)) return value.map((one) => [name, String(one)])
    return value === undefined || value === '' ? [] : [[name, String(value)]]
  })
}

function headersOf(accept: string, body: unknown, ifMatch: string | undefined): Record<string, string> {
  return {
    Accept: accept,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
  }
}

const methodOf = (id: string) => OPERATIONS[id]?.[0] ?? 'GET'

/**
 * Creates the calls of one app, typed by a map `C` such as `CallsOf`.
 *
 * @example const { call, request, addressOf } = createCalls<CallsOf<(typeof roomOperations)[number]>>({ base: '/api' })
 */
export function createCalls<C extends { [Each in keyof C]: AnyCall }>({
  base,
  readWithinMs = ANSWER_WITHIN_MS,
  headers = () => ({}),
}: Transport) {
  type Id = keyof C & string

  /**
   * Returns the URL of an operation, for requests that the browser sends itself: downloads, images,
   * events.
   */
  function addressOf<I extends Id>(id: I, input: Omit<C[I]['input'], 'body'>): string {
    const { params = {}, query = {} } = input as { params?: object; query?: object }
    const path = (OPERATIONS[id]?.[1] ?? '').replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String((params as Record<string, unknown>)[name])),
    )
    const search = new URLSearchParams(parametersOf(query)).toString()
    return `${base}${path}${search && '?'}${search}`
  }

  /**
   * Calls an operation and returns the bare response, for answers that are not a single JSON
   * document. Rejects with `CallError`.
   */
  async function request<I extends Id>(
    id: I,
    input: C[I]['input'],
    {
      accept = 'application/json',
      upload,
      ifMatch,
      signal,
      answerWithinMs = methodOf(id) === 'GET' ? readWithinMs : ANSWER_WITHIN_MS,
      ...options
    }: CallOptions = {},
  ): Promise<Response> {
    const { body } = input as { body?: unknown }
    const method = methodOf(id)
    if (method !== 'GET') answers.drop()
    const limit = answerWithinMs === null ? undefined : AbortSignal.timeout(answerWithinMs)
    const response = await fetch(addressOf(id, input), {
      ...options,
      signal: AbortSignal.any([signal, limit].filter((end) => end !== undefined)),
      method,
      headers: { ...headersOf(accept, body, ifMatch), ...headers(method) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(upload && { body: upload }),
    }).catch(noAnswer(signal))
    applyAnswer(response)
    if (response.ok) return response
    throw await refusalOf(response)
  }

  /**
   * Calls an operation and returns its JSON answer together with the headers. Rejects with
   * `CallError`.
   */
  async function reply<I extends Id>(
    id: I,
    input: C[I]['input'],
    options: CallOptions = {},
  ): Promise<{ body: C[I]['result']; headers: Headers }> {
    const response = await request(id, input, options)
    return { body: (await bodyOf(response, options.signal)) as C[I]['result'], headers: response.headers }
  }

  /** Returns the answer that the page came with, once. Undefined if there is none. */
  const embedded = <I extends Id>(id: I, input: C[I]['input']) => {
    const answer = answers.take(addressOf(id, input))
    return answer && { ...answer, body: answer.body as C[I]['result'] }
  }

  /** Calls an operation and returns its JSON answer. Rejects with `CallError`. */
  const call = async <I extends Id>(id: I, input: C[I]['input'], options?: CallOptions) =>
    (await reply(id, input, options)).body

  return { addressOf, request, reply, embedded, call }
}
