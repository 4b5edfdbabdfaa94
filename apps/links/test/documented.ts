import { expect } from 'bun:test'
import { Ajv2020 } from 'ajv/dist/2020'
import { createDocument } from '../src/http/reference.ts'

/** Headers that carry information of this API for clients. */
const DOCUMENTED_HEADER =
  /^(x-(?!content-type-options)|latchkey-|idempotent-|ratelimit-|link$|retry-after$|www-authenticate$)/

interface DocumentedOperation {
  responses: Record<string, { content: Record<string, object>; headers: Record<string, object> }>
}

interface Document {
  paths: Record<string, Record<string, DocumentedOperation>>
}

const document = createDocument('0.0.0') as unknown as Document
// Inlined references would compile the same schemas in each of hundreds of answers.
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false, inlineRefs: false })
ajv.addSchema(document, 'api')

const routes = Object.entries(document.paths).map(([path, item]) => ({
  path,
  item,
  pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}))

function pointer(...names: string[]): string {
  return names.map((name) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
}

interface Answer {
  status: number
  headers: Headers
  body: unknown
}

/**
 * L22.1: the status of the answer is documented for its route, and its body matches the documented
 * schema.
 */
export function expectDocumented(method: string, address: string, { status, headers, body }: Answer): void {
  const [requestPath = ''] = address.split('?')
  const route = routes.find(({ pattern }) => pattern.test(requestPath))
  const verb = method.toLowerCase()
  const operation = route?.item[verb]
  if (!route || !operation) return
  const description = `${method} ${route.path}: ${status}`
  const documented = Object.keys(operation.responses[status]?.headers ?? {}).map((name) => name.toLowerCase())
  const sentHeaders = [...headers.keys()].filter((name) => DOCUMENTED_HEADER.test(name))
  expect([description, sentHeaders.filter((name) => !documented.includes(name))]).toEqual([description, []])
  const type = headers.get('content-type')?.split(';')[0] ?? ''
  const content = operation.responses[status]?.content ?? {}
  expect([description, Object.keys(content)]).toEqual([description, expect.arrayContaining([type])])
  if (type !== 'application/json') return
  const names = ['paths', route.path, verb, 'responses', String(status), 'content', type, 'schema']
  const validate = ajv.getSchema(`api#/${pointer(...names)}`)
  expect([description, validate?.(body), validate?.errors]).toEqual([description, true, null])
}
