import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { OAuth2Config, OidcConfig } from '../../src/identity/provider-config.ts'
import { type Json, type Person, claimPath, conditions } from './hostile.ts'
import { type ProviderBench, openProviderBench, failureOf, login } from './provider.ts'

let at: ProviderBench
beforeAll(async () => {
  at = await openProviderBench()
})
afterEach(() => at.idp.reset())
afterAll(() => at.stop())

const ADMIN = 'platform:admin'
const signIn = (person: Person, config: OidcConfig | OAuth2Config = at.idp.config()) =>
  login(at, at.provider(config), { sub: 'alice', name: 'Alice', ...person })
const oauth2 = (claims: Json | string, config: Partial<OAuth2Config> = {}) => {
  at.idp.answer('userinfo', () => new Response(typeof claims === 'string' ? claims : JSON.stringify(claims)))
  return login(at, at.provider(at.idp.oauth2Config(config)))
}

describe('the subject', () => {
  test('R7.7 C80 R28.15: a string is used unchanged, and a safe integer in decimal', async () => {
    for (const [input, subject] of [
      ['"alice"', 'alice'],
      ['" Alice "', ' Alice '],
      ['"0"', '0'],
      ['0', '0'],
      ['42', '42'],
      ['-7', '-7'],
      ['9007199254740991', '9007199254740991'],
      ['1e3', '1000'],
      ['42.0', '42'],
      [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
      ['"12345678901234567890"', '12345678901234567890'],
    ] as const)
      expect(await oauth2(`{"sub":${input},"name":"Alice"}`)).toMatchObject({ subject })
  })

  test('C80: any other value identifies no user', async () => {
    for (const input of [
      'false',
      'true',
      '""',
      'null',
      '1.5',
      '9007199254740992',
      '12345678901234567890',
      '1e400',
      '{}',
      '["alice"]',
      `"${'x'.repeat(256)}"`,
      '"a\\u0000b"',
      '"a\\ud800"',
    ])
      expect([input, await failureOf(oauth2(`{"sub":${input},"name":"Alice"}`))]).toEqual([
        input,
        'identity_incomplete: subject missing or malformed',
      ])
    expect(await failureOf(oauth2({ name: 'Alice' }))).toBe(
      'identity_incomplete: subject missing or malformed',
    )
  })

  test('C80: another subject path in oidc mode selects the account, while logout tokens still name the sub', async () => {
    const config = at.idp.config({ subjectPath: claimPath('employee.id') })
    expect(await signIn({ employee: { id: 4711 } }, config)).toMatchObject({ subject: '4711', sub: 'alice' })
    expect(await failureOf(signIn({}, config))).toBe('identity_incomplete: subject missing or malformed')
  })

  test('R8.1: in oauth2 mode accounts are keyed by the origin of the user-info endpoint, whatever other endpoints the server has', () => {
    const config = {
      ...at.idp.oauth2Config(),
      authorizationEndpoint: 'https://login.example.com/authorize',
      tokenEndpoint: 'https://token.example.com/token',
      userinfoEndpoint: 'https://API.example.com:8443/v1/me?fields=all',
    }
    expect(at.provider(config).issuer).toBe('oauth2:https://api.example.com:8443')
    const moved = { ...config, userinfoEndpoint: 'https://api.example.com/v1/me' }
    expect(at.provider(moved).issuer).toBe('oauth2:https://api.example.com')
    // A login that was started with one cannot be completed with the other.
    expect(at.provider(moved).fingerprint).not.toBe(at.provider(config).fingerprint)
  })
})

describe('the name', () => {
  test('R7.7 C81: a missing, blank or invisible name at the configured path ends the login, in every mode', async () => {
    const blank = [undefined, null, '', ' \t\n', '\u200b\u2060\u202e', '\u2800', '\u3164', 1, ['Alice'], {}]
    for (const name of blank) {
      for (const config of [at.idp.config(), at.idp.teamidpConfig(), at.idp.oauth2Config()])
        expect(await failureOf(signIn({ name, nickname: 'Al' }, config))).toBe(
          'identity_incomplete: name missing or blank',
        )
    }
  })

  test('R7.7: of several paths, the first with a name wins, in every mode', async () => {
    const namePaths = ['name', 'preferred_username', 'login'].map(claimPath)
    for (const config of [at.idp.config({ namePaths }), at.idp.oauth2Config({ namePaths })]) {
      expect(await signIn({ name: null, login: 'octocat' }, config)).toMatchObject({ name: 'octocat' })
      expect(await signIn({ name: '\u200b', preferred_username: 'al', login: 'x' }, config)).toMatchObject({
        name: 'al',
      })
      expect(await signIn({ name: 'Alice', preferred_username: 'al' }, config)).toMatchObject({
        name: 'Alice',
      })
      expect(await failureOf(signIn({ name: 7, login: ['x'] }, config))).toBe(
        'identity_incomplete: name missing or blank',
      )
    }
  })

  test('C84: it is cleaned and cut to 64 graphemes', async () => {
    expect(await signIn({ name: '  A\u202el\u0000ice\u200b ' })).toMatchObject({ name: 'Alice' })
    expect(await signIn({ name: 'é'.repeat(100) })).toMatchObject({ name: 'é'.repeat(64) })
  })

  test('R8.3: the email is cut to 320 characters, and is null if it is missing', async () => {
    expect(await signIn({ email: ' a@b.example\u0000' })).toMatchObject({ email: 'a@b.example' })
    for (const email of [undefined, null, '', ' ', 1, true, ['a@b.example']])
      expect(await signIn({ email })).toMatchObject({ email: null })
    expect((await signIn({ email: `${'x'.repeat(319)}😀` })).email).toBe('x'.repeat(319))
    expect(await signIn({ email: 'a@b.example' }, at.idp.config({ emailPath: null }))).toMatchObject({
      email: null,
    })
  })
})

describe('a claim that can never match', () => {
  const config = () => at.idp.config({ adminClaim: { path: claimPath('groups'), value: 'admin' } })
  const warningsFor = async (claims: Json) => {
    at.logLines.length = 0
    expect(await signIn(claims, config())).toMatchObject({ isAdmin: false })
    return at.logLines.filter((line) => line.includes('can never match'))
  }

  test('R9.3 R38.4: is in the log once per login, with its setting, shape and remedy', async () => {
    for (const [claims, shape] of [
      [{ groups: { admin: { 27: 'example.com' } } }, 'an object with the value as a key'],
      [{ groups: { user: {} } }, 'an object: let'],
      [{ groups: 'user,admin' }, 'one text that lists several values'],
      [{ groups: 'user admin' }, 'one text that lists several values'],
      [{ groups: [{ name: 'admin' }] }, 'a list of objects'],
      [{ _claim_names: { groups: 'src1' }, _claim_sources: { src1: {} } }, '_claim_names'],
    ] as const) {
      const warnings = await warningsFor(claims)
      expect(warnings).toHaveLength(1)
      expect(warnings[0]).toContain('"setting":"AUTH_ADMIN_CLAIM_PATH","claim":"groups"')
      expect(warnings[0]).toContain(shape)
    }
  })

  test('R38.4: is one line for all settings, also where it refuses the person', async () => {
    const all = {
      ...at.idp.teamidpConfig({ adminClaim: { path: claimPath('groups'), value: 'admin' } }),
      conditions: conditions('groups=staff, hd=example.com'),
    }
    at.logLines.length = 0
    const person = { groups: 'staff,admin', hd: 'example.com', teams: ['red'] }
    expect(await failureOf(signIn(person, all))).toBe('access_not_granted: condition not met: groups=staff')
    expect(at.logLines).toHaveLength(1)
    expect(JSON.parse(at.logLines[0] ?? '')).toMatchObject({
      claims: [
        { setting: 'AUTH_REQUIRE', claim: 'groups=staff' },
        { setting: 'AUTH_ADMIN_CLAIM_PATH', claim: 'groups' },
        { setting: 'TEAMIDP_TEAM_CLAIM_PATH', claim: 'teams' },
      ],
    })
    for (const value of Object.values(person)) expect(at.logLines[0]).not.toContain(`"${String(value)}"`)
  })

  test('R9.3: causes no line where the person is simply no administrator', async () => {
    for (const groups of [undefined, null, 'user', 'administrator', [], ['user'], ['user', 7], 7, true])
      expect(await warningsFor({ groups })).toEqual([])
    expect(await warningsFor({ _claim_names: null })).toEqual([])
  })
})

describe('claim paths', () => {
  test('R7.6 C79 R28.15: the whole path is tried as one key first, then its parts; numbers index lists; \\. is a dot', async () => {
    const claims = {
      'urn:x.y': 'dotted',
      'a.b': 'whole',
      a: { b: 'parts', 'c.d': 'escaped', list: ['zero', { deep: 'one' }] },
      '0': 'numeric key',
    }
    for (const [path, name] of [
      ['urn:x.y', 'dotted'],
      ['a.b', 'whole'],
      ['a.c\\.d', 'escaped'],
      ['a.list.0', 'zero'],
      ['a.list.1.deep', 'one'],
      ['0', 'numeric key'],
    ] as const)
      expect(await oauth2({ sub: '1', ...claims }, { namePaths: [claimPath(path)] })).toMatchObject({ name })
  })

  test('C66 C79: inherited members of objects, lists and strings are not claims', async () => {
    for (const path of [
      'toString',
      'a.length',
      'list.length',
      'list.01',
      'list.-1',
      'list.1e0',
      'text.0',
      'valueOf.name',
      'a.hasOwnProperty',
    ])
      expect(
        await failureOf(
          oauth2({ sub: '1', a: {}, list: ['x', 'y'], text: 'abc' }, { namePaths: [claimPath(path)] }),
        ),
      ).toBe('identity_incomplete: name missing or blank')
  })
})

describe('the admin claim', () => {
  const isAdmin = async (claims: Json, value = ADMIN, path = 'roles') =>
    (await signIn(claims, at.idp.config({ adminClaim: { path: claimPath(path), value } }))).isAdmin

  test('C86: a list member or an equal string makes an administrator; numbers and booleans compare by their JSON text', async () => {
    expect(await isAdmin({ roles: ADMIN })).toBe(true)
    expect(await isAdmin({ roles: ['user', ADMIN] })).toBe(true)
    expect(await isAdmin({ realm: { roles: [ADMIN] } }, ADMIN, 'realm.roles')).toBe(true)
    expect(await isAdmin({ roles: true }, 'true')).toBe(true)
    expect(await isAdmin({ roles: [1, 42] }, '42')).toBe(true)
    expect(await isAdmin({ roles: 1.5 }, '1.5')).toBe(true)
  })

  test('C86: a part, a prefix, another case, a nested list or an object does not', async () => {
    for (const roles of [
      `${ADMIN}s`,
      `x${ADMIN}`,
      'platform',
      ADMIN.toUpperCase(),
      ` ${ADMIN}`,
      `user,${ADMIN}`,
      `user ${ADMIN}`,
      [[ADMIN]],
      [{ role: ADMIN }],
      { [ADMIN]: true },
      { '0': ADMIN },
      [],
      null,
      undefined,
      true,
    ])
      expect([roles, await isAdmin({ roles })]).toEqual([roles, false])
  })

  test('C86 R28.15: the values undefined, null, NaN and [object Object] make no one an administrator by a missing or odd claim', async () => {
    for (const value of ['undefined', 'null', 'NaN', '[object Object]', '', '{}', '[]', 'Infinity'])
      for (const roles of [undefined, null, {}, [], [null], [undefined], [{}], [[]]])
        expect([value, roles, await isAdmin({ roles }, value)]).toEqual([value, roles, false])
  })

  test('R9.3: without the two settings no claim makes an administrator', async () => {
    expect((await signIn({ roles: [ADMIN] })).isAdmin).toBe(false)
  })
})

describe('teams', () => {
  const ownedTeamsAfter = async (teams: unknown, overrides: Json = {}) => {
    const config = at.idp.teamidpConfig()
    return (await signIn({ teams }, { ...config, teams: { ...config.teams!, ...overrides } })).ownedTeams
  }

  test('C89: each team with an owner role counts once; ids are strings or safe integers', async () => {
    expect(
      await ownedTeamsAfter([
        { id: 'red', role: 'owner' },
        { id: 7, role: 'co-owner' },
        { id: 'green', role: 'member' },
        { id: 'blue', role: 'Owner' },
        { id: 'red', role: 'co-owner' },
        { id: '7', role: 'owner' },
      ]),
    ).toEqual(['red', '7'])
    expect(
      await ownedTeamsAfter(
        [
          { id: 'red', role: 'owner' },
          { id: 'blue', role: 'lead' },
        ],
        { ownerRoles: ['lead'] },
      ),
    ).toEqual(['blue'])
  })

  test('C89: TEAMIDP_TEAM_ID leaves only that team', async () => {
    const teams = [
      { id: 'red', role: 'owner' },
      { id: 7, role: 'owner' },
      { id: 'redder', role: 'owner' },
    ]
    expect(await ownedTeamsAfter(teams, { teamId: 'red' })).toEqual(['red'])
    expect(await ownedTeamsAfter(teams, { teamId: '7' })).toEqual(['7'])
    expect(await ownedTeamsAfter(teams, { teamId: 'blue' })).toEqual([])
  })

  test('C89: the paths inside a team are configured', async () => {
    const paths = { idPath: claimPath('team.uuid'), rolePath: claimPath('my.role') }
    expect(await ownedTeamsAfter([{ team: { uuid: 'x' }, my: { role: 'owner' } }], paths)).toEqual(['x'])
  })

  test('C89: entries that are not teams are ignored', async () => {
    expect(
      await ownedTeamsAfter([
        null,
        'red',
        1,
        [],
        {},
        { id: 'a' },
        { role: 'owner' },
        { id: '', role: 'owner' },
        { id: 1.5, role: 'owner' },
        { id: 'b', role: [['owner'], 'member'] },
        { id: null, role: 'owner' },
        { id: 'x'.repeat(256), role: 'owner' },
      ]),
    ).toEqual([])
  })

  test('R9.5: a role may be a list, and the teams an object with the alias of each as its key', async () => {
    const red = { id: 'red', role: ['member', 'owner'] }
    expect(await ownedTeamsAfter([red, { id: 'blue', role: ['member'] }])).toEqual(['red'])
    const keyed = { crimson: red, azure: { id: 'blue', role: 'member' }, ['__proto__']: 'x', bare: {} }
    expect(await ownedTeamsAfter(keyed)).toEqual(['red'])
  })

  test('C89: a claim that is neither a list nor an object gives no teams and a line in the log; a missing one gives none', async () => {
    for (const teams of ['red', null, 7, true]) {
      at.logLines.length = 0
      expect(await ownedTeamsAfter(teams)).toEqual([])
      expect(at.logLines).toEqual([expect.stringContaining('"shape":"neither a list nor an object')])
    }
    at.logLines.length = 0
    expect(await ownedTeamsAfter(undefined)).toEqual([])
    expect(at.logLines).toEqual([])
  })

  test('C89: there are none in the modes oidc and oauth2', async () => {
    for (const config of [at.idp.config(), at.idp.oauth2Config()])
      expect((await signIn({ teams: [{ id: 'red', role: 'owner' }] }, config)).ownedTeams).toEqual([])
  })
})

describe('other stored values of a login', () => {
  test('R10.6 R13.7: the ID token, its sub, its sid if it is a string, and its issue time', async () => {
    expect(await signIn({ sid: 'session-1', iat: at.clock.ms / 1000 - 0.5 })).toMatchObject({
      sub: 'alice',
      sid: 'session-1',
      issuedAtSeconds: at.clock.ms / 1000 - 1,
      idToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    })
    for (const sid of [null, '', 1, ['session-1'], 'a\u0000'])
      expect(await signIn({ sid })).toMatchObject({ sid: null })
  })

  test('R8.3: no other claims', async () => {
    expect(Object.keys(await signIn({ phone_number: '1', address: {} })).toSorted()).toEqual(
      [
        'access',
        'email',
        'groups',
        'idToken',
        'isAdmin',
        'issuedAtSeconds',
        'issuer',
        'name',
        'ownedTeams',
        'sid',
        'sub',
        'subject',
      ].toSorted(),
    )
  })
})
