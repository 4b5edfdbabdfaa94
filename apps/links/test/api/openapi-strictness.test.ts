import { expect, test } from 'bun:test'
import { type ErrorObject, Ajv2020 } from 'ajv/dist/2020'
import { z } from 'zod'
import { createDocument } from '../../src/http/reference.ts'
import { apiOperations } from '../../src/http/operations.ts'
import { VERSION } from '../../src/api/version.ts'
import { newSqliteUrls } from '../test-database.ts'
import { sharedTestLinks } from '../testing.ts'

type Json = Record<string, unknown>

interface Described {
  operationId: string
  parameters: { name: string; in: string; schema: Json }[]
  requestBody?: { content: { 'application/json': { schema: Json } } }
}

const document = createDocument(VERSION) as unknown as { paths: Record<string, Record<string, Described>> }
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
ajv.addSchema(document, 'api')

function compile(schema: Json) {
  return ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as Json)
}

const operations = apiOperations.flatMap((operation) =>
  operation.methods.map((method) => {
    const described = document.paths[operation.path]?.[method.toLowerCase()]
    if (!described) throw new Error(`${operation.id} is not described`)
    return { operation, method, described }
  }),
)

/** Values at which schemas differ: limits, blanks, other scripts, invisible characters, other types. */
const texts = [
  ...`
    a A 0 -1 1 01 1.5 1e3 true null $ % é 🎈 a.b a..b .a a. a_b _a -a a- a/b a,b a:80 a@b *.a.example
    go.example.org GO.Example.ORG. länk.example a.1 1.2.3.4 1.2.3.4.5 [::1] [::g] SE se XX EU ZZ SWE
    ſe UTC Europe/Stockholm Mars/Base +01:00 Etc/GMT+1 link.created link.created,link.deleted
    link.created, link.made link_created Link.created YWJj YWJj== YW/+ 0.1 0.12 1. 00.1 #abcdef
    abcdeg 12:30 24:00 ann@example.com http://a.example/ http:a http:// https:/// ftp://a.example
    http://[::1 http://u:p@a.example/ sv sv-SE sv_SE key:1 client
  `
    .trim()
    .split(/\s+/),
  '',
  ' ',
  ' a',
  'a ',
  '\n',
  'a\n',
  'a\0',
  '\u0085',
  'a\u0001b',
  'a\tb',
  'a\u200bb',
  'a\u202eb',
  '\ufeffa',
  '\u00a0a',
  'a\u3000',
  'a b',
  'YW Jj',
  'http://a b/',
  'a'.repeat(9),
  ...[10, 64, 65, 120, 128, 129, 200, 253, 254, 255, 256, 320, 321, 500, 1000, 1001, 2048, 2049, 8193].map(
    (n) => 'a'.repeat(n),
  ),
  ...[10, 64, 160, 320].map((n) => '🎈'.repeat(n)),
]
const numbers = [
  0,
  -0,
  1,
  -1,
  1.5,
  2,
  3,
  7,
  8,
  99,
  101,
  128,
  129,
  301,
  303,
  1000,
  1001,
  1e9,
  1e9 + 1,
  1e12,
  1e15,
]
const names = ['apple-app-site-association', 'assetlinks.json', 'security.txt']
const others: unknown[] = [
  null,
  true,
  false,
  [],
  {},
  [[]],
  [null],
  [{}],
  [''],
  ['a'],
  [1],
  [1, 1],
  { a: 1 },
  { toString: 1 },
  ['link.created'],
  ['link.created', 'link.created'],
  ['link.made'],
  [10 ** 15],
  ...names.flatMap((name) => [{}, [], null, 1, 'a'].map((file) => ({ [name]: file }))),
  { [names[0] ?? '']: {}, [names[1] ?? '']: [] },
]
const values = [...texts, ...numbers, ...others]

/**
 * Problems that no portable JSON Schema states: an address that cannot be parsed, the names of time
 * zones, labels of IDNA, and what depends on the values of other members.
 */
