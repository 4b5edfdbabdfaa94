import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Environment, SettingsError } from '@latchkey/settings/settings'
import fc from 'fast-check'
import { DEFAULT_LIMITS, parseLimits } from '../../src/api/limits.ts'
import { declarations } from '../../src/settings/declarations.ts'
import { readSettings, settingsWarnings } from '../../src/settings/settings.ts'

const common = { AUTH_CLIENT_ID: 'rooms', ALLOWED_HOSTS: 'https://rooms.example.com' }

/** The minimal settings of each mode. */
const modes: Record<string, Record<string, string>> = {
  oidc: { ...common, AUTH_PROVIDER: 'oidc', OIDC_ISSUER: 'https://login.example.com' },
  teamidp: { ...common, AUTH_PROVIDER: 'teamidp', TEAMIDP_ISSUER: 'https://team.example.com' },
  oauth2: {
    ...common,
    AUTH_PROVIDER: 'oauth2',
    OAUTH_AUTHORIZATION_ENDPOINT: 'https://git.example.com/authorize',
    OAUTH_TOKEN_ENDPOINT: 'https://git.example.com/token',
    OAUTH_USERINFO_ENDPOINT: 'https://api.example.com/user',
    OAUTH_SUBJECT_PATH: 'id',
    OAUTH_NAME_PATH: 'login',
  },
}
const oidc: Environment = modes['oidc'] ?? {}

function problemsOf(env: Environment): string[] {
  try {
    readSettings(env)
  } catch (error) {
    if (error instanceof SettingsError) return error.problems.map(({ name, problem }) => `${name} ${problem}`)
    throw error
  }
  return []
}

function without(env: Environment, name: string): Environment {
  return Object.fromEntries(Object.entries(env).filter(([key]) => key !== name))
}

describe('the paths of the name', () => {
  const wholesOf = (settings: Environment) =>
    readSettings(settings).provider.namePaths.map(({ whole }) => whole)

  test('R2: are name, preferred_username and nickname, or those of either setting in their order', () => {
    expect(wholesOf(oidc)).toEqual(['name', 'preferred_username', 'nickname'])
    for (const name of ['AUTH_NAME_PATH', 'OAUTH_NAME_PATH'])
      expect(wholesOf({ ...oidc, [name]: 'name, person.login' })).toEqual(['name', 'person.login'])
  })

  test('R2: are set by one of the two settings, in oauth2 by exactly one', () => {
    const both = { AUTH_NAME_PATH: 'name', OAUTH_NAME_PATH: 'name' }
    const problem = 'OAUTH_NAME_PATH must be unset with AUTH_NAME_PATH'
    const oauth2 = modes['oauth2'] ?? {}
    for (const settings of [oidc, oauth2]) expect(problemsOf({ ...settings, ...both })).toEqual([problem])
    expect(problemsOf({ ...without(oauth2, 'OAUTH_NAME_PATH'), AUTH_NAME_PATH: 'login' })).toEqual([])
    for (const value of ['name,', 'a,__proto__'])
      expect(problemsOf({ ...oidc, AUTH_NAME_PATH: value })).toHaveLength(1)
  })
})

describe('the conditions for signing in', () => {
  test('R38.1: apply in every mode, and a start error names the fault and the condition', () => {
    for (const settings of Object.values(modes)) {
      expect(readSettings(settings).provider.conditions).toEqual([])
      const AUTH_REQUIRE = String.raw`hd=example.com, groups=staff\,all|board`
      expect(readSettings({ ...settings, AUTH_REQUIRE }).provider.conditions).toMatchObject([
        { values: ['example.com'] },
        { values: ['staff,all', 'board'] },
      ])
      for (const [value, problem] of [
        ['hd=example.com,', 'AUTH_REQUIRE has nothing in condition 2'],
        ['groups', 'AUTH_REQUIRE has no = in condition 1'],
        ['mail=ann@example.com=x', String.raw`AUTH_REQUIRE has a second = (\= in a value) in condition 1`],
      ])
        expect(problemsOf({ ...settings, AUTH_REQUIRE: value })).toEqual([problem ?? ''])
    }
  })
})

