import { beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import type { AnyOperation } from '@latchkey/http/operation'
import { Ajv2020 } from 'ajv/dist/2020'
import { z } from 'zod'
import type { Context } from '../../src/api/context.ts'
import { adminOperations, apiOperations } from '../../src/http/operations.ts'
import { sharedTestLinks } from '../testing.ts'

/**
 * JSON values of every type and some hostile ones, as text: JavaScript cannot represent all of
 * them.
 */
const values = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '1.5',
  '1e400',
  '-1e400',
  '9007199254740993',
  '253402300800',
  `1${'0'.repeat(400)}`,
  '""',
  '" "',
  '"x"',
  '"true"',
  '"null"',
  `"${'x'.repeat(3000)}"`,
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udfff\\ud800"',
  '"\\u0001\\u001b[31m"',
  '"\\uffff\\ufffe"',
  '"\u202e\u200b\ufeff"',
  '"<script>alert(1)</script>"',
  `"' or 1=1; drop table link; --"`,
  '"javascript:alert(1)"',
  '"https://example.com/a\\r\\nSet-Cookie: x=1"',
  '[]',
  '["x"]',
  '{}',
  '{"toString":1}',
  '['.repeat(5000) + ']'.repeat(5000),
]

/** The other fields that each body requires before the tested field is checked. */
const rest: Record<string, Record<string, unknown>> = {
  createLink: { url: 'https://example.com/values', allow_duplicate: true },
  addSlug: { slug: 'values' },
  addSlugToLink: { link_id: 1, slug: 'values' },
  choosePrimarySlug: { slug: 'values' },
  createKey: { title: 'values', scope: 'read' },
  createDomainLink: { url: 'https://example.com/values', allow_duplicate: true },
  createBundle: { name: 'values' },
  createWebhook: { url: 'https://receiver.example/hook' },
  replayWebhook: { from: 1 },
  setDefaults: { domain: null, bundle: null, expires_in: null, forward_query: null },
  createUtmTemplate: { name: 'values' },
  updateUtmTemplate: { name: 'values' },
  saveQrPreset: { name: 'values', style: { size: 300, margin: 4 } },
  addLinkToBundle: { link_id: 1 },
  createLinks: { items: [{ url: 'https://example.com/values' }] },
  updateLinks: { ids: [1], set: { disabled: true } },
  restoreLink: { change_id: 1 },
  createPlan: { ops: [{ operation: 'createBundle', body: { name: 'values' } }] },
  undoChanges: { since: 253_402_300_000 },
  transferLink: { owner: 'ann@example.com' },
  transferBundle: { owner: 'ann@example.com' },
}

/** Values that PostgreSQL would refuse or change if they reached it. */
const engineValues = values.filter((value) => /\\u0000|\\ud800|\d{12}|e400|\.5/.test(value))

const ajv = new Ajv2020({ strict: false, validateFormats: false })

/** Checks whether the published schema of this field allows a value. */
function schemaCheckOf(operation: AnyOperation<Context>, field: string): (value: string) => boolean {
  const {
    $schema: _,
    items,
    ...schema
  } = z.toJSONSchema(operation.body.shape[field], {
    io: 'input',
    unrepresentable: 'any',
  })
  // Items of the type of another component are refused one by one, in a successful answer.
  const isJudgedAlone = items !== undefined && '$ref' in (items as object)
  const validate = ajv.compile(isJudgedAlone ? schema : { ...schema, ...(items !== undefined && { items }) })
  return (value) => validate(JSON.parse(value))
}