function isBeyondSchema(value: unknown, issues: readonly z.core.$ZodIssue[]): boolean {
  const text = typeof value === 'string' ? value : ''
  return issues.every(
    ({ message }) =>
      message === 'url must be a valid URL' ||
      message === 'must not contain a user name or password' ||
      (message === 'must be the name of an IANA time zone' && /^[A-Za-z][\w+/-]*$/.test(text)) ||
      (message === 'must be a URL, or an object with split' && /^https?:/.test(text)) ||
      (message === 'must be a host name' && /[^\0-\x7f]|^\[/.test(text)),
  )
}

/** Texts that the service shortens before it measures them. */
function isTrimmed(value: unknown, errors: readonly ErrorObject[] | null | undefined): boolean {
  const text = typeof value === 'string' ? value : ''
  return errors?.every(({ keyword }) => keyword === 'maxLength') === true && text.trim() !== text
}

/** Differences between what a schema accepts and what its description says. */
function differences(
  schema: z.ZodType,
  described: Json,
  candidates: readonly unknown[],
  meant = (value: unknown, _schema: Json) => value,
) {
  const validate = compile(described)
  return candidates.flatMap((value) => {
    const { error } = schema.safeParse(value)
    const isDescribed = validate(meant(value, described))
    if (isDescribed === (error === undefined)) return []
    if (error ? isBeyondSchema(value, error.issues) : isTrimmed(value, validate.errors)) return []
    return [[isDescribed ? 'looser' : 'stricter', typeof value === 'string' ? value.slice(0, 40) : value]]
  })
}

/** A query has texts, which the document describes as what they mean. */
function asDescribed(value: unknown, { type }: Json): unknown {
  return type === 'integer' && typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value
}

test('L22.1: the document accepts of each parameter what the service accepts', () => {
  const differing = operations.flatMap(({ operation, described }) =>
    described.parameters.flatMap(({ name, in: where, schema }) => {
      const field = (where === 'path' ? operation.params : operation.query)?.shape[name]
      // A cursor is only what an earlier answer gave out: see below.
      if (!field || name === 'cursor') return []
      const fieldDifferences = differences(field as z.ZodType, schema, texts, asDescribed)
      return fieldDifferences.map((difference) => [operation.id, name, ...difference])
    }),
  )
  expect(differing.map((each) => JSON.stringify(each))).toEqual([])
})

test('L22.1: the document accepts of each member of a body what the service accepts', () => {
  const differing = operations.flatMap(({ operation, described }) => {
    const schema = described.requestBody?.content['application/json'].schema
    if (!schema || !operation.body) return []
    return membersOf(operation.body, schema).flatMap(({ path, field, description }) =>
      differences(field, description, values).map((difference) => [operation.id, path, ...difference]),
    )
  })
  expect(differing.map((each) => JSON.stringify(each))).toEqual([])
})

interface Member {
  path: string
  field: z.ZodType
  description: Json
}

/** The members of a body, those of objects and lists inside included. */
function membersOf(field: z.ZodType, schema: Json, path = ''): Member[] {
  const description = resolve(schema)
  const own = path === '' ? [] : [{ path, field, description }]
  const inner = unwrap(field)
  // The items of a bulk request are parsed one by one, each as the body of one.
  if (inner instanceof z.ZodArray && inner.element instanceof z.ZodUnknown) return []
  if (inner instanceof z.ZodObject)
    return [
      ...own,
      ...Object.entries(inner.shape).flatMap(([name, each]) =>
        membersOf(each as z.ZodType, member(description, name), `${path}.${name}`),
      ),
    ]
  if (inner instanceof z.ZodArray)
    return [...own, ...membersOf(inner.element as z.ZodType, member(description, 'items'), `${path}[]`)]
  return own
}

function unwrap(field: z.ZodType): z.ZodType {
  if (field instanceof z.ZodOptional || field instanceof z.ZodNullable || field instanceof z.ZodDefault)
    return unwrap(field.unwrap() as z.ZodType)
  return field instanceof z.ZodPipe ? unwrap(field.in as z.ZodType) : field
}

/** Follows references and the alternative that is not null. */
function resolve(schema: Json): Json {
  const name = /^#\/components\/schemas\/(\w+)$/.exec(String(schema['$ref']))?.[1]
  if (name === undefined) return schema
  return (
    (document as unknown as { components: { schemas: Record<string, Json> } }).components.schemas[name] ?? {}
  )
}

function member(schema: Json, name: string): Json {
  const alternatives = [schema, ...((schema['anyOf'] ?? []) as Json[])]
  const [schemaOfMember] = alternatives.flatMap((each) => {
    const resolved = resolve(each)
    const properties = (resolved['properties'] ?? {}) as Record<string, Json>
    return [name === 'items' ? (resolved['items'] as Json | undefined) : properties[name]].filter(Boolean)
  })
  return schemaOfMember ?? {}
}

test('L22.1: the document refuses bodies whose members do not fit each other, as the service does', () => {
  const url = 'https://example.com/'
  const split = [1, 2].map((weight) => ({ url, weight }))
  const bodies: [operation: string, body: Json][] = [
    ['setBehaviour', { sticky: 'day' }],
    ['setBehaviour', { sticky: 'day', split }],
    ['setBehaviour', { before_url: url }],
    ['setBehaviour', { before_url: url, starts_at: 1 }],
    ['setBehaviour', { confirm_visit: true }],
    ['setBehaviour', { confirm_visit: true, max_clicks: 1 }],
    ['setBehaviour', { rules: [{ when: {}, to: url }] }],
    ['setBehaviour', { rules: [{ when: { country: ['se'] }, to: url }] }],
    ['setBehaviour', { rules: [{ when: { country: ['XX'] }, to: url }] }],
    ['updateLinks', { set: { label: 'a' } }],
    ['updateLinks', { ids: [1], set: { label: 'a' } }],
    ['updateLinks', { ids: [1], filter: {}, set: { label: 'a' } }],
    ['updateLinks', { filter: {}, set: { label: null } }],
    ['updateLinks', { ids: [1], set: {} }],
    ['updateLinks', { ids: [1], set: { confirm: true } }],
    ['updateLinks', { ids: [1], set: { owner: 'a', confirm: true } }],
    ['updateLinks', { ids: [1], set: { owner: ' a' } }],
    ['createPlan', { ops: [] }],
    ['createPlan', { ops: [{ operation: 'deleteLink', params: { id: 1 } }] }],
    ['createPlan', { ops: [{ operation: 'deleteLink', other: 1 }] }],
  ]
  for (const [id, body] of bodies) {
    const listed = operations.find(({ operation }) => operation.id === id)
    const schema = listed?.described.requestBody?.content['application/json'].schema ?? {}
    const isAccepted = listed?.operation.body?.safeParse(body).success
    expect([id, body, compile(schema)(body)]).toEqual([id, body, isAccepted])
  }
})

/** A handler may refuse more than its schema: a cursor of another list. */
const links = sharedTestLinks(newSqliteUrls(), { LINKS_DOMAINS: 'go.example.org' })

/** Refusals that depend on what is stored, or on another parameter. */
const BEYOND_ONE_VALUE = ['cursor_invalid', 'events_deleted', 'dark_low_contrast']

function isBeyondPattern(name: string, value: string): boolean {
  if (value.trim() !== value) return true
  if (name === 'tz') return /^[A-Za-z][\w+/-]*$/.test(value)
  return name === 'domain' && /[^\0-\x7f]|^\[/.test(value)
}

test('L22.1: a query that the document refuses is 400, and one that it accepts is not', async () => {
  const key = await links.key('ann@example.com')
  const { id } = await links.createLink(key, { slug: 'strict' })
  const { body: bundle } = await links.call('POST', '/bundles', { key, body: { name: 'Strict' } })
  const lists = operations.filter(
    ({ operation: { path }, method }) => method === 'GET' && !/\/(webhooks|plans)\//.test(path),
  )
  const parameters = lists.flatMap(({ operation, described }) => {
    const path = operation.path
      .replace('{id}', String(operation.path.startsWith('/bundles') ? bundle.id : id))
      .replace('{slug}', 'strict')
      .replace('{host}', 'go.example.org')
    const requiredQuery = operation.query && 'dimension' in operation.query.shape ? { dimension: 'os' } : {}
    return described.parameters
      .filter(({ name, in: where }) => where === 'query' && name !== 'wait')
      .map(({ name, schema }) => ({ path, requiredQuery, name, schema }))
  })
  const distinct = new Map(parameters.map((each) => [`${each.name} ${JSON.stringify(each.schema)}`, each]))
  const differing = []
  for (const { path, requiredQuery, name, schema } of distinct.values()) {
    const validate = compile(schema)
    for (const value of texts.filter((each) => each.length < 260 && !isBeyondPattern(name, each))) {
      const query = new URLSearchParams({ ...requiredQuery, [name]: value })
      const { status, headers } = await links.call('GET', `${path}?${query}`, { key })
      const isRefused = status === 400 && !BEYOND_ONE_VALUE.includes(headers.get('x-error-code') ?? '')
      const isCursor = name === 'cursor' && status === 400
      if (validate(asDescribed(value, schema)) === isRefused && !isCursor)
        differing.push([path, name, value, status])
    }
  }
  expect(differing.map((each) => JSON.stringify(each))).toEqual([])
}, 60_000)