describe('R1.1 C1: exactly one mode', () => {
  for (const [mode, required] of Object.entries(modes)) {
    test(`${mode} starts with its required settings and refuses to start without any one of them`, () => {
      expect(problemsOf(required)).toEqual([])
      expect(readSettings(required).provider.mode).toBe(mode as 'oidc')
      for (const name of Object.keys(required)) {
        expect([name, problemsOf(without(required, name)).map((line) => line.split(' ')[0])]).toEqual([
          name,
          [name],
        ])
        expect([name, problemsOf({ ...required, [name]: '' }).length]).toEqual([name, 1])
      }
    })

    test(`${mode} is refused with the required settings of the other modes instead`, () => {
      for (const [other, settings] of Object.entries(modes)) {
        if (other !== mode) expect(problemsOf({ ...settings, AUTH_PROVIDER: mode })).not.toEqual([])
      }
    })
  }

  test('another word, several words or none are not a mode', () => {
    for (const mode of ['OIDC', 'oidc,oauth2', 'oidc ', 'demo', 'saml', ''])
      expect(problemsOf({ ...oidc, AUTH_PROVIDER: mode })).toHaveLength(1)
  })

  test('settings of another mode are ignored, whatever their values, with a warning (R2.4)', () => {
    const env = { ...oidc, TEAMIDP_ISSUER: 'no url', OAUTH_TOKEN_ENDPOINT: 'ftp://x', TEAMIDP_TEAM_ID: 'a' }
    expect(problemsOf(env)).toEqual([])
    expect(readSettings(env)).toEqual(readSettings(oidc))
    expect(settingsWarnings(env)).toEqual([
      'TEAMIDP_ISSUER is ignored: it is for another AUTH_PROVIDER',
      'TEAMIDP_TEAM_ID is ignored: it is for another AUTH_PROVIDER',
      'OAUTH_TOKEN_ENDPOINT is ignored: it is for another AUTH_PROVIDER',
    ])
    const oauth2 = { ...modes['oauth2'], AUTH_ID_TOKEN_ALG: 'RS256', LOGOUT_TOKEN_MAX_AGE: '60' }
    expect(settingsWarnings(oauth2)).toHaveLength(2)
    expect(settingsWarnings(oidc)).toEqual([])
  })
})

test('C2: all problems are reported together, one line each, without secrets (R28.21)', () => {
  const secret = 'hunter2'
  const env = {
    AUTH_PROVIDER: 'saml',
    AUTH_CLIENT_SECRET: ` ${secret} `,
    ALLOWED_HOSTS: 'http://rooms.example.com',
    ROOMS_PORT: '70000',
    ROOMS_DATABASE_URL: `mysql://rooms:${secret}@db/rooms`,
    ROOMS_METRICS_TOKEN: secret,
    GUEST_ENABLED: 'yes',
    OIDC_ISSUER: `https://admin:${secret}@login.example.com`,
    SESSION_IDLE_SECONDS: '0',
  }
  expect(problemsOf(env).map((line) => line.split(' ')[0])).toEqual([
    'AUTH_PROVIDER',
    'AUTH_CLIENT_SECRET',
    'OIDC_ISSUER',
    'GUEST_ENABLED',
    'ALLOWED_HOSTS',
    'SESSION_IDLE_SECONDS',
    'ROOMS_PORT',
    'ROOMS_DATABASE_URL',
    'ROOMS_METRICS_TOKEN',
    'AUTH_CLIENT_ID',
  ])
  expect(problemsOf(env).join('\n')).not.toContain(secret)
})

describe('R2.1 C3: an empty variable counts as unset', () => {
  for (const [mode, required] of Object.entries(modes))
    test(`${mode} starts with all optional settings empty, as if they were unset`, () => {
      const empty = Object.fromEntries(
        Object.values(declarations)
          .filter(({ name }) => name !== 'TRUSTED_PROXIES')
          .map(({ name }) => [name, '']),
      )
      expect(readSettings({ ...empty, ...required })).toEqual(readSettings(required))
      expect(settingsWarnings({ ...empty, ...required })).toEqual([])
    })

  test('an empty TRUSTED_PROXIES, or none, is an empty list', () => {
    expect(readSettings(oidc).trustedProxies).toEqual(['127.0.0.0/8', '::1'])
    for (const TRUSTED_PROXIES of ['', 'none']) {
      expect(readSettings({ ...oidc, TRUSTED_PROXIES }).trustedProxies).toEqual([])
      // C126: a header that no proxy may set is a mistake.
      expect(problemsOf({ ...oidc, TRUSTED_PROXIES, PROXY_HEADER: 'X-Forwarded-For' })).toEqual([
        'TRUSTED_PROXIES must name the proxies with PROXY_HEADER',
      ])
    }
    expect(problemsOf({ ...oidc, PROXY_HEADER: 'X-Forwarded-For' })).toEqual([])
  })
})

