/**
 * The part of OpenAPI 3.1 that the document of Links uses. The generator refuses all other
 * keywords.
 */
export interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  enum?: (string | number | boolean)[]
  const?: string | number | boolean
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  propertyNames?: Schema
  additionalProperties?: boolean | Schema
  default?: unknown
  examples?: unknown[]
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minProperties?: number
  dependentRequired?: Record<string, string[]>
  /** Alternatives of required members, beside the type of the whole. */
  oneOf?: Schema[]
  not?: Schema
}

export interface Parameter {
  name: string
  in: string
  required: boolean
  description?: string
  schema: Schema
}

export interface Answer {
  description: string
  headers?: Record<string, unknown>
  content?: Record<string, { schema: Schema }>
}

export interface Described {
  operationId: string
  summary: string
  description: string
  parameters: Parameter[]
  requestBody?: { required: boolean; content: Record<string, { schema: Schema }> }
  responses: Record<string, Answer>
}

export interface Document {
  openapi: string
  info: { title: string; version: string }
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Schema> }
}

const KEYWORDS = new Set([
  '$ref',
  'type',
  'description',
  'enum',
  'const',
  'anyOf',
  'items',
  'properties',
  'required',
  'propertyNames',
  'additionalProperties',
  'default',
  'examples',
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'dependentRequired',
  'oneOf',
  'not',
])

/** Whether the schema is that of JSON values of any or several types by their names. */
export function isJsonMap({ properties, additionalProperties }: Schema): boolean {
  return (
    properties === undefined &&
    typeof additionalProperties === 'object' &&
    Object.keys(additionalProperties).every((keyword) => keyword === 'type') &&
    (additionalProperties.type === undefined || Array.isArray(additionalProperties.type))
  )
}

/** Throws for an unknown keyword: if it were ignored, the SDKs would differ from the document. */
export function refuseUnknown(schema: Schema, context: string): void {
  const unknown = Object.keys(schema).find((keyword) => !KEYWORDS.has(keyword))
  if (unknown !== undefined) throw new Error(`${context}: the SDK generator does not know "${unknown}"`)
  if (typeof schema.additionalProperties === 'object' && !isJsonMap(schema))
    throw new Error(`${context}: the SDK generator does not know maps`)
}
