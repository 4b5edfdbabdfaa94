import { expect, test } from 'bun:test'
import { readSettings } from '../settings/settings.ts'
import {
  CLAIM_PROBLEMS,
  type ClaimProblem,
  type ClaimRule,
  explainClaims,
  readClaimsText,
} from './explain-claims.ts'
import { describePerson } from './identity.ts'
import { LoginFailure } from './provider.ts'
import type { JsonObject } from './strict-jws.ts'

const ISSUER = 'https://login.example.com'

function configOf(env: Record<string, string> = {}) {
  const common = { AUTH_CLIENT_ID: 'rooms', ALLOWED_HOSTS: 'https://rooms.example.com' }
  return readSettings({ AUTH_PROVIDER: 'oidc', OIDC_ISSUER: ISSUER, ...common, ...env }).provider
}

const groups = { AUTH_REQUIRE: 'groups=staff' }
const inGroups = { ROOMS_GROUPS_CLAIM: 'groups' }
const teams = { AUTH_PROVIDER: 'teamidp', TEAMIDP_ISSUER: ISSUER }
const domain = { AUTH_REQUIRE: 'email_domain=example.com' }
const email = 'bob@example.com'

const CASES: readonly [ClaimRule, ClaimProblem | null, JsonObject, Record<string, string>?][] = [
  ['token', null, { iss: ISSUER, aud: ['rooms'] }],
  ['token', null, { aud: ['rooms', 'p1'], azp: 'rooms' }, { AUTH_AUDIENCES: 'p1' }],
  ['token', 'other_issuer', { iss: `${ISSUER}/`, aud: 'rooms' }],
  ['token', 'other_client', { iss: ISSUER, aud: 'links' }],
  ['token', 'further_audience', { aud: ['rooms', 'p1'], azp: 'rooms' }],
  ['token', 'other_party', { aud: ['rooms', 'p1'] }, { AUTH_AUDIENCES: 'p1' }],
  ['condition', 'unset', {}],
  ['condition', null, { groups: ['dev', 'staff'] }, groups],
  ['condition', 'missing', {}, groups],
  ['condition', 'missing', { groups: null }, groups],
  ['condition', 'other_value', { groups: ['dev'] }, groups],
  ['condition', 'other_value', { groups: [] }, groups],
  ['condition', 'other_spelling', { groups: ['Staff'] }, groups],
  ['condition', 'several_in_text', { groups: 'dev,staff' }, groups],
  ['condition', 'object_list', { groups: [{ name: 'staff' }] }, groups],
  ['condition', 'keyed_object', { groups: { staff: { 1: 'x' } } }, groups],
  ['condition', 'object', { groups: { dev: {} } }, groups],
  ['condition', 'elsewhere', { _claim_names: { groups: 'src1' } }, groups],
  ['condition', null, { email, email_verified: true }, domain],
  ['condition', 'missing', {}, domain],
  ['condition', 'unverified', { email }, domain],
  ['condition', 'not_boolean', { email, email_verified: 'true' }, domain],
  ['condition', 'other_value', { email: 'bob@other.example', email_verified: true }, domain],
  ['subject', null, { sub: 7 }],
  ['subject', 'missing', {}],
  ['subject', 'unusable', { sub: 1.5 }],
  ['name', null, { preferred_username: 'bob' }],
  ['name', 'missing', {}],
  ['name', 'unusable', { nickname: ' \u200b ' }],
  ['email', null, { email }],
  ['email', 'missing', {}],
  ['email', 'unusable', { email: [email] }],
  ['admin', 'unset', {}],
  ['admin', null, { level: 3 }, { AUTH_ADMIN_CLAIM_PATH: 'level', AUTH_ADMIN_CLAIM_VALUE: '3' }],
  ['admin', 'other_value', { level: 4 }, { AUTH_ADMIN_CLAIM_PATH: 'level', AUTH_ADMIN_CLAIM_VALUE: '3' }],
  ['teams', null, { teams: [{ id: 'harbour', role: 'owner' }] }, teams],
  ['teams', null, { teams: { harbour: { id: 'harbour', role: ['member', 'owner'] } } }, teams],
  ['teams', 'missing', {}, teams],
  ['teams', 'no_list', { teams: 'harbour' }, teams],
  ['teams', 'plain_list', { teams: ['harbour'] }, teams],
  ['teams', 'no_owner', { teams: { harbour: { id: 'harbour', role: 'member' } } }, teams],
  ['groups', 'unset', {}],
  ['groups', null, { groups: ['staff', 7] }, inGroups],
  ['groups', null, { groups: 'cn=staff,ou=all' }, inGroups],
  ['groups', 'missing', {}, inGroups],
  ['groups', 'no_group', { groups: [] }, inGroups],
  ['groups', 'no_group', { groups: true }, inGroups],
  ['groups', 'several_in_text', { groups: 'dev,staff' }, inGroups],
  ['groups', 'object', { groups: { staff: {} } }, inGroups],
  ['groups', 'object_list', { groups: [{ name: 'staff' }] }, inGroups],
  ['groups', 'elsewhere', { _claim_names: { groups: 'src1' } }, inGroups],
]

