import type { z } from 'zod'
import type { analyticsOperations, dashboardOperations } from '../analytics/operations.ts'
import type { bundleOperations } from '../bundles/operations.ts'
import type { BundleQuery } from '../bundles/schema.ts'
import type { eventOperations } from '../events/operations.ts'
import type { keyOperations } from '../keys/operations.ts'
import type { linkOperations } from '../links/operations.ts'
import type { LinkPageQuery } from '../links/schema.ts'
import type { preferenceOperations } from '../preferences/operations.ts'
import type { qrOperations } from '../qr/operations.ts'
import type { choosePrimarySlug, slugOperations } from '../slugs/operations.ts'
import type { transferOperations } from '../transfer/operations.ts'

/** From operation id to how it is called; the build writes it from the operations themselves (build.ts). */
declare const OPERATIONS: Readonly<Record<string, readonly [method: string, path: string]>>

type Operations =
  | (typeof linkOperations)[number]
  | (typeof slugOperations)[number]
  | (typeof bundleOperations)[number]
  | (typeof analyticsOperations)[number]
  | (typeof dashboardOperations)[number]
  | (typeof qrOperations)[number]
  | (typeof eventOperations)[number]
  | (typeof transferOperations)[number]
  | (typeof keyOperations)[number]
  | (typeof preferenceOperations)[number]
  | typeof choosePrimarySlug

export type OperationId = Operations['id']
type OfId<O, Id> = O extends { id: infer Ids } ? (Id extends Ids ? O : never) : never
type Named<Id extends OperationId> = OfId<Operations, Id>

type Part<Name extends string, Value> = [Value] extends [never] ? unknown : { [Key in Name]: Value }
type Out<Schema> = NonNullable<Schema> extends infer S extends z.ZodType ? z.output<S> : never
type In<Schema> = NonNullable<Schema> extends infer S extends z.ZodType ? z.input<S> : never
type Query<Id extends OperationId> = Id extends 'listLinks'
  ? z.output<typeof LinkPageQuery>
  : Id extends 'listBundles'
    ? Omit<z.output<typeof BundleQuery>, 'archived'> & Pick<z.input<typeof BundleQuery>, 'archived'>
    : Out<Named<Id>['query']>

export type Input<Id extends OperationId> = Part<'params', Out<Named<Id>['params']>> &
  Part<'body', In<Named<Id>['body']>> & { query?: Partial<Query<Id>> }
export type Result<Id extends OperationId> = z.output<Named<Id>['result']>

/** A refusal, with the server's own text; status 0 when there was no answer at all. */
export class CallError extends Error {
  readonly status: number
  constructor(status: number, text: string) {
    super(text)
    this.status = status
  }
}

interface Reply<Body> {
  body: Body
  /** How many there are in all, of a list that has pages. */
  total: number
  page: number
  /** The cursor of the next page; missing on the last, and where pages are numbered. */
  next?: string
  /** When this was answered, by the server's clock. */
  at: Date
}

type Loose = { params?: object; query?: object; body?: unknown }

/** The address of an operation, for what the browser fetches itself: downloads, images, events. */
export function addressOf<Id extends OperationId>(id: Id, input: Omit<Input<Id>, 'body'>): string {
  const { params = {}, query = {} } = input as Loose
  const path = (OPERATIONS[id]?.[1] ?? '').replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String((params as Record<string, unknown>)[name])),
  )
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return `/_/admin/api${path}${search && '?'}${search}`
}

let isOver = false
const listeners = new Set<() => void>()

/** Whether the last answer was a refusal of the person: their sign-in has ended while the page was open. */
export const signIn = {
  isOver: () => isOver,
  subscribe(listener: () => void): () => void {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
}

function noteSignIn({ status }: Response): void {
  if (isOver === (status === 401)) return
  isOver = status === 401
  for (const listener of listeners) listener()
}

interface CallOptions {
  signal?: AbortSignal
  /** The call outlives the page. */
  keepalive?: boolean
  accept?: string
  /** What to send where an operation takes any body. */
  upload?: Blob
}

/** Calls an operation and gives its bare answer, for what is not JSON in one piece. Rejects with `CallError`. */
export async function request<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  { accept = 'application/json', upload, ...options }: CallOptions = {},
): Promise<Response> {
  const { body } = input as Loose
  const response = await fetch(addressOf(id, input), {
    ...options,
    method: OPERATIONS[id]?.[0] ?? 'GET',
    headers: { Accept: accept, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(upload && { body: upload }),
  }).catch((error: unknown) => {
    if (options.signal?.aborted) throw error
    throw new CallError(0, 'offline')
  })
  noteSignIn(response)
  if (response.ok) return response
  const answer = (await response.json().catch(() => null)) as { error?: string } | null
  throw new CallError(response.status, answer?.error ?? '')
}

/** Calls an operation whose list has pages. Rejects with `CallError`. */
export async function callForPage<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  options?: CallOptions,
): Promise<Reply<Result<Id>>> {
  const response = await request(id, input, options)
  const next = /[?&]cursor=([^&>]+)/.exec(response.headers.get('Link') ?? '')?.[1]
  return {
    body: (await response.json()) as Result<Id>,
    total: Number(response.headers.get('X-Total-Count')),
    page: Number(response.headers.get('X-Page') ?? 1),
    ...(next !== undefined && { next: decodeURIComponent(next) }),
    at: new Date(response.headers.get('Date') ?? Date.now()),
  }
}

/** Calls an operation. Rejects with `CallError`. */
export async function call<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  options?: CallOptions,
): Promise<Result<Id>> {
  return (await callForPage(id, input, options)).body
}
