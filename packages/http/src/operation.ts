import type { z } from 'zod'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

type Shape = z.ZodObject | undefined
type Parsed<Schema extends Shape> = Schema extends z.ZodObject ? z.output<Schema> : undefined

/** What a handler gets: everything parsed already, `undefined` where the operation takes none. */
export interface Input<
  Params extends Shape = Shape,
  Query extends Shape = Shape,
  Body extends Shape = Shape,
> {
  params: Parsed<Params>
  query: Parsed<Query>
  body: Parsed<Body>
  /** The body as it comes, where the operation takes an upload. Throws 413, or 400 when it breaks off. */
  upload?: AsyncIterable<Uint8Array>
}

/** What a header of an answer says. */
export interface ResponseHeader {
  type: 'integer' | 'string'
  description: string
}

/** How a result becomes an HTTP answer, where a bare `200` with JSON is not it. */
export interface Answer {
  status?: number
  headers?: Record<string, string>
  body: unknown
}

/** One verb of the product, declared once for every surface: routes, OpenAPI, assistants, clients. */
export interface Operation<
  Context,
  Params extends Shape = Shape,
  Query extends Shape = Shape,
  Body extends Shape = Shape,
  Result = unknown,
  Id extends string = string,
  Answered extends z.ZodType = z.ZodType,
> {
  /** verbNoun, the SDK method's name. */
  id: Id
  methods: readonly [Method, ...Method[]]
  /** With OpenAPI's braces: `/links/{id}`. */
  path: string
  scope: string
  tag: string
  summary: string
  /** A parameter that does not fit means that no such path exists: 404. */
  params?: Params
  /** Unknown keys are ignored. */
  query?: Query
  /** Strict: an unknown field is refused. */
  body?: Body
  /** Takes any body, of at most so many bytes, instead of a JSON object. */
  upload?: { limitBytes: number }
  /** Goes on for longer than quiet connections are kept. */
  lasting?: boolean
  result: Answered
  /** Status of success, and a second one (with its meaning) where `answer` may choose it. */
  status?: number
  otherStatus?: { status: number; description: string }
  /** For answers that are not JSON: media type to description. */
  media?: Readonly<Record<string, string>>
  /** Headers of success beside those that every answer has. */
  headers?: Readonly<Record<string, ResponseHeader>>
  /** Codes of the app's closed list that the handler itself may end in. */
  failures?: readonly string[]
  handler(context: Context, input: Input<Params, Query, Body>): Promise<Result>
  answer?(result: Result, request: Request): Answer
}

/** Any operation of one app, for tables of them. */
// oxlint-disable-next-line typescript/no-explicit-any -- handlers take their own parsed types; only `mount` calls them, with what their schemas produced.
export type AnyOperation<Context> = Operation<Context, any, any, any, any>

/** Declares an operation; exists for type inference: `const { operation } = operations<Context>()`. */
export function operationsOf<Context>(): <
  Params extends Shape = undefined,
  Query extends Shape = undefined,
  Body extends Shape = undefined,
  Result = unknown,
  const Id extends string = string,
  Answered extends z.ZodType = z.ZodType,
>(
  operation: Operation<Context, Params, Query, Body, Result, Id, Answered>,
) => Operation<Context, Params, Query, Body, Result, Id, Answered> {
  return (operation) => operation
}