describe('C4: the protection of the code exchange', () => {
  test('AUTH_PKCE=disabled needs a secret, in every mode', () => {
    for (const required of Object.values(modes)) {
      expect(problemsOf({ ...required, AUTH_PKCE: 'disabled' })).toEqual([
        'AUTH_CLIENT_SECRET is required with AUTH_PKCE=disabled',
      ])
      expect(problemsOf({ ...required, AUTH_PKCE: 'disabled', AUTH_CLIENT_SECRET: 's' })).toEqual([])
    }
  })

  test('oauth2 with PKCE and without a secret starts', () => {
    for (const AUTH_PKCE of ['required', 'auto', ''])
      expect(problemsOf({ ...modes['oauth2'], AUTH_PKCE })).toEqual([])
  })
})

describe('C9 (R4.4): provider URLs', () => {
  const names = {
    OIDC_ISSUER: 'oidc',
    TEAMIDP_ISSUER: 'teamidp',
    OAUTH_AUTHORIZATION_ENDPOINT: 'oauth2',
    OAUTH_TOKEN_ENDPOINT: 'oauth2',
    OAUTH_USERINFO_ENDPOINT: 'oauth2',
  }
  for (const [name, mode] of Object.entries(names))
    test(`${name} is https without credentials and fragment, or loopback`, () => {
      const refused = [
        'javascript:alert(1)',
        'ftp://login.example.com',
        'login.example.com',
        '//login.example.com',
        'https://user:pass@login.example.com',
        'https://user@login.example.com',
        'https://@login.example.com',
        'https://login.example.com/#x',
        'https://login.example.com#',
        'https:login.example.com',
        'https:\\\\login.example.com',
        'https://login.example.com/a b',
        'https://login.example.com/\nx',
        ' https://login.example.com',
        'https://',
        'http://login.example.com',
        'http://127.0.0.1.example.com',
        'http://localhost.example.com',
        'http://10.0.0.1',
        'http://[::ffff:10.0.0.1]',
      ]
      for (const url of refused) {
        const problems = problemsOf({ ...modes[mode], [name]: url })
        expect([url, problems.length, problems[0]?.split(' ')[0]]).toEqual([url, 1, name])
      }
      const accepted = [
        'https://login.example.com',
        'https://login.example.com/app/',
        'http://localhost:9000',
        'http://127.0.0.1:9000/x',
        'http://[::1]:9000',
        'http://idp.localhost',
      ]
      for (const url of accepted)
        expect([url, problemsOf({ ...modes[mode], [name]: url })]).toEqual([url, []])
      const lax = { ...modes[mode], AUTH_ALLOW_HTTP: 'true' }
      expect(problemsOf({ ...lax, [name]: 'http://login.internal' })).toEqual([])
      expect(problemsOf({ ...lax, [name]: 'ftp://login.internal' })).toHaveLength(1)
      expect(settingsWarnings(lax)).toEqual([
        'AUTH_ALLOW_HTTP=true is unsafe: anyone on the network path can sign in as any user',
      ])
    })

  test('C5: an issuer is kept byte for byte', () => {
    for (const url of [
      'https://x.example/app',
      'https://x.example/app/',
      'https://X.example/App',
      'https://x.example:443',
    ])
      expect(readSettings({ ...oidc, OIDC_ISSUER: url }).provider).toMatchObject({ issuer: url })
  })
})

