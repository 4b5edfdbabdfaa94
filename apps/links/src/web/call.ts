import type { z } from 'zod'
import type { analyticsOperations } from '../analytics/operations.ts'
import type { bundleOperations } from '../bundles/operations.ts'
import type { keyOperations } from '../keys/operations.ts'
import type { linkOperations } from '../links/operations.ts'
import type { LinkPageQuery } from '../links/schema.ts'
import type { preferenceOperations } from '../preferences/operations.ts'
import type { choosePrimarySlug, slugOperations } from '../slugs/operations.ts'

/** From operation id to how it is called; the build writes it from the operations themselves (build.ts). */
declare const OPERATIONS: Readonly<Record<string, readonly [method: string, path: string]>>

type Operations =
  | (typeof linkOperations)[number]
  | (typeof slugOperations)[number]
  | (typeof bundleOperations)[number]
  | (typeof analyticsOperations)[number]
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
}

type Loose = { params?: object; query?: object; body?: unknown }

/** The address of an operation, for links that the browser follows itself (downloads, images). */
export function addressOf(id: string, { params = {}, query = {} }: Loose = {}): string {
  const path = (OPERATIONS[id]?.[1] ?? '').replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String((params as Record<string, unknown>)[name])),
  )
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return `/_/admin/api${path}${search && '?'}${search}`
}

/** Calls an operation; rejects with `CallError`. `keepalive` lets it outlive the page. */
export async function callForPage<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  options: { signal?: AbortSignal; keepalive?: boolean } = {},
): Promise<Reply<Result<Id>>> {
  const { body } = input as Loose
  const response = await fetch(addressOf(id, input), {
    method: OPERATIONS[id]?.[0] ?? 'GET',
    ...(body !== undefined && {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
    ...options,
  }).catch((error: unknown) => {
    if (options.signal?.aborted) throw error
    throw new CallError(0, 'offline')
  })
  const answer: unknown = await response.json().catch(() => null)
  if (!response.ok) throw new CallError(response.status, (answer as { error?: string } | null)?.error ?? '')
  return {
    body: answer as Result<Id>,
    total: Number(response.headers.get('X-Total-Count')),
    page: Number(response.headers.get('X-Page') ?? 1),
  }
}

export async function call<Id extends OperationId>(
  id: Id,
  input: Input<Id>,
  options?: Parameters<typeof callForPage>[2],
): Promise<Result<Id>> {
  return (await callForPage(id, input, options)).body
}
