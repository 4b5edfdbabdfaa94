import { beforeEach, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import type { AnyOperation } from '@latchkey/http/operation'
import type { z } from 'zod'
import type { Context } from '../../src/api/context.ts'
import { adminOperations, apiOperations } from '../../src/http/operations.ts'
import { tools } from '../../src/mcp/tools.ts'
import { plannableOperations } from '../../src/plans/plannable.ts'
import { currentMessage, post, settings } from '../mcp/assistants.ts'
import { sharedTestLinks } from '../testing.ts'

const DEEP: unknown = JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`)
const WITH_PROTO: unknown = JSON.parse('{"__proto__":{"id":1}}')

const VALUES: readonly unknown[] = [
  null,
  true,
  -1,
  1.5,
  1e308,
  2 ** 53,
  '',
  'x'.repeat(3_000),
  '\0',
  'a\ud800b',
  '[object Object]',
  [],
  [null],
  [[[]]],
  {},
  { toString: 0 },
  [{ toString: 0, valueOf: 0 }],
  { $op: { toString: 0 } },
  { $op: '__proto__' },
  { $op: -1 },
  { constructor: { prototype: {} } },
  { length: 1e9 },
  DEEP,
  { if: DEEP },
  WITH_PROTO,
]

/** Values that PostgreSQL would refuse or change if they reached it. */
const ENGINE_VALUES: readonly unknown[] = [1.5, 1e308, 2 ** 53, '\0', 'a\ud800b']

const TEXTS = [
  '',
  '%00',
  '%ff',
  '__proto__',
  'constructor',
  'toString',
  '1e3',
  '-1',
  '9'.repeat(40),
  '%ED%A0%80',
]

const fieldsOf = (schema: z.ZodType | undefined) =>
  Object.keys((schema as z.ZodObject | undefined)?.shape ?? {})

/** Operations that the public API does not have. Following changes never ends. */
const ownAdminOperations = adminOperations.filter(
  ({ id }) => id !== 'followChanges' && !apiOperations.some((each) => each.id === id),
)

/** The rest of the input of an operation that its body can have beside a hostile field. */
const PLAIN: Readonly<Record<string, unknown>> = {
  url: 'https://example.com/hostile',
  name: 'Hostile',
  items: [{ url: 'https://example.com/hostile' }],
  set: { label: 'Hostile' },
  owner: 'ben@example.com',
  since: 0,
}

function bodiesOf({ body }: AnyOperation<Context>, values: readonly unknown[]): object[] {
  if (!body) return []
  const fields = fieldsOf(body as z.ZodType | undefined)
  const plain = Object.fromEntries(fields.flatMap((name) => (name in PLAIN ? [[name, PLAIN[name]]] : [])))
  return [
    ...fields.flatMap((name) => values.map((value) => ({ ...plain, [name]: value }))),
    ...[WITH_PROTO, DEEP, { constructor: 1 }].map((value) => value as object),
  ]
}

eachDialect((dialect, newUrl, testOnSqlite) => {
  const values = dialect === 'sqlite' ? VALUES : ENGINE_VALUES
  const links = sharedTestLinks(newUrl, { ...settings, LINKS_ADMINS: 'ann@example.com' })
  let key: string
  let linkId: number
  beforeEach(async () => {
    key = await links.key('ann@example.com')
    linkId = (await links.createLink(key)).id
  })

  const pathOf = (path: string, value: string | number) => path.replaceAll(/\{\w+\}/g, String(value))

  /** The statuses of failures of the service, with what was sent. */
  async function send(base: string, method: string, path: string, body?: object): Promise<string[]> {
    const response = await links.fetch(`${base}${path}`, {
      method,
      headers: {
        ...(base === '/_/api'
          ? { Authorization: `Bearer ${key}` }
          : { 'X-Forwarded-Email': 'ann@example.com' }),
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return response.status < 500
      ? []
      : [`${method} ${path} ${JSON.stringify(body)?.slice(0, 200)}: ${response.status} ${text.slice(0, 200)}`]
  }

  for (const [base, operations] of [
    ['/_/api', apiOperations],
    ['/_/admin/api', ownAdminOperations],
  ] as const) {
    test(`L3.3: no value at any place of a body of ${base} is a failure of the service`, async () => {
      const failures: string[] = []
      for (const operation of operations)
        for (const body of bodiesOf(operation, values))
          failures.push(...(await send(base, operation.methods[0], pathOf(operation.path, linkId), body)))
      expect(failures).toEqual([])
    })

    test(`L3.3: no text in a path or query of ${base} is a failure of the service`, async () => {
      const failures: string[] = []
      const addressesOf = ({ path, query }: AnyOperation<Context>, text: string) => {
        const names = fieldsOf(query as z.ZodType | undefined).filter((name) => name !== 'wait')
        return [
          ...(path.includes('{') ? [pathOf(path, text)] : []),
          ...[...names, '__proto__'].map((name) => `${pathOf(path, linkId)}?${name}=${text}`),
        ]
      }
      for (const operation of operations)
        for (const address of TEXTS.flatMap((text) => addressesOf(operation, text)))
          failures.push(...(await send(base, operation.methods[0], address, operation.body ? {} : undefined)))
      expect(failures).toEqual([])
    })
  }

  test('L29.3: no value at any place of an operation of a plan is a failure of the service', async () => {
    const failures: string[] = []
    const plan = async (op: object) =>
      void failures.push(...(await send('/_/api', 'POST', '/plans', { ops: [op] })))
    for (const operation of plannableOperations.values()) {
      const params = { id: linkId, slug: 'hostile' }
      for (const body of bodiesOf(operation, values)) await plan({ operation: operation.id, params, body })
      for (const value of values) {
        await plan({ operation: operation.id, params: { id: value, slug: value } })
        await plan({ operation: operation.id, params, query: { force: value, domain: value } })
        await plan({ operation: operation.id, params: value })
      }
    }
    await links.database.write((tx) => tx.deleteFrom('plan').execute())
    expect(failures).toEqual([])
  })

  testOnSqlite('L29.3: names `__proto__` in a plan, and refuses what is nested too deeply', async () => {
    const refuse = (op: object, error: string) =>
      links.expectRefusal('POST', '/plans', { key, body: { ops: [op] } }, [400, error])
    const operation = 'createLink'
    await refuse({ operation, body: WITH_PROTO }, 'Unknown field "ops.0.body.__proto__"')
    await refuse({ operation, query: WITH_PROTO }, 'Unknown field "ops.0.query.__proto__"')
    await refuse({ operation, body: { url: DEEP } }, 'ops: is nested too deeply')
    await refuse({ operation, body: { constructor: 1 } }, 'ops[0]: Unknown field "constructor"')
  })

  test('L19: no argument of a tool is a failure of the service, and `__proto__` is named', async () => {
    const failures: string[] = []
    const callTool = async (name: string, args: unknown) => {
      const response = await post(links, currentMessage('tools/call', { name, arguments: args }), {
        Authorization: `Bearer ${key}`,
        'Mcp-Method': 'tools/call',
        'Mcp-Name': name,
      })
      return { status: response.status, text: await response.text() }
    }
    const calls = [...tools.values()].flatMap(({ name, input }) =>
      fieldsOf(input).flatMap((field) => values.map((value) => ({ name, args: { [field]: value } }))),
    )
    for (const { name, args } of calls) {
      const { status, text } = await callTool(name, args)
      if (status >= 500 || text.includes('Internal')) failures.push(`${name} ${text.slice(0, 200)}`)
    }
    expect(failures).toEqual([])
    const named = await callTool('create_link', WITH_PROTO)
    expect([named.status, named.text.includes('__proto__')]).toEqual([400, true])
  })
})