describe('C129 (R3.1): own origins', () => {
  const accepted = [
    'https://rooms.example.com',
    'https://rooms.example.com:8443',
    'http://localhost:8081',
    'http://127.0.0.1:8081',
    'http://[::1]:8081',
    'https://a.example,https://b.example',
    ' https://a.example , https://b.example ',
  ]
  for (const hosts of accepted)
    test(`${hosts} is accepted`, () => expect(problemsOf({ ...oidc, ALLOWED_HOSTS: hosts })).toEqual([]))
  const refused = [
    'https://rooms.example.com/',
    'https://rooms.example.com/x',
    'https://rooms.example.com:443',
    'http://localhost:80',
    'https://Rooms.example.com',
    'HTTPS://rooms.example.com',
    'http://rooms.example.com',
    'http://192.0.2.1',
    'ftp://rooms.example.com',
    'rooms.example.com',
    'https://*.example.com',
    'https://rooms.example.com.',
    'https://rooms.example.com.:8443',
    'https://rooms.example.*',
    'https://user@rooms.example.com',
    'https://rooms.example.com?x',
    'https://rooms.example.com#x',
    'https://a.example,https://a.example',
    'https://a.example,',
    'http://localhost:443,https://localhost',
    'null',
  ]
  for (const hosts of refused)
    test(`${hosts} is refused`, () => {
      expect(problemsOf({ ...oidc, ALLOWED_HOSTS: hosts }).map((line) => line.split(' ')[0])).toEqual([
        'ALLOWED_HOSTS',
      ])
    })
})

