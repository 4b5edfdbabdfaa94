import { afterAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { Workspace } from './running.ts'

const workspace = new Workspace({
  AUTH_PROVIDER: 'oidc',
  AUTH_CLIENT_ID: 'rooms',
  OIDC_ISSUER: 'https://login.example.com',
  ALLOWED_HOSTS: 'https://rooms.example.com',
  AUTH_REQUIRE: 'groups=staff, tid=42',
  AUTH_ADMIN_CLAIM_PATH: 'roles',
  AUTH_ADMIN_CLAIM_VALUE: 'admins',
  ROOMS_GROUPS_CLAIM: 'groups',
})
afterAll(() => workspace.remove())

const explain = (text: string, ...options: string[]) =>
  workspace.run(['rooms', 'explain-claims', '-', ...options], { stdin: text })

const claims = { sub: 'bob', name: 'Bob\u001b[31m', groups: ['staff'], tid: 42, roles: { admins: {} } }

test('R38.4a: the command says what a login would do, rule by rule, and needs no database', async () => {
  const path = await workspace.write('claims.json', JSON.stringify(claims))
  const { code, out, err } = await workspace.run(['rooms', 'explain-claims', path])
  expect([code, err]).toEqual([0, ''])
  expect(out.split('\n')).toEqual([
    'May sign in as Bob[31m, not an administrator.',
    'In the groups: staff.',
    'Condition: yes. groups is ["staff"], AUTH_REQUIRE asks for staff.',
    'Condition: yes. tid is 42, AUTH_REQUIRE asks for 42.',
    'Subject: yes. sub is "bob".',
    'Name: yes. name is "Bob\\u001b[31m".',
    'Email address: no. email is not there. The provider does not send it: request its scope with AUTH_SCOPES, or add a mapper at the provider.',
    'Administrator: no. roles is {"admins": {…}}, AUTH_ADMIN_CLAIM_VALUE asks for admins. It is an object with the value as a key: let the provider send a list of these keys, or add to the path the key and what leads to a text below it.',
    'Groups: yes. groups is ["staff"].',
    '',
  ])
  expect(existsSync(workspace.path('data'))).toBe(false)
})

test('R38.4a: a person who may not sign in is exit code 1, and --json is the answer of the API', async () => {
  const token = [{ alg: 'RS256' }, { ...claims, tid: 43 }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const plain = await explain(`${token}.c2ln`)
  expect([plain.code, plain.out.split('\n').slice(0, 2)]).toEqual([
    1,
    ['The signature of the token was not checked.', 'May not sign in.'],
  ])
  const { code, out } = await explain(`${token}.c2ln`, '--json')
  expect(code).toBe(1)
  expect(JSON.parse(out)).toMatchObject({
    isToken: true,
    maySignIn: false,
    rules: [
      { rule: 'condition', holds: true },
      { path: 'tid', holds: false, problem: 'other_value' },
      {},
      {},
      {},
      {},
      { rule: 'groups', holds: true },
    ],
  })
})

test('R38.4c: an unreadable or too long file is refused', async () => {
  for (const [text, problem] of [
    ['no claims', 'The file is neither a JSON object nor a signed token\n'],
    [`{"sub":"${'x'.repeat(65_536)}"}`, 'The file has more than 65536 bytes\n'],
  ] as const) {
    const { code, out, err } = await explain(text)
    expect([code, out, err]).toEqual([1, '', problem])
  }
})
