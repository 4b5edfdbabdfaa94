import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Ajv2020 } from 'ajv/dist/2020'
import { failures } from '../../src/api/failures.ts'
import { createReference } from '../../src/http/reference-page.ts'
import { createDocument } from '../../src/http/reference.ts'
import { VERSION } from '../../src/api/version.ts'
import { type Browser, ORIGIN, type TestRooms, openRooms } from '../rooms.ts'
import { routes } from './operations.ts'

type Json = Record<string, unknown>

interface Described {
  operationId: string
  description: string
  security: Json[]
  parameters: { name: string; in: string; required: boolean }[]
  requestBody?: { content: Record<string, { schema: Json }> }
  responses: Record<string, { description: string; content: Record<string, { schema: Json }> }>
}

interface ApiDocument {
  openapi: string
  info: { version: string }
  servers: Json[]
  security?: Json[]
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Json>; securitySchemes: Record<string, Json> }
}

const document = createDocument(VERSION) as unknown as ApiDocument
const described = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([verb, operation]) => ({ path, verb, operation })),
)
const ajv = new Ajv2020({ strict: true, strictTypes: false, validateFormats: false })
ajv.addVocabulary(['components', 'openapi', 'info', 'servers', 'security', 'tags', 'paths'])
ajv.addSchema(document, 'api')

/** A schema of the document as a standalone schema. */
function standaloneSchema(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as Json
}

function schemaOf(path: string, verb: string, status: string): Json {
  return document.paths[path]?.[verb]?.responses[status]?.content['application/json']?.schema ?? {}
}

let service: TestRooms
let browser: Browser
beforeAll(async () => {
  service = await openRooms()
  browser = await service.signedInBrowser()
})
afterAll(() => service.close())

test('R16.1d: the document is OpenAPI 3.1, has every operation of the API once, and is public and unchanged', async () => {
  expect(document.openapi).toBe('3.1.0')
  expect(document.info.version).toBe(VERSION)
  expect(document.servers).toEqual([{ url: '/api' }])
  expect(described.map(({ path, verb }) => `${verb} ${path}`)).toHaveLength(routes.length)
  expect(new Set(described.map(({ operation }) => operation.operationId)).size).toBe(routes.length)
  const served = await service.browser().send('/api/openapi.json')
  expect(served.headers.get('content-type')).toBe('application/json')
  expect(await served.json()).toEqual(document as never)
})

test('R16.1a, R16.1: the document states what each operation needs: a session cookie, and the CSRF token for writes', () => {
  expect(Object.keys(document.components.securitySchemes)).toEqual(['session', 'csrf'])
  expect(document.components.securitySchemes['session']).toMatchObject({
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-latchkey_session',
  })
  expect(document.components.securitySchemes['csrf']).toMatchObject({
    type: 'apiKey',
    in: 'header',
    name: 'x-csrf-token',
  })
  expect(document.security).toBeUndefined()
  const needs = (id: string) =>
    described.find(({ operation }) => operation.operationId === id)?.operation.security
  expect(needs('getSession')).toEqual([{ session: [] }])
  expect(needs('logout')).toEqual([{ session: [], csrf: [] }])
  expect(needs('createGuestSession')).toEqual([])
  expect(JSON.stringify(document)).not.toMatch(/bearer/i)
})

test('every reference resolves, and every schema compiles in a validator', () => {
  const references = JSON.stringify(document).match(/"#\/[^"]+"/g) ?? []
  expect(references.length).toBeGreaterThan(20)
  for (const reference of new Set(references)) {
    const path = reference.slice(3, -1).split('/')
    const resolved = path.reduce<unknown>((value, name) => (value as Json | undefined)?.[name], document)
    expect([reference, typeof resolved]).toEqual([reference, 'object'])
  }
  const answered = described
    .flatMap(({ operation }) => Object.values(operation.responses))
    .flatMap(({ content }) =>
      Object.values(content).map(({ schema }) => JSON.stringify(standaloneSchema(schema))),
    )
  for (const schema of new Set(answered)) ajv.compile(JSON.parse(schema) as Json)
  for (const { operation } of described) {
    for (const { schema: body } of Object.values(operation.requestBody?.content ?? {}))
      expect(JSON.stringify(body)).toMatch(/additionalProperties":false|\$ref/)
  }
})

test('errors are described with every code of the list', async () => {
  const check = ajv.compile(standaloneSchema(document.components.schemas['Error'] ?? {}))
  for (const code of Object.keys(failures)) expect(check({ error: 'A sentence', code })).toBe(true)
  for (const bad of [{ error: 'x' }, { code: 'internal' }, { error: 'x', code: 'other' }, {}])
    expect(check(bad)).toBe(false)
  const answers = [
    await browser.send('/api/auth/logout', { body: { everywhere: 1 } }),
    await browser.send(`/api/sessions/${crypto.randomUUID()}`, { method: 'DELETE' }),
    await service.browser().send('/api/session'),
  ]
  for (const answer of answers) expect(check(await answer.json())).toBe(true)
})

test('every operation documents the errors of all requests and those of its own checks', () => {
  for (const { path, verb, operation } of described) {
    const statuses = Object.keys(operation.responses)
    const id = `${verb} ${path}`
    expect([id, statuses]).toEqual([id, expect.arrayContaining(['421', '429', '500', '503'])])
    expect([id, statuses]).toEqual([id, expect.arrayContaining(['413'])])
    if (operation.requestBody) expect([id, statuses]).toEqual([id, expect.arrayContaining(['400', '415'])])
    if (path.includes('{')) expect([id, statuses]).toEqual([id, expect.arrayContaining(['404'])])
    if (operation.security.length > 0) expect([id, statuses]).toEqual([id, expect.arrayContaining(['401'])])
    if (verb !== 'get') expect([id, statuses]).toEqual([id, expect.arrayContaining(['403', '415'])])
  }
})

test('R16.1b: responses about sessions match their schemas', async () => {
  const answers: [path: string, verb: string, answer: Response][] = [
    ['/session', 'get', await browser.send('/api/session')],
    ['/sessions', 'get', await browser.send('/api/sessions')],
    ['/config', 'get', await browser.send('/api/config')],
    [
      '/sessions/revoke-others',
      'post',
      await browser.send('/api/sessions/revoke-others', { method: 'POST' }),
    ],
    ['/auth/logout', 'post', await browser.send('/api/auth/logout', { body: {} })],
  ]
  for (const [path, verb, answer] of answers) {
    const check = ajv.compile(standaloneSchema(schemaOf(path, verb, '200')))
    expect([path, answer.status, check(await answer.json()), check.errors]).toEqual([path, 200, true, null])
  }
})

test('R26.1b: the reference page says "demo" in the demo and nowhere else', async () => {
  for (const demo of [true, false]) {
    const page = await createReference(demo)(new Request(`${ORIGIN}/api/docs`), '/api/docs')
    expect([demo, (await page?.text())?.includes('demo')]).toEqual([demo, demo])
  }
})

test('limits of requests are in the document: user search, room settings', () => {
  const query = document.paths['/rooms/{id}/users/search']?.['get']?.parameters.find(
    ({ name }) => name === 'q',
  )
  expect(query).toMatchObject({ schema: { minLength: 1, maxLength: 64 } })
  expect(document.components.schemas['RoomSettings']).toMatchObject({ minProperties: 1 })
})