describe('values', () => {
  const refused: Record<string, string[]> = {
    AUTH_PROVIDER_LABEL: ['x'.repeat(65), 'a\nb', ' '],
    AUTH_SCOPES: ['a"b', 'a\\b', ' ', 'é'],
    AUTH_PKCE: ['plain', 'true', 'Required'],
    AUTH_TOKEN_AUTH_METHOD: ['none', 'private_key_jwt'],
    AUTH_ID_TOKEN_ALG: ['none', 'HS256', 'rs256', 'RS256,ES256'],
    AUTH_TRUSTED_HOSTS: ['https://keys.example', 'keys.example:443', 'a b', 'a,,b', 'user@keys'],
    AUTH_ALLOW_HTTP: ['1', 'yes', 'TRUE', 'on'],
    AUTH_ADMIN_CLAIM_PATH: [
      '',
      'a..b',
      '__proto__',
      'a.constructor',
      'prototype.x',
      '.a',
      'a.',
      '1.2.3.4.5.6.7.8.9.10.11',
    ],
    ADMIN_BOOTSTRAP: ['on', 'true', 'first'],
    ADMIN_REAUTH_SECONDS: ['-1', '1.5', 'x'],
    GUEST_ENABLED: ['1', 'on', 'True'],
    GUEST_ROOMS: ['no', '0'],
    PROXY_HEADER: ['X Forwarded', 'X:Y', 'é'],
    TRUSTED_PROXIES: ['proxy', '10.0.0.0/33', '127.1', '::1%lo', 'none,::1', ','],
    OAUTH_TRANSACTION_SECONDS: ['29', '3601', '600.5', '1e2'],
    SESSION_IDLE_SECONDS: ['0', '-5', '2592001'],
    SESSION_ABSOLUTE_SECONDS: ['0', '604799'],
    BACKCHANNEL_LOGOUT: ['true', '1'],
    LOGOUT_TOKEN_MAX_AGE: ['0', '601'],
    ROOMS_HOST: ['host:80', '300.0.0.1', 'a b'],
    ROOMS_PORT: ['-1', '65536', '8081 ', '0x1'],
    ROOMS_DATABASE_URL: ['mysql://x', 'sqlite:', 'rooms.db', 'sqlite://data/x.db'],
    ROOMS_METRICS_TOKEN: ['x'.repeat(15), 'a b'.repeat(10), 'é'.repeat(20)],
    ROOMS_LIMITS: [
      'x=1',
      'sessions_user',
      'sessions_user=0',
      'sessions_user=-1',
      'sessions_user=1.5',
      ',',
      'sessions_user=1,',
      'sessions_user=1,sessions_user=2',
      'toString=1',
      'sessions_user=99999999999',
    ],
  }
  for (const [name, values] of Object.entries(refused))
    test(`${name} refuses invalid values`, () => {
      for (const value of values.filter((each) => each !== '')) {
        const claim = name === 'AUTH_ADMIN_CLAIM_PATH' && { AUTH_ADMIN_CLAIM_VALUE: 'x' }
        const problems = problemsOf({ ...oidc, ...claim, [name]: value })
        expect([value, problems.length]).toEqual([value, 1])
        expect(problems[0]).toMatch(/^(SESSION_IDLE_SECONDS|\w+) /)
      }
    })

  test('a bus needs PostgreSQL, because an SQLite database has one node', () => {
    expect(problemsOf({ ...oidc, ROOMS_BUS_URL: 'redis://bus.internal' })).toEqual([
      'ROOMS_BUS_URL needs PostgreSQL: an SQLite database has one node',
    ])
  })

  test('R33.1a R33.2: calls of a mesh have one node, and TURN servers a secret', () => {
    const bus = { ROOMS_DATABASE_URL: 'postgres://db.internal/rooms', ROOMS_BUS_URL: 'redis://bus.internal' }
    expect(problemsOf({ ...oidc, ...bus, ROOMS_VOICE: 'mesh' })).toEqual([
      'ROOMS_VOICE cannot be mesh with ROOMS_BUS_URL: a mesh has one node',
    ])
    expect(problemsOf({ ...oidc, ROOMS_VOICE: 'everyone' })).toEqual([expect.stringContaining('ROOMS_VOICE')])
    expect(problemsOf({ ...oidc, ROOMS_TURN_URLS: 'turn:turn.example.com' })).toEqual([
      'ROOMS_TURN_SECRET is required with ROOMS_TURN_URLS',
    ])
    expect(problemsOf({ ...oidc, ROOMS_TURN_SECRET: 'shared' })).toEqual([
      'ROOMS_TURN_URLS is required with ROOMS_TURN_SECRET',
    ])
    expect(problemsOf({ ...oidc, ROOMS_VOICE_RELAY_ONLY: 'true' })).toEqual([
      'ROOMS_TURN_URLS is required with ROOMS_VOICE_RELAY_ONLY=true',
    ])
    for (const url of [
      'https://turn.example.com',
      'turn://turn.example.com',
      'stun:turn.example.com',
      'turn:a b',
    ])
      expect(problemsOf({ ...oidc, ROOMS_TURN_URLS: url, ROOMS_TURN_SECRET: 'shared' })).toEqual([
        expect.stringContaining('ROOMS_TURN_URLS'),
      ])
  })

  test('R33.1 R33.2: calls through LiveKit need its URL, key and secret, and may have several nodes', () => {
    const bus = { ROOMS_DATABASE_URL: 'postgres://db.internal/rooms', ROOMS_BUS_URL: 'redis://bus.internal' }
    const livekit = { ...oidc, ...bus, ROOMS_VOICE: 'livekit' }
    expect(problemsOf(livekit)).toEqual([
      'ROOMS_LIVEKIT_URL or ROOMS_LIVEKIT_SERVER is required with ROOMS_VOICE=livekit',
    ])
    const url = { ROOMS_LIVEKIT_URL: 'wss://livekit.example.com/' }
    expect(problemsOf({ ...livekit, ...url })).toEqual([
      'ROOMS_LIVEKIT_KEY is required with ROOMS_LIVEKIT_URL',
      'ROOMS_LIVEKIT_SECRET is required with ROOMS_LIVEKIT_URL',
    ])
    const key = { ROOMS_LIVEKIT_KEY: 'key', ROOMS_LIVEKIT_SECRET: 'x'.repeat(32) }
    const publicUrl = { ROOMS_LIVEKIT_PUBLIC_URL: 'https://calls.example.com/livekit' }
    expect(readSettings({ ...livekit, ...url, ...key, ...publicUrl }).voice).toMatchObject({
      mode: 'livekit',
      livekit: {
        url: 'https://livekit.example.com',
        key: 'key',
        publicUrl: 'https://calls.example.com/livekit',
      },
    })
    expect(problemsOf({ ...livekit, ...url, ...key, ROOMS_LIVEKIT_SECRET: 'short' })).toEqual([
      expect.stringContaining('ROOMS_LIVEKIT_SECRET must be at least 32 characters'),
    ])
    for (const wrong of [
      'livekit.internal:7880',
      'ftp://livekit',
      'http://user@livekit',
      'http://livekit?a=1',
    ])
      expect(problemsOf({ ...livekit, ...url, ...key, ROOMS_LIVEKIT_URL: wrong })).toEqual([
        expect.stringContaining('ROOMS_LIVEKIT_URL'),
      ])
    const own = { ...oidc, ROOMS_VOICE: 'livekit', ROOMS_LIVEKIT_SERVER: 'auto' }
    expect(readSettings({ ...own, ROOMS_VOICE_ADDRESS: '203.0.113.7' }).voice).toMatchObject({
      livekit: null,
      localServer: { program: 'auto', udpPort: 7882, tcpPort: 7881, address: '203.0.113.7' },
    })
    expect(problemsOf({ ...own, ...url })).toEqual([
      expect.stringContaining('ROOMS_LIVEKIT_SERVER cannot be set with ROOMS_LIVEKIT_URL'),
      ...Object.keys(key).map((name) => `${name} is required with ROOMS_LIVEKIT_URL`),
    ])
    expect(problemsOf({ ...own, ...bus })).toEqual([
      'ROOMS_LIVEKIT_SERVER cannot be set with ROOMS_BUS_URL: nodes need a LiveKit server in common',
    ])
    for (const [name, wrong] of Object.entries({
      ROOMS_LIVEKIT_SERVER: 'yes',
      ROOMS_VOICE_UDP_PORT: '0',
      ROOMS_VOICE_ADDRESS: 'rooms.example.com',
    }))
      expect(problemsOf({ ...own, [name]: wrong })).toEqual([expect.stringContaining(name)])
    // Settings for another way of calls do no harm.
    expect(readSettings({ ...oidc, ...url, ROOMS_VOICE: 'mesh' }).voice.livekit).toBeNull()
  })

  test('R50: origins of the access layer are none of Rooms itself, and have a proxy', () => {
    const own = { ...oidc, ROOMS_ACCESS_FOR: 'https://go.example.com, http://go.localhost:8080' }
    expect(readSettings(own).provider.accessConditions).toEqual([])
    expect(readSettings(oidc).provider.accessConditions).toBeNull()
    for (const wrong of [
      { ROOMS_ACCESS_FOR: 'https://rooms.example.com' },
      { ROOMS_ACCESS_FOR: 'https://go.example.com,http://go.example.com:443' },
      { ROOMS_ACCESS_FOR: 'http://go.example.com' },
      { ROOMS_ACCESS_FOR: 'https://go.example.com/' },
      { ROOMS_ACCESS_FOR: '*' },
      { TRUSTED_PROXIES: 'none' },
      { ROOMS_ACCESS_FOR: '', ROOMS_ACCESS_REQUIRE: 'groups=staff' },
      { ROOMS_ACCESS_FOR: '', ROOMS_ACCESS_SERVICE_KEY: 'x'.repeat(32) },
    ])
      expect([wrong, problemsOf({ ...own, ...wrong })]).toEqual([
        wrong,
        [expect.stringMatching(/^ROOMS_ACCESS_FOR /)],
      ])
    expect(problemsOf({ ...own, ROOMS_ACCESS_REQUIRE: 'staff' })).toEqual([
      'ROOMS_ACCESS_REQUIRE has no = in condition 1',
    ])
    const short = 'ROOMS_ACCESS_SERVICE_KEY must be at least 32 characters without'
    expect(problemsOf({ ...own, ROOMS_ACCESS_SERVICE_KEY: 'x'.repeat(31) })).toEqual([
      expect.stringContaining(short),
    ])
  })

  test('every example of the reference is accepted', () => {
    for (const { name, example } of Object.values(declarations))
      for (const [mode, required] of Object.entries(modes)) {
        if (name === 'AUTH_PROVIDER') continue
        const pair = {
          ...(/TURN|RELAY/.test(name) && {
            ROOMS_TURN_URLS: 'turn:turn.example.com',
            ROOMS_TURN_SECRET: 'shared',
          }),
          ...(name.startsWith('AUTH_ADMIN_CLAIM') && {
            AUTH_ADMIN_CLAIM_PATH: 'a',
            AUTH_ADMIN_CLAIM_VALUE: 'b',
          }),
          ...(name.startsWith('ROOMS_ACCESS_') && { ROOMS_ACCESS_FOR: 'https://go.example.com' }),
          ...(name === 'AUTH_NAME_PATH' && { OAUTH_NAME_PATH: '' }),
          ...(name === 'SESSION_ABSOLUTE_SECONDS' && { SESSION_IDLE_SECONDS: '60' }),
          ...(name === 'ROOMS_BUS_URL' && { ROOMS_DATABASE_URL: 'postgres://rooms@db.internal/rooms' }),
        }
        if (name === 'BACKCHANNEL_LOGOUT' && mode === 'oauth2') continue
        expect([mode, name, problemsOf({ ...required, ...pair, [name]: example })]).toEqual([mode, name, []])
      }
  })

  test('the path and the value of the admin claim are set together or not at all', () => {
    expect(problemsOf({ ...oidc, AUTH_ADMIN_CLAIM_PATH: 'groups' })).toEqual([
      'AUTH_ADMIN_CLAIM_VALUE is required with AUTH_ADMIN_CLAIM_PATH',
    ])
    expect(problemsOf({ ...oidc, AUTH_ADMIN_CLAIM_VALUE: 'admins' })).toEqual([
      'AUTH_ADMIN_CLAIM_PATH is required with AUTH_ADMIN_CLAIM_VALUE',
    ])
  })

  test('back-channel logout is on in teamidp, off in oidc, and cannot be turned on in oauth2', () => {
    expect(readSettings(modes['teamidp'] ?? {}).provider).toMatchObject({ backchannelLogout: true })
    expect(readSettings(oidc).provider).toMatchObject({ backchannelLogout: false })
    expect(readSettings({ ...oidc, BACKCHANNEL_LOGOUT: 'on' }).provider).toMatchObject({
      backchannelLogout: true,
    })
    expect(problemsOf({ ...modes['oauth2'], BACKCHANNEL_LOGOUT: 'on' })).toEqual([
      'BACKCHANNEL_LOGOUT cannot be on with AUTH_PROVIDER=oauth2',
    ])
    expect(problemsOf({ ...modes['oauth2'], BACKCHANNEL_LOGOUT: 'off' })).toEqual([])
  })

  test('R2.5: scopes contain openid if needed, each scope once, and teams:read if teams are used', () => {
    const scopesOf = (env: Environment) => readSettings(env).provider.scopes
    const usual = ['openid', 'profile', 'email']
    expect(scopesOf(oidc)).toEqual(usual)
    expect(scopesOf({ ...oidc, AUTH_SCOPES: 'profile  profile email' })).toEqual(usual)
    expect(settingsWarnings({ ...oidc, AUTH_SCOPES: 'profile' })).toEqual([
      'AUTH_SCOPES has no openid; it is added',
    ])
    const team = { ...modes['teamidp'], TEAMIDP_TEAM_ID: 'harbour' }
    expect(scopesOf(team)).toEqual([...usual, 'teams:read'])
    expect(scopesOf({ ...team, AUTH_SCOPES: 'openid' })).toEqual(['openid'])
    expect(scopesOf({ ...modes['oauth2'], AUTH_SCOPES: 'read:user' })).toEqual(['read:user'])
    expect(settingsWarnings({ ...modes['oauth2'], AUTH_SCOPES: 'read:user' })).toEqual([])
  })

  test('the button has the configured label or the default of the provider', () => {
    const labels = Object.values(modes).map((env) => readSettings(env).provider.label)
    expect(labels).toEqual(['OpenID Connect', 'Team sign-in', 'OAuth 2.0'])
    expect(readSettings({ ...oidc, AUTH_PROVIDER_LABEL: '🔑'.repeat(64) }).provider.label).toHaveLength(128)
  })
})

