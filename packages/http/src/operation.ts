import type { z } from 'zod'
import type { FormFile, FormFileOptions } from './form-file.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

type Shape = z.ZodObject | undefined
type Parsed<Schema extends Shape> = Schema extends z.ZodObject ? z.output<Schema> : undefined

/** The parsed input of a handler, `undefined` where the operation takes none. */
export interface Input<
  Params extends Shape = Shape,
  Query extends Shape = Shape,
  Body extends Shape = Shape,
> {
  params: Parsed<Params>
  query: Parsed<Query>
  body: Parsed<Body>
  /** The streamed body of an upload. Throws 413, or 400 when it breaks off. */
  upload?: AsyncIterable<Uint8Array>
  /** Opens the file of a form, with `openFormFile`. */
  openFile?: (options: Pick<FormFileOptions, 'limitBytes' | 'tooLarge'>) => Promise<FormFile>
}

/** Description of a response header. */
export interface ResponseHeader {
  type: 'integer' | 'string'
  description: string
}

/** An HTTP answer for results that are not simply `200` with JSON. */
export interface Answer {
  status?: number
  headers?: Record<string, string>
  body: unknown
}

type AnswerBody = Readonly<Record<string, unknown>>

/** For answers whose parts are stored elsewhere: reduces one to what must be stored, and makes it whole again. */
export interface Repetition<Context> {
  reduce(answer: AnswerBody): AnswerBody
  complete(context: Context, stored: AnswerBody): Promise<unknown>
}

/** One operation of the product, declared once for every surface: routes, OpenAPI, MCP, clients. */
export interface Operation<
  Context,
  Params extends Shape = Shape,
  Query extends Shape = Shape,
  Body extends Shape = Shape,
  Result = unknown,
  Id extends string = string,
  Answered extends z.ZodType = z.ZodType,
> {
  /** Verb and noun in camel case; also the name of the SDK method. */
  id: Id
  methods: readonly [Method, ...Method[]]
  /** Path with OpenAPI's braces: `/links/{id}`. */
  path: string
  scope: string
  tag: string
  summary: string
  /** An invalid parameter means that no such path exists: 404. */
  params?: Params
  /** Unknown keys are ignored. */
  query?: Query
  /** Unknown fields are refused. */
  body?: Body
  /** Maximum size of the JSON body, in bytes, if it differs from that of the surface. */
  bodyLimitBytes?: number
  /** Accepts any body of at most `limitBytes` instead of a JSON object. */
  upload?: { limitBytes: number }
  /** Accepts a form with one file, in the field of this name, instead of a JSON object. */
  formField?: string
  /** Waits for another server, and so runs in no transaction of a surface. */
  isOutbound?: boolean
  /** Field of the body with the list of what the request is for: each item costs a part of a request. */
  itemsField?: string
  /** How a repeated request is answered, if not with the whole answer to the first one. */
  repetition?: Repetition<Context>
  /** Runs for longer than idle connections are stored. */
  lasting?: boolean
  result: Answered
  /** Status of success, and a second status (with its meaning) that `answer` may choose. */
  status?: number
  otherStatus?: { status: number; description: string }
  /** Media types of answers that are not JSON, with a description of each. */
  media?: Readonly<Record<string, string>>
  /** Headers of successful answers beside those that every answer has. */
  headers?: Readonly<Record<string, ResponseHeader>>
  /** Codes of the app's closed list with which the handler itself may fail. */
  failures?: readonly string[]
  handler(context: Context, input: Input<Params, Query, Body>): Promise<Result>
  answer?(result: Result, request: Request): Answer | Promise<Answer>
}

/** Any operation of an app, for tables of operations. */
// oxlint-disable-next-line typescript/no-explicit-any -- handlers take their own parsed types; only `mount` calls them, with what their schemas produced.
export type AnyOperation<Context> = Operation<Context, any, any, any, any>

/** The items that the body of an operation names. */
export function countItems({ itemsField: field }: { itemsField?: string }, body: unknown): number {
  if (field === undefined || typeof body !== 'object' || body === null || !Object.hasOwn(body, field))
    return 0
  const items = (body as Readonly<Record<string, unknown>>)[field]
  return Array.isArray(items) ? items.length : 0
}

/**
 * Returns a function that declares operations, for type inference: `const operation =
 * operationsOf<Context>()`. `charge` gets the number of items before the handler
 * runs. The operations have one of the scopes of `Scope`.
 */
export function operationsOf<Context, Scope extends string = string>(
  charge?: (context: Context, items: number) => void,
): <
  Params extends Shape = undefined,
  Query extends Shape = undefined,
  Body extends Shape = undefined,
  Result = unknown,
  const Id extends string = string,
  Answered extends z.ZodType = z.ZodType,
>(
  operation: Operation<Context, Params, Query, Body, Result, Id, Answered> & { scope: Scope },
) => Operation<Context, Params, Query, Body, Result, Id, Answered> & { scope: Scope } {
  return (operation) => {
    if (!charge || operation.itemsField === undefined) return operation
    return {
      ...operation,
      handler: async (context, input) => {
        charge(context, countItems(operation, input.body))
        return operation.handler(context, input)
      },
    }
  }
}
