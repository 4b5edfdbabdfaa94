import { createHash } from 'node:crypto'
import { groupOf, methodOf, pascal } from './names.ts'
import type { Answer, Described, Document, Schema } from './schema.ts'
import { type Alias, type Field, type Model, type Type, Types, markData } from './types.ts'

/** How a list continues: with the cursor of the previous page, or by offset. */
type Paging = { by: 'cursor'; item: Type } | { by: 'offset'; item: Type }

export interface Operation {
  id: string
  /** Name within its group. */
  name: string
  method: string
  path: string
  /** Ends with a full stop. */
  summary: string
  description: string
  params: readonly Field[]
  query: Model | undefined
  body: Model | undefined
  /** Undefined if the answer is a file. */
  result: Type | undefined
  paging: Paging | undefined
}

export interface Group {
  name: string
  operations: readonly Operation[]
}

/** The contents of an SDK, independent of any language. */
export interface Api {
  version: string
  /** Hash of the document, byte for byte as the server sends it. */
  sha256: string
  groups: readonly Group[]
  /** Models of requests, and models of answers. */
  inputs: readonly Model[]
  outputs: readonly Model[]
  /** Outputs that are parts of requests as well. */
  data: readonly Model[]
  aliases: readonly Alias[]
}

export function readApi(document: Document): Api {
  const types = new Types(document.components.schemas)
  const inputs = new Set<string>()
  const groups = new Map<string, Operation[]>()
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, described] of Object.entries(methods)) {
      if (isSecondMethod(described, methods)) continue
      const operation = readOperation({ path, method, described, types })
      namesOf(operation).forEach((name) => inputs.add(name))
      const group = groupOf(path)
      groups.set(group, [...(groups.get(group) ?? []), operation])
    }
  const models = [...types.models.values()]
  const dataNames = markData(
    models.filter((model) => inputs.has(model.name)),
    types.models,
  )
  refuseDoubles(groups)
  return {
    version: document.info.version,
    sha256: createHash('sha256').update(JSON.stringify(document)).digest('hex'),
    groups: [...groups].map(([name, operations]) => ({ name, operations })),
    inputs: models.filter((model) => inputs.has(model.name)),
    outputs: models.filter((model) => !inputs.has(model.name)),
    data: models.filter((model) => dataNames.has(model.name)),
    aliases: [...types.aliases.values()],
  }
}

function namesOf({ query, body }: Operation): string[] {
  return [query, body].flatMap((input) => (input ? [input.name] : []))
}

/**
 * True for the second method of an operation with PUT and PATCH. They are equivalent, and the SDKs
 * use the first. Throws if they differ.
 */
function isSecondMethod(described: Described, methods: Record<string, Described>): boolean {
  const first = /^(.+)_(put|patch)$/.exec(described.operationId)?.[1]
  if (first === undefined) return false
  const other = Object.values(methods).find((each) => each.operationId === first)
  const same = other && JSON.stringify({ ...other, operationId: '' })
  if (same !== JSON.stringify({ ...described, operationId: '' }))
    throw new Error(`${described.operationId} is not the same operation as ${first}`)
  return true
}

interface OperationSource {
  path: string
  method: string
  described: Described
  types: Types
}

function readOperation({ path, method, described, types }: OperationSource): Operation {
  const id = described.operationId
  const owner = pascal(id.charAt(0).toUpperCase() + id.slice(1))
  const parameters = (location: string) => described.parameters.filter((each) => each.in === location)
  const foreign = described.parameters.find(
    (each) => each.in !== 'path' && each.in !== 'query' && each.name !== 'Idempotency-Key',
  )
  if (foreign) throw new Error(`${id}: a parameter in ${foreign.in} is not known`)
  const bodySchema = described.requestBody?.content['application/json']?.schema
  if (described.requestBody && !bodySchema) throw new Error(`${id}: its body is not JSON`)
  const query = readQuery(`${owner}Query`, parameters('query'), types)
  const success = successOf(described)
  const answered = success.content?.['application/json']?.schema
  const result = answered && types.read(answered, `${owner}Result`)
  return {
    id,
    name: methodOf(id, groupOf(path)),
    method: method.toUpperCase(),
    path,
    summary: sentence(described.summary),
    description: described.description,
    params: parameters('path').map((each) => types.field(each.name, owner, each.schema, true)),
    query,
    body: bodySchema && modelOf(types.read(bodySchema, `${owner}Body`), types),
    result,
    paging: pagingOf(query, result, success, types),
  }
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}

function readQuery(name: string, parameters: Described['parameters'], types: Types): Model | undefined {
  if (parameters.length === 0) return undefined
  const properties = Object.fromEntries(
    parameters.map(({ name: each, description, schema }): [string, Schema] => [
      each,
      description === undefined ? schema : { ...schema, description },
    ]),
  )
  const required = parameters.filter((each) => each.required).map((each) => each.name)
  return modelOf(types.read({ type: 'object', properties, required }, name), types)
}

function modelOf(type: Type, types: Types): Model {
  const model = type.kind === 'model' ? types.models.get(type.name) : undefined
  if (!model) throw new Error('A body or a query is not an object')
  return model
}

/** Returns the answer of success; all success statuses share one shape. */
function successOf(described: Described): Answer {
  const good = Object.entries(described.responses).filter(([status]) => status.startsWith('2'))
  const shapes = new Set(good.map(([, answer]) => JSON.stringify(answer.content)))
  const first = good[0]?.[1]
  if (!first || shapes.size !== 1) throw new Error(`${described.operationId} has no single answer`)
  return first
}

function pagingOf(
  query: Model | undefined,
  result: Type | undefined,
  success: Answer,
  types: Types,
): Paging | undefined {
  const hasQueryField = (name: string) => query?.fields.some((field) => field.name === name) ?? false
  if (hasQueryField('cursor') && result?.kind === 'list' && success.headers?.['Link'])
    return { by: 'cursor', item: result.of }
  if (!hasQueryField('offset') || result?.kind !== 'model') return undefined
  const items = types.models.get(result.name)?.fields.find((field) => field.name === 'items')?.type
  return items?.kind === 'list' ? { by: 'offset', item: items.of } : undefined
}

function refuseDoubles(groups: ReadonlyMap<string, readonly Operation[]>): void {
  for (const [group, operations] of groups)
    for (const { name, id } of operations)
      if (operations.filter((each) => each.name === name).length > 1)
        throw new Error(`Two operations would be ${group}.${name}; one of them is ${id}`)
}