describe('secrets', () => {
  test('come from a variable or a file, not from both, and appear in no message (R2.3)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'latchkey-secret-'))
    const file = join(folder, 'secret')
    writeFileSync(file, 'p%/+: é\n')
    const env = { ...oidc, AUTH_CLIENT_SECRET_FILE: file }
    expect(readSettings(env).provider.clientSecret).toBe('p%/+: é')
    expect(settingsWarnings(env)).toEqual([])
    for (const name of ['AUTH_CLIENT_SECRET', 'ROOMS_DATABASE_URL', 'ROOMS_METRICS_TOKEN']) {
      const both = { ...oidc, [name]: 'sqlite:./0123456789abcdef', [`${name}_FILE`]: file }
      expect(problemsOf(both)).toEqual([`${name} is given twice, also as ${name}_FILE; keep one`])
      expect(problemsOf({ ...oidc, [`${name}_FILE`]: join(folder, 'missing') })).toEqual([
        `${name} cannot be read from the file that ${name}_FILE names (ENOENT)`,
      ])
    }
    rmSync(folder, { recursive: true })
  })

  test('R28.21: have no default, and the service listens on loopback by default', () => {
    const preset = Object.values(declarations).filter((each) => 'secret' in each && 'default' in each)
    expect(preset.map(({ name }) => name)).toEqual(['ROOMS_DATABASE_URL'])
    expect(readSettings(oidc)).toMatchObject({
      host: '127.0.0.1',
      port: 8081,
      databaseUrl: 'sqlite:./data/rooms.db',
      guestEnabled: false,
      metricsToken: null,
    })
    expect(readSettings(oidc).provider.clientSecret).toBeNull()
  })
})