eachDialect((dialect, newUrl, testOnSqlite) => {
  const links = sharedTestLinks(newUrl)
  let ann: string
  let id: number
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
    id = (await links.createLink(ann, { slug: 'target' })).id
  })
  const headersOf = (type = 'application/json') => ({
    ...(ann && { Authorization: `Bearer ${ann}` }),
    ...(type && { 'Content-Type': type }),
  })

  test('every field of every operation accepts any JSON value without a fault and refuses values outside its schema', async () => {
    const surfaces = [
      { prefix: '/_/api', operations: apiOperations },
      { prefix: '/_/admin/api', operations: adminOperations },
    ]
    const fields = surfaces.flatMap(({ prefix, operations }) =>
      operations.flatMap((operation) =>
        Object.keys(operation.body?.shape ?? {}).map((field) => ({ prefix, operation, field })),
      ),
    )
    for (const { prefix, operation, field } of fields) {
      const allows = schemaCheckOf(operation, field)
      const path =
        prefix +
        operation.path
          .replaceAll('{id}', String(id))
          .replaceAll('{slug}', 'target')
          .replaceAll('{host}', 'localhost')
          .replaceAll('{assistant}', 'local')
      const others = Object.entries(rest[operation.id] ?? {}).filter(([name]) => name !== field)
      const before = others.map(([name, other]) => `"${name}":${JSON.stringify(other)},`).join('')
      const type = { 'Content-Type': 'application/json' }
      const headers = prefix === '/_/api' ? headersOf() : type
      for (const value of dialect === 'sqlite' ? values : engineValues) {
        const body = `{${before}"${field}":${value}}`
        const response = await links.fetch(path, { method: operation.methods[0], headers, body })
        const { error = '' } = (await response.json()) as { error?: string }
        const what = `${operation.id}.${field} = ${value.slice(0, 40)}: ${response.status} ${error}`
        expect([what, response.status < 500]).toEqual([what, true])
        if (!allows(value)) expect([what, response.status]).toEqual([what, 400])
        const word = field.replace('custom_slug', 'slug').replace('_id', '').replaceAll('_', '[_ ]')
        if (response.status === 400) expect(error).toMatch(new RegExp(word, 'i'))
      }
    }
  })

  test('every query parameter of every operation accepts any text without a fault and is named in its refusal', async () => {
    const engineTexts = ['\0', 'a\0b', '\ud800', '1.5', '9'.repeat(30)]
    const otherTexts = ['', ' ', '-1', '0', '1e9', 'NaN', '🎈', '%', "' or 1=1 --", 'x'.repeat(4000)]
    const texts = dialect === 'sqlite' ? [...engineTexts, ...otherTexts] : engineTexts
    const api = (path: string) => links.call('GET', path, { key: ann })
    const admin = (path: string) => links.callAdmin('GET', path)
    const parameters = [
      { ask: api, operations: apiOperations },
      { ask: admin, operations: adminOperations },
    ].flatMap(({ ask, operations }) =>
      operations
        .filter((operation) => operation.methods[0] === 'GET')
        .flatMap(({ path, query }) => Object.keys(query?.shape ?? {}).map((name) => ({ ask, path, name }))),
    )
    for (const { ask, path, name } of parameters)
      for (const text of texts) {
        const address = path
          .replace('{id}', String(id))
          .replace('{slug}', 'target')
          .replace('{host}', 'localhost')
          .replace('{assistant}', 'local')
        const dimension = path.startsWith('/analytics/') ? 'country' : 'countries'
        const required = {
          ...(path.includes('/breakdown') && { dimension }),
          ...(path === '/slug-check' && { slug: 'target' }),
        }
        const query = new URLSearchParams({ ...required, [name]: text })
        const { status, body } = await ask(`${address}?${query}`)
        const what = `${path}?${name}=${text.slice(0, 20)}: ${status} ${body?.error ?? ''}`
        // Only administrators read the changes of others.
        const isOthers = path === '/changes' && name === 'identity' && status === 403
        expect([what, isOthers || [200, 400, 404].includes(status)]).toEqual([what, true])
        if (status === 400 && name !== 'slug') expect(body.error).toContain(name)
      }
  })

  test('a query with broken percent-encoding or bytes that are not UTF-8 causes no fault', async () => {
    for (const query of [
      'search=%',
      'search=%zz',
      'search=%ff%fe',
      'owner=%00',
      'search=%c0%80',
      '%00=1',
      '=',
      '&&&',
      '?'.repeat(2000),
      'a&'.repeat(4000),
      'limit[]=5',
      'limit=1&limit=x',
    ]) {
      const { status } = await links.call('GET', `/links?${query}`, { key: ann })
      expect([query, status < 500]).toEqual([query, true])
    }
  })

  test('unusual Unicode is stored and returned unchanged', async () => {
    const odd = [
      '\u0001\u001b[31m',
      '\uffff\ufffe\u{10ffff}',
      'e\u0301',
      '👩‍👩‍👧',
      '\u0085x',
      'a\nb',
      "'; --",
      '\\',
    ]
    for (const label of odd) expect((await links.createLink(ann, { label })).label).toBe(label)
    await links.expectRefusal(
      'POST',
      '/links',
      { key: ann, body: { url: 'https://e.com', label: 'a\u0000' } },
      [400, 'label: must be well-formed Unicode without NUL'],
    )
  })

  testOnSqlite(
    'hosts in any script redirect to their ASCII form, and invalid hosts are refused',
    async () => {
      const hosts = {
        'пример.рф': 'xn--e1afmkfd.xn--p1ai',
        '🎈.example': 'xn--ck8h.example',
        'bücher.example': 'xn--bcher-kva.example',
        '１２７.0.0.1': '127.0.0.1',
        '0x7f.1': '127.0.0.1',
        '[::1]': '[::1]',
        'a_b.example': 'a_b.example',
      }
      for (const [host, ascii] of Object.entries(hosts)) {
        const { url, slugs } = await links.createLink(ann, { url: `https://${host}/x` })
        const visit = await links.fetch(`/${slugs[0].slug}`)
        expect([url, visit.headers.get('location')]).toEqual([`https://${host}/x`, `https://${ascii}/x`])
      }
      for (const host of [
        'a b',
        'a<b',
        '[::1',
        '1.2.3.4.5.6',
        '256.1.1.1',
        'a%00b',
        '\u00ad',
        'xn--\u{10ffff}',
        '%zz',
      ])
        await links.expectRefusal('POST', '/links', { key: ann, body: { url: `https://${host}/` } }, [
          400,
          'url must be a valid URL',
        ])
    },
  )

  testOnSqlite('a path of 8 KB or with broken percent-encoding is not found anywhere', async () => {
    const odd = [
      'x'.repeat(8192),
      '%'.repeat(3000),
      '%zz',
      '%ff',
      '%00',
      '%2e%2e',
      '%c0%ae',
      'a%0d%0ab',
      '%5f',
      '%252e',
      '..;',
      '\\',
      '%f0%9f%8e%88',
    ]
    for (const segment of odd) {
      await links.expectRefusal('GET', `/links/${segment}`, { key: ann }, [404, 'Not Found'])
      await links.expectRefusal('GET', `/slugs/${segment}`, { key: ann }, [404, 'Not Found'])
      for (const path of [`/${segment}`, `/_/${segment}`, `/target/${segment}`]) {
        const visit = await links.fetch(path)
        expect([path, visit.status < 500]).toEqual([path, true])
        expect([path, visit.headers.has('set-cookie')]).toEqual([path, false])
      }
    }
  })
})