test('R38.4a: each rule says whether it holds, and each problem is named', () => {
  for (const [rule, problem, claims, env] of CASES) {
    const results = explainClaims(claims, configOf(env)).rules.filter((each) => each.rule === rule)
    expect([rule, claims, results.map((each) => each.problem)]).toEqual([rule, claims, [problem]])
    expect([claims, results[0]?.holds]).toEqual([
      claims,
      problem === null || (rule === 'condition' && problem === 'unset'),
    ])
  }
  const named = CASES.map(([, problem]) => problem).filter((problem) => problem !== null)
  expect([...new Set(named)].toSorted()).toEqual(CLAIM_PROBLEMS.toSorted())
})

test('R38.4b: a login with the same claims does what was explained', () => {
  const people = CASES.flatMap(([, , claims]) => [claims, { ...claims, sub: 'bob', name: 'Bob Berg' }])
  let admitted = 0
  for (const config of CASES.map(([, , , env]) => configOf(env)))
    for (const claims of people) {
      // The parties are not read by `describePerson`.
      const { iss: _, aud: _aud, azp: _azp, ...own } = claims
      const { maySignIn, rules: _rules, ...explained } = explainClaims(own, config)
      const person = signIn(own, config)
      expect([own, maySignIn]).toEqual([own, person !== null])
      if (person === null) continue
      admitted += 1
      expect([own, { ...person, issuer: undefined }]).toEqual([
        own,
        { ...explained, access: null, issuer: undefined },
      ])
    }
  expect(admitted).toBeGreaterThan(500)
})

function signIn(claims: JsonObject, config: ReturnType<typeof configOf>) {
  try {
    return describePerson([claims], config)
  } catch (error) {
    if (error instanceof LoginFailure) return null
    throw error
  }
}

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

test('R38.4a: claims are read from a JSON object or a token, and nothing else', () => {
  const token = `${part({ alg: 'none' })}.${part({ sub: 'bob' })}.c2ln`
  expect(readClaimsText(`\ufeff {"sub": "bob"}\n`)).toEqual({ claims: { sub: 'bob' }, isToken: false })
  expect(readClaimsText(`\n${token} `)).toEqual({ claims: { sub: 'bob' }, isToken: true })
  for (const [text, fault] of [
    ['', 'is neither a JSON object nor a signed token'],
    ['[]', 'is neither a JSON object nor a signed token'],
    ['a.b.c', 'is neither a JSON object nor a signed token'],
    [`${part([])}.${part({})}.c2ln`, 'is neither a JSON object nor a signed token'],
    ['{"sub":"bob","sub":"eve"}', 'is not a JSON object, or has a member twice'],
    [`{"a":${'['.repeat(30_000)}`, 'is not a JSON object, or has a member twice'],
    [`${part({ enc: 'A256GCM' })}.a.b.c.d`, 'is an encrypted token, which Rooms does not read'],
  ] as const)
    expect([text, readClaimsText(text)]).toEqual([text, { fault }])
})

test('R38.4a: a claim is quoted in a few words, however large or deep it is', () => {
  const deep = JSON.parse(`${'['.repeat(5_000)}1${']'.repeat(5_000)}`) as unknown
  for (const [claim, quote] of [
    [deep, '[[…]]'],
    [{ harbour: { id: 1 }, pier: 'x' }, '{"harbour": {…}, "pier": "x"}'],
    ['é'.repeat(500), `"${'é'.repeat(199)}…`],
    [Array.from({ length: 5_000 }, () => '😀'), /^\["😀", .*…$/u],
    [null, 'null'],
  ] as const) {
    const { rules } = explainClaims({ groups: claim }, configOf(groups))
    if (quote instanceof RegExp) expect(rules[0]?.claim).toMatch(quote)
    else expect(rules[0]?.claim).toBe(quote)
  }
})

test('R38.4a, R50.4a: conditions of the access layer are explained, and do not decide about a sign-in', () => {
  const config = configOf({
    ROOMS_ACCESS_FOR: 'https://go.example.com',
    ROOMS_ACCESS_REQUIRE: 'groups=staff',
  })
  const explain = (list: string[]) => explainClaims({ sub: 'ann', name: 'Ann', groups: list }, config)
  const { maySignIn, rules } = explain(['board'])
  expect(maySignIn).toBe(true)
  expect(rules.filter(({ rule }) => rule === 'access')).toEqual([
    {
      rule: 'access',
      setting: 'ROOMS_ACCESS_REQUIRE',
      path: 'groups',
      expected: ['staff'],
      claim: '["board"]',
      holds: false,
      problem: 'other_value',
    },
  ])
  expect(explain(['staff']).rules.at(-1)).toMatchObject({ rule: 'access', holds: true, problem: null })
})