test('an unknown name gives a warning with the nearest known name (R2.4)', () => {
  const slips = {
    AUTH_CLIENTID: 'AUTH_CLIENT_ID',
    OIDC_ISUER: 'OIDC_ISSUER',
    GUESTS_ENABLED: undefined,
    GUEST_ENABLE: 'GUEST_ENABLED',
    ALLOWED_HOST: 'ALLOWED_HOSTS',
    PROXY_HEADERS: 'PROXY_HEADER',
    TRUSTED_PROXYS: 'TRUSTED_PROXIES',
    SESSION_IDLE_SECOND: 'SESSION_IDLE_SECONDS',
    BACKCHANNEL_LOGUOT: 'BACKCHANNEL_LOGOUT',
    LOGOUT_TOKEN_MAXAGE: 'LOGOUT_TOKEN_MAX_AGE',
    TEAMIDP_ISUER: 'TEAMIDP_ISSUER',
    OAUTH_TOKEN_ENDPONT: 'OAUTH_TOKEN_ENDPOINT',
    ADMIN_BOOTSRAP: 'ADMIN_BOOTSTRAP',
    ROOMS_PROT: 'ROOMS_PORT',
    ROOMS_METRICS_TOKEN_FIL: 'ROOMS_METRICS_TOKEN_FILE',
    HOME: undefined,
  }
  for (const [name, meant] of Object.entries(slips))
    expect(settingsWarnings({ ...oidc, [name]: 'x' })).toEqual(
      meant === undefined ? [] : [`${name} is not a setting and is ignored; did you mean ${meant}?`],
    )
})

