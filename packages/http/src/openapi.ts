import { z } from 'zod'
import type { FailureKind } from './failure.ts'
import type { AnyOperation, ResponseHeader } from './operation.ts'

type Json = Record<string, unknown>

/** Authentication of the callers. */
export interface Access<Context> {
  /** Security schemes by name, in OpenAPI's form. */
  schemes: Readonly<Record<string, Json>>
  /** Names of all schemes that this call needs. An empty list: no authentication. */
  neededBy(operation: AnyOperation<Context>, method: string): readonly string[]
  /** One sentence that says who may call the operation. */
  sentence(operation: AnyOperation<Context>): string
  /** Codes of refusals that can happen before the operation runs. */
  failuresOf(operation: AnyOperation<Context>, method: string): readonly string[]
}

export interface DocumentOptions<Context> {
  title: string
  version: string
  description: string
  /** Base path of the operations' paths. */
  serverUrl: string
  operations: readonly AnyOperation<Context>[]
  /** The app's closed list. Every operation may also end in the failures named in `always`. */
  failures: Readonly<Record<string, FailureKind>>
  always: readonly string[]
  /** Headers of every answer, and additional headers of answers with one status. */
  headers: Headers
  headersByStatus: Readonly<Record<number, Headers>>
  /** Additional headers of all error responses. */
  errorHeaders?: Headers
  /** Header parameters of all operations of a method. */
  requestHeaders?: Readonly<Record<string, RequestHeaders>>
  /** Default: a bearer key with scopes. */
  access?: Access<Context>
  /** Properties of an error beside its sentence. */
  errorProperties?: Readonly<Record<string, { required: boolean; schema: Json }>>
  /** Maps a failure code of the transport to the app's code. */
  codeOf?: (code: string) => string
}

/** Optional headers of requests, the headers of their answers, and the failures that they cause. */
export interface RequestHeaders {
  parameters?: Readonly<Record<string, { description: string; schema: Json }>>
  answered?: Headers
  failures: readonly string[]
}

type Headers = Readonly<Record<string, ResponseHeader>>

