import { expect } from 'bun:test'
import { Ajv2020 } from 'ajv/dist/2020'
import { createDocument } from '../src/http/reference.ts'

/** Headers that tell a client something about this API. */
const TELLING = /^(x-|latchkey-|ratelimit-|link$|retry-after$|www-authenticate$)/

interface Documented {
  responses: Record<string, { content: Record<string, object>; headers: Record<string, object> }>
}

interface Document {
  paths: Record<string, Record<string, Documented>>
}

const document = createDocument('0.0.0') as unknown as Document
const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
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

/** L22.1: the status of the answer is documented for its route, and its body fits the schema given there. */
export function expectDocumented(method: string, address: string, { status, headers, body }: Answer): void {
  const [asked = ''] = address.split('?')
  const route = routes.find(({ pattern }) => pattern.test(asked))
  const verb = method.toLowerCase()
  const operation = route?.item[verb]
  if (!route || !operation) return
  const what = `${method} ${route.path}: ${status}`
  const documented = Object.keys(operation.responses[status]?.headers ?? {}).map((name) => name.toLowerCase())
  const spoken = [...headers.keys()].filter((name) => TELLING.test(name))
  expect([what, spoken.filter((name) => !documented.includes(name))]).toEqual([what, []])
  const type = headers.get('content-type')?.split(';')[0] ?? ''
  const content = operation.responses[status]?.content ?? {}
  expect([what, Object.keys(content)]).toEqual([what, expect.arrayContaining([type])])
  if (type !== 'application/json') return
  const names = ['paths', route.path, verb, 'responses', String(status), 'content', type, 'schema']
  const validate = ajv.getSchema(`api#/${pointer(...names)}`)
  expect([what, validate?.(body), validate?.errors]).toEqual([what, true, null])
}