describe('ROOMS_LIMITS (R22)', () => {
  test('changes the named limits and nothing else', () => {
    const env = { ...oidc, ROOMS_LIMITS: ' sessions_user = 5 , guest_create_per_hour=100' }
    expect(readSettings(env).limits).toEqual({
      ...DEFAULT_LIMITS,
      sessions_user: 5,
      guest_create_per_hour: 100,
    })
    expect(readSettings(oidc).limits).toEqual(DEFAULT_LIMITS)
  })

  test('only limits that turn a feature off may be 0', () => {
    const switches = [
      'message_edit_hours',
      'reaction_kinds',
      'reactions_per_10s',
      'pins_room',
      'message_searches_per_minute',
      'file_bytes',
      'files_per_message',
      'room_bytes',
      'user_bytes',
      'total_bytes',
      'image_pixels',
      'voice_cameras_mesh',
      'voice_cameras',
      'voice_screens',
      'directs_per_hour',
      'call_alert_seconds',
      'drafts_person',
      'groups_room',
    ]
    const accepted = Object.keys(DEFAULT_LIMITS).filter((name) => parseLimits(`${name}=0`))
    expect(accepted.toSorted()).toEqual(switches.toSorted())
  })

  test('reads any pairs of known keys and whole numbers from 1', () => {
    const names = Object.keys(DEFAULT_LIMITS)
    const numbers = fc.integer({ min: 1, max: 100 })
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), numbers, { minKeys: 1 }), (limits) => {
        const text = Object.entries(limits)
          .map(([name, number]) => `${name}=${number}`)
          .join(',')
        expect(parseLimits(text)).toEqual({ ...DEFAULT_LIMITS, ...limits })
      }),
    )
  })
})

test('docs/operate/settings.md matches the declarations and limits', () => {
  const script = join(import.meta.dir, '../../../../scripts/settings-reference.ts')
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, script, '--check'])
  expect(stderr.toString()).toBe('')
  expect(exitCode).toBe(0)
})
