import { transportFailure } from '@latchkey/http/failure'
import type { AnyOperation, Input, Operation } from '@latchkey/http/operation'
import { parseBody, parseOrFail } from '@latchkey/http/validation'
import type { z } from 'zod'
import type { Context } from './context.ts'
import { literalTexts } from './failures.ts'

type Schema = z.ZodObject | undefined

/** Input of a path or query. Both consist of text, which a number is converted to. */
type TextInput<Of extends Schema> = Of extends z.ZodObject
  ? {
      [Name in keyof z.input<Of>]:
        | z.input<Of>[Name]
        | Extract<z.output<Of>[Name & keyof z.output<Of>], number>
    }
  : never
type BodyInput<Of extends Schema> = Of extends z.ZodObject ? z.input<Of> : never

/** A part of the input, optional if all of its fields are. */
type Part<Name extends string, Fields> = [Fields] extends [never]
  ? unknown
  : object extends Fields
    ? { [Key in Name]?: Fields }
    : { [Key in Name]: Fields }

/** Input whose types are not known. */
interface OperationInput {
  params?: object | undefined
  query?: object | undefined
  body?: object | undefined
}

/** Performs an operation of the API, with its schemas and its rules. */
export function perform<Params extends Schema, Query extends Schema, Body extends Schema, Result>(
  context: Context,
  operation: Operation<Context, Params, Query, Body, Result>,
  input: Part<'params', TextInput<Params>> & Part<'query', TextInput<Query>> & Part<'body', BodyInput<Body>>,
): Promise<Result> {
  return performOperation(context, operation, input as OperationInput) as Promise<Result>
}

/** `perform` for an operation whose types are not known. */
async function performOperation(
  context: Context,
  operation: AnyOperation<Context>,
  input: OperationInput,
): Promise<unknown> {
  return operation.handler(context, parseInput(operation, input))
}

/** Throws if the input is not valid. */
export function parseInput(operation: AnyOperation<Context>, input: OperationInput): Input {
  const params = operation.params?.safeParse(toStrings(input.params))
  // As in the API, a path with invalid parameters does not exist.
  if (params && !params.success) throw transportFailure('not_found')
  return {
    params: params?.data,
    query: operation.query && parseOrFail(operation.query, toStrings(input.query), literalTexts),
    body: operation.body && parseBody(operation.body, input.body ?? {}, literalTexts),
  }
}

/** Schemas refuse what is neither a text nor a number. */
function toStrings(values: object = {}): Record<string, unknown> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'object' ? value : String(value)]),
  )
}