/** Builds the OpenAPI 3.1 document of an operation table. */
export function openApiDocument<Context>(options: DocumentOptions<Context>): Json {
  const schemas: Json = {}
  const paths: Record<string, Json> = {}
  for (const operation of options.operations)
    for (const method of operation.methods) {
      const item = (paths[operation.path] ??= {})
      item[method.toLowerCase()] = describeOperation(operation, method, options, schemas)
    }
  schemas['Error'] = errorSchema(options.errorProperties ?? {})
  const { access } = options
  return {
    openapi: '3.1.0',
    info: {
      title: options.title,
      version: options.version,
      description: options.description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: options.serverUrl }],
    ...(!access && { security: [{ bearerAuth: [] }] }),
    tags: [...new Set(options.operations.map((operation) => operation.tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: access?.schemes ?? { bearerAuth: { type: 'http', scheme: 'bearer' } },
      headers: Object.fromEntries(headerComponents(options)),
      schemas,
    },
  }
}

function errorSchema(more: NonNullable<DocumentOptions<unknown>['errorProperties']>): Json {
  const added = Object.entries(more)
  return {
    type: 'object',
    required: ['error', ...added.filter(([, { required }]) => required).map(([name]) => name)],
    properties: {
      error: { type: 'string', description: 'The cause, in one stable English sentence.' },
      ...Object.fromEntries(added.map(([name, { schema }]) => [name, schema])),
    },
  }
}

function describeOperation<Context>(
  operation: AnyOperation<Context>,
  method: string,
  options: DocumentOptions<Context>,
  schemas: Json,
): Json {
  // PUT and PATCH of one operation need separate ids. Otherwise a generated client has the method
  // twice.
  const { access } = options
  const operationId =
    method === operation.methods[0] ? operation.id : `${operation.id}_${method.toLowerCase()}`
  const body = requestBody(operation, schemas)
  return {
    operationId,
    tags: [operation.tag],
    summary: operation.summary,
    description: access?.sentence(operation) ?? `Needs a key with the scope \`${operation.scope}\`.`,
    ...(access && { security: security(access.neededBy(operation, method)) }),
    parameters: [
      ...parameters('path', operation.params, schemas),
      ...parameters('query', operation.query, schemas),
      ...Object.entries(options.requestHeaders?.[method]?.parameters ?? {}).map(([name, header]) => ({
        name,
        in: 'header',
        required: false,
        ...header,
      })),
    ],
    ...(body && { requestBody: body }),
    responses: responses(operation, method, options, schemas),
  }
}

function requestBody<Context>({ body, formField }: AnyOperation<Context>, schemas: Json): Json | undefined {
  if (body)
    return { required: true, content: { 'application/json': { schema: strictSchema(body, schemas) } } }
  if (formField === undefined) return undefined
  // No type: the file has any bytes (OpenAPI 3.1, multipart content).
  const schema = {
    type: 'object',
    required: [formField],
    properties: { [formField]: { contentMediaType: 'application/octet-stream' } },
    additionalProperties: false,
  }
  return { required: true, content: { 'multipart/form-data': { schema } } }
}

/**
 * One alternative that needs all of these schemes, or none for an operation without authentication.
 */
function security(names: readonly string[]): Json[] {
  return names.length === 0 ? [] : [Object.fromEntries(names.map((name) => [name, []]))]
}

function headerComponents<Context>(options: DocumentOptions<Context>): [name: string, header: Json][] {
  const all = [
    options.headers,
    options.errorHeaders ?? {},
    ...Object.values(options.headersByStatus),
    ...Object.values(options.requestHeaders ?? {}).map(({ answered = {} }) => answered),
    ...options.operations.map((operation) => operation.headers ?? {}),
  ]
  const described = all.flatMap((headers) => Object.entries(headers))
  return described.map(([name, { type, description }]) => [name, { description, schema: { type } }])
}

function headerRefs(...groups: (Headers | undefined)[]): Json {
  const names = groups.flatMap((headers) => Object.keys(headers ?? {}))
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** The schema of a body as it is validated: unknown fields are refused. */
function strictSchema(body: z.ZodObject, schemas: Json): Json {
  const schema = jsonSchema(body, 'input', schemas)
  const name = (schema['$ref'] as string | undefined)?.replace('#/components/schemas/', '')
  const definition = name === undefined ? schema : (schemas[name] as Json)
  definition['additionalProperties'] = false
  return schema
}

function parameters(location: 'path' | 'query', schema: z.ZodObject | undefined, schemas: Json): Json[] {
  if (!schema) return []
  const object = jsonSchema(schema, 'input', schemas)
  const required = (object['required'] ?? []) as string[]
  return Object.entries((object['properties'] ?? {}) as Record<string, Json>).map(([name, property]) => {
    const { description, ...rest } = property
    return {
      name,
      in: location,
      required: location === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema: rest,
    }
  })
}

function responses<Context>(
  operation: AnyOperation<Context>,
  method: string,
  options: DocumentOptions<Context>,
  schemas: Json,
): Json {
  const content = operation.media
    ? Object.fromEntries(
        Object.entries(operation.media).map(([type, text]) => [type, { schema: mediaSchema(type, text) }]),
      )
    : { 'application/json': { schema: jsonSchema(operation.result, 'output', schemas) } }
  const sent = options.requestHeaders?.[method]
  const headers = headerRefs(options.headers, operation.headers, options.headersByStatus[200], sent?.answered)
  const result: Json = { [operation.status ?? 200]: { description: 'Success', headers, content } }
  const { otherStatus } = operation
  if (otherStatus) result[otherStatus.status] = { description: otherStatus.description, headers, content }
  const listed = failureCodes(operation, method, options).map((code) => options.codeOf?.(code) ?? code)
  for (const [status, texts] of textsByStatus(listed, options.failures))
    result[status] = {
      description: texts.join(' · '),
      headers: headerRefs(
        options.headers,
        options.errorHeaders,
        options.headersByStatus[status],
        sent?.answered,
      ),
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    }
  return result
}

function failureCodes<Context>(
  operation: AnyOperation<Context>,
  method: string,
  options: DocumentOptions<Context>,
): string[] {
  return [
    ...options.always,
    ...(options.access?.failuresOf(operation, method) ?? []),
    ...(operation.params ? ['not_found'] : []),
    ...(operation.query ? ['invalid_request'] : []),
    ...(operation.formField === undefined ? [] : ['unsupported_media_type', 'invalid_request']),
    ...(operation.body
      ? ['body_too_large', 'unsupported_media_type', 'invalid_json', 'invalid_request']
      : []),
    ...(operation.failures ?? []),
    ...(options.requestHeaders?.[method]?.failures ?? []),
  ]
}

/**
 * Marks binary media with `format: binary`, by which generated clients recognise bytes. JSON Schema
 * has no type for them.
 */
function mediaSchema(type: string, description: string): Json {
  const isBinary = /^(\*\/\*|application\/pdf|image\/(?!.*\+xml$).*)$/.test(type)
  return { type: 'string', ...(isBinary && { format: 'binary' }), description }
}

function textsByStatus(
  codes: readonly string[],
  failures: Readonly<Record<string, FailureKind>>,
): Map<number, string[]> {
  const kinds = [...new Set(codes)].map((code) => {
    const kind = failures[code]
    if (!kind) throw new TypeError(`No failure is called ${code}`)
    return kind
  })
  const grouped = Map.groupBy(kinds, (kind) => kind.status)
  return new Map([...grouped].map(([status, list]) => [status, list.map((kind) => kind.text)]))
}

/**
 * Converts a schema to JSON Schema 2020-12. Named schemas (`.meta({ id })`) move to
 * `components.schemas`.
 */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const { $schema: _, $defs, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override })
  const text = JSON.stringify({ root: rest, named: $defs ?? {} }).replaceAll(
    '"#/$defs/',
    '"#/components/schemas/',
  )
  const { root, named } = JSON.parse(text) as { root: Json; named: Record<string, Json> }
  for (const [name, { id: __, ...definition }] of Object.entries(named)) schemas[name] = definition
  if (typeof root['id'] !== 'string') return root
  const { id, ...definition } = root
  schemas[id] = definition
  return { $ref: `#/components/schemas/${id}` }
}

/**
 * Restores the examples and defaults that zod drops from transformed inputs, and removes limits and
 * patterns that only restate that a value is an integer.
 */
function override({ zodSchema, jsonSchema: json }: { zodSchema: z.core.$ZodType; jsonSchema: Json }): void {
  const examples = z.globalRegistry.get(zodSchema)?.['examples']
  if (examples !== undefined) json['examples'] = examples
  if (zodSchema instanceof z.ZodDefault) json['default'] = zodSchema.def.defaultValue
  if (json['minimum'] === Number.MIN_SAFE_INTEGER) delete json['minimum']
  if (json['maximum'] === Number.MAX_SAFE_INTEGER) delete json['maximum']
  if (json['type'] === 'integer') delete json['pattern']
}
