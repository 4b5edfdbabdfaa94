import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { eachDialect } from '@latchkey/database/testing'
import { CLIENT_ID, hostileProvider, newSigningKey } from '../../test/provider/hostile.ts'
import { ownRedis, redisServer } from '../../test/realtime/redis.ts'
import { rotateKeys } from '../access-layer/keys.ts'
import { migrations } from '../db/migrations.ts'
import type { Tables } from '../db/tables.ts'
import { grantPlatformAdmin } from '../grants/operations.ts'
import { insertTeams } from '../grants/store.ts'
import { recordSubjectSource } from '../platform/provider-change.ts'
import { upsertMember } from '../users/store.ts'
import { readSettings } from '../settings/settings.ts'
import { examine } from './doctor.ts'
import { checkConditions } from './external-checks.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-rooms-doctor-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function findings(env: Record<string, string>, now?: () => number) {
  const list = []
  for await (const finding of examine(env, now)) list.push(finding)
  return list
}

async function lines(name: string, env: Record<string, string>, now?: () => number): Promise<string[]> {
  return (await findings(env, now))
    .filter((finding) => finding.name === name)
    .map(({ level, sentence }) => `${level}: ${sentence}`)
}

const environment = (issuer: string) => ({
  AUTH_PROVIDER: 'oidc',
  AUTH_CLIENT_ID: CLIENT_ID,
  OIDC_ISSUER: issuer,
  ALLOWED_HOSTS: 'https://rooms.example.com',
  ROOMS_DATABASE_URL: `sqlite:${join(folder, 'rooms.db')}`,
})

test('R38.1e: fails if everyone in the world can sign in, and names the conditions that are set', async () => {
  const env = environment('https://login.microsoftonline.com/common/v2.0')
  expect(checkConditions(readSettings(env))).toMatchObject({
    level: 'fail',
    sentence: 'everyone with an account at Microsoft (common) can sign in: set AUTH_REQUIRE',
  })
  expect(checkConditions(readSettings({ ...env, AUTH_REQUIRE: 'tid=4711, roles=a|b' }))).toMatchObject({
    level: 'ok',
    sentence: 'only people whose claims meet tid=4711 and roles=a|b can sign in',
  })
  const withoutScope = { ...env, AUTH_REQUIRE: 'email_domain=example.com', AUTH_SCOPES: 'openid profile' }
  expect(checkConditions(readSettings(withoutScope))).toMatchObject({ level: 'warn' })
  const [problem] = await lines('settings', { ...env, AUTH_REQUIRE: 'tid=4711, roles' })
  expect(problem).toContain('AUTH_REQUIRE has no = in condition 2')
})

eachDialect((dialect, newUrl) => {
  describe('doctor', () => {
    test('R50.7: names the services behind the access layer, their conditions and its keys', async () => {
      const url = await newUrl()
      const env = {
        ...environment('http://127.0.0.1:9'),
        ROOMS_DATABASE_URL: url,
        AUTH_CLIENT_SECRET: 'the secret of the client',
      }
      expect(await lines('access layer', env)).toEqual([])
      const own = {
        ...env,
        ROOMS_ACCESS_FOR: 'https://go.example.com',
        ROOMS_ACCESS_REQUIRE: 'groups=staff|board',
      }
      const database = openDatabase<Tables>(url)
      await migrate(database, migrations)
      expect(await lines('access keys', own)).toEqual(['ok: none yet: the first start creates one'])
      const clientSecret = own.AUTH_CLIENT_SECRET
      await database.write((tx) => rotateKeys(database.dialect, tx, clientSecret, Date.now()))
      await database.close()
      expect(await lines('access layer', own)).toEqual([
        'ok: in front of https://go.example.com, for people whose claims meet groups=staff|board',
        expect.stringMatching(/^warn: ROOMS_ACCESS_SERVICE_KEY is unset/),
      ])
      expect(await lines('access keys', own)).toEqual([
        expect.stringMatching(/^ok: [0-9a-f]{32} signs assertions$/),
      ])
      const changed = { ...own, AUTH_CLIENT_SECRET: 'another secret of the client' }
      expect(await lines('access keys', changed)).toEqual([
        expect.stringMatching(/^fail: none can be opened/),
      ])
    })

    // SQLite serves a single node, which has no bus.
    if (dialect === 'postgres')
      test.skipIf(!redisServer)(
        'R24.3: checks that the bus delivers messages, without printing its password',
        async () => {
          const redis = await ownRedis()
          const env = { ...environment('http://127.0.0.1:9'), ROOMS_DATABASE_URL: await newUrl('empty') }
          const { host } = new URL(redis.url)
          expect(await lines('bus', env)).toEqual([])
          const withBus = { ...env, ROOMS_BUS_URL: redis.url }
          expect(await lines('bus', withBus)).toEqual([`ok: ${host} delivers messages`])
          const wrong = { ...env, ROOMS_BUS_URL: `redis://latchkey:hush@${host}` }
          const [refused] = await lines('bus', wrong)
          expect(refused).toStartWith(`fail: ${host} does not deliver messages (WRONGPASS`)
          expect(refused).not.toContain('hush')
          await redis.kill()
          const [away] = await lines('bus', withBus)
          expect(away).toStartWith(`fail: ${host} does not deliver messages (connect ECONNREFUSED`)
        },
      )

    test('R24.3: passes for a new instance with a reachable provider, and lists the URLs to register', async () => {
      const idp = await hostileProvider()
      const env = { ...environment(idp.issuer), ROOMS_DATABASE_URL: await newUrl('empty') }
      const list = await findings(env)
      await idp.stop()
      expect(list.filter(({ level }) => level === 'fail')).toEqual([])
      const names = [
        'settings',
        'database',
        'migrations',
        'clock',
        'hosts',
        'proxy',
        'conditions',
        'provider',
        'login',
        'keys',
      ]
      for (const name of names) expect(list.map((finding) => finding.name)).toContain(name)
      expect(list.filter(({ name }) => name === 'register').map(({ sentence }) => sentence)).toEqual([
        'redirect URI: https://rooms.example.com/api/auth/callback',
        'post-logout redirect URI: https://rooms.example.com',
      ])
    })

    test('R9.5: warns if no signed-in user owns a team, with the expected shape of the claim', async () => {
      const url = await newUrl('empty')
      const idp = await hostileProvider()
      const { OIDC_ISSUER: TEAMIDP_ISSUER, ...others } = environment(idp.issuer)
      const env = { ...others, AUTH_PROVIDER: 'teamidp', TEAMIDP_ISSUER, ROOMS_DATABASE_URL: url }
      const database = openDatabase<Tables>(url)
      await migrate(database, migrations)
      expect(await lines('teams', env)).toEqual([])
      const ann = { issuer: idp.issuer, subject: 'ann', mode: 'teamidp', name: 'Ann', email: null }
      const { user } = await database.write((tx) => upsertMember(tx, ann, Date.now()))
      expect(await lines('teams', env)).toEqual([
        'warn: no user who signed in owns a team: the claim teams must be a list of objects with id and role, not of strings; TEAMIDP_OWNER_ROLES lists the roles that count',
      ])
      expect(await lines('teams', { ...environment(idp.issuer), ROOMS_DATABASE_URL: url })).toEqual([])
      await database.write((tx) => insertTeams(tx, user.id, ['harbour'], Date.now()))
      expect(await lines('teams', env)).toEqual([])
      await database.close()
      await idp.stop()
    })

    test('R9.3: warns if no signed-in user is an administrator by the claim, with its path', async () => {
      const url = await newUrl('empty')
      const idp = await hostileProvider()
      const env = { ...environment(idp.issuer), ROOMS_DATABASE_URL: url }
      const claim = { AUTH_ADMIN_CLAIM_PATH: 'groups', AUTH_ADMIN_CLAIM_VALUE: 'admins' }
      const database = openDatabase<Tables>(url)
      await migrate(database, migrations)
      expect(await lines('admin claim', { ...env, ...claim })).toEqual([])
      const ann = { issuer: idp.issuer, subject: 'ann', mode: 'oidc', name: 'Ann', email: null } as const
      const { user } = await database.write((tx) => upsertMember(tx, ann, Date.now()))
      expect(await lines('admin claim', env)).toEqual([])
      const [warning] = await lines('admin claim', { ...env, ...claim })
      expect(warning).toStartWith('warn: no user who signed in is an administrator by the claim groups')
      const grant = { userId: user.id, source: 'claim', grantedBy: null } as const
      const origin = { clientIp: null, requestId: null, nowMs: Date.now() }
      await database.write((tx) => grantPlatformAdmin(tx, { ...grant, origin }))
      expect(await lines('admin claim', { ...env, ...claim })).toEqual([])
      await database.close()
      await idp.stop()
    })

    test('R8.5: counts the accounts of other providers, and reports nothing if there is no database', async () => {
      const url = await newUrl('empty')
      const idp = await hostileProvider()
      const env = { ...environment(idp.issuer), ROOMS_DATABASE_URL: url }
      expect(await lines('accounts', env)).toEqual([])
      const database = openDatabase<Tables>(url)
      await migrate(database, migrations)
      const add = (issuer: string, subject: string) =>
        database.write((tx) =>
          upsertMember(tx, { issuer, subject, mode: 'oidc', name: 'Ann', email: null }, Date.now()),
        )
      await add(idp.issuer, 'ann')
      expect(await lines('accounts', env)).toEqual([])
      for (const subject of ['ann', 'bob']) await add(`${idp.issuer}/`, subject)
      expect(await lines('accounts', env)).toEqual([
        expect.stringContaining(`warn: 2 from a provider other than ${idp.issuer} cannot sign in`),
      ])
      await database.close()
      await idp.stop()
    })

    test('R8.5: counts the accounts that other users may reach after a change of the subject source, before and after the start', async () => {
      const url = await newUrl('empty')
      const settings = {
        AUTH_PROVIDER: 'oauth2',
        AUTH_CLIENT_ID: CLIENT_ID,
        OAUTH_AUTHORIZATION_ENDPOINT: 'http://127.0.0.1:9/authorize',
        OAUTH_TOKEN_ENDPOINT: 'http://127.0.0.1:9/token',
        OAUTH_NAME_PATH: 'name',
        ALLOWED_HOSTS: 'https://rooms.example.com',
        ROOMS_DATABASE_URL: url,
      }
      const issuer = 'oauth2:http://127.0.0.1:9'
      const [a, b] = ['http://127.0.0.1:9/me?realm=a', 'http://127.0.0.1:9/me?realm=b']
      const accountLines = (OAUTH_USERINFO_ENDPOINT: string, OAUTH_SUBJECT_PATH = 'id') =>
        lines('accounts', { ...settings, OAUTH_USERINFO_ENDPOINT, OAUTH_SUBJECT_PATH })
      const database = openDatabase<Tables>(url)
      await migrate(database, migrations)
      await database.write((tx) =>
        upsertMember(tx, { issuer, subject: '1', mode: 'oauth2', name: 'Ann', email: null }, 1000),
      )
      const start = (userinfoEndpoint: string, nowMs: number) =>
        database.write((tx) =>
          recordSubjectSource(tx, issuer, { userinfoEndpoint, subjectPath: 'id' }, nowMs),
        )
      const warned = [expect.stringMatching(/^warn: 1 may be reached by users of another provider: /)]
      expect([await accountLines(a), await accountLines(b)]).toEqual([[], []])
      await start(a, 2000)
      expect([await accountLines(a), await accountLines(b), await accountLines(a, 'uid')]).toEqual([
        [],
        warned,
        warned,
      ])
      await start(b, 3000)
      expect(await accountLines(b)).toEqual(warned)
      await database.close()
    })

    test('R24.3: fails if the provider has no usable key, or if its clock differs', async () => {
      const idp = await hostileProvider()
      const env = { ...environment(idp.issuer), ROOMS_DATABASE_URL: await newUrl('empty') }
      idp.keys = [newSigningKey('RS256', { bits: 1024 })]
      expect(await lines('keys', env)).toEqual([
        expect.stringMatching(/^fail: none of the published keys can verify its tokens/),
      ])
      const later = () => Date.now() + 3_600_000
      expect((await lines('clock', env, later)).at(-1)).toMatch(
        /^fail: differs from the provider's by 3\d{3} s/,
      )
      await idp.stop()
    })
  })
})

describe('doctor', () => {
  test('R24.3: reports a different issuer in the metadata, with both URLs', async () => {
    const idp = await hostileProvider()
    idp.metadata((usual) => ({ ...usual, issuer: 'https://other.example.com' }))
    const [line] = await lines('provider', environment(idp.issuer))
    await idp.stop()
    expect(line).toStartWith(`fail: oidc ${idp.issuer}: `)
    expect(line).toContain('https://other.example.com')
  })

  test('R24.3: reports every invalid setting and checks nothing else', async () => {
    const list = await findings({ AUTH_PROVIDER: 'oidc', AUTH_PKCE: 'maybe', ALLOWED_HOSTS: 'https://a/b' })
    expect(list.every(({ name }) => name === 'settings')).toBe(true)
    for (const name of ['AUTH_PKCE', 'ALLOWED_HOSTS', 'AUTH_CLIENT_ID', 'OIDC_ISSUER'])
      expect(list.some(({ level, sentence }) => level === 'fail' && sentence.startsWith(name))).toBe(true)
  })

  test('R24.3: without AUTH_PROVIDER, reports what prevents the demo from starting, except settings that the demo sets', async () => {
    const demo = { ROOMS_DATABASE_URL: `sqlite:${join(folder, 'demo.db')}` }
    const set = {
      ALLOWED_HOSTS: 'https://a/b',
      AUTH_PROVIDER_LABEL: 'x'.repeat(1000),
      AUTH_SCOPES: 'profile "email"',
      GUEST_ENABLED: 'perhaps',
      OIDC_ISSUER: 'nowhere',
      TEAMIDP_ISSUER: 'nowhere',
    }
    expect(await lines('settings', { ...demo, ...set })).not.toContainEqual(expect.stringMatching(/^fail/))
    expect(await lines('settings', demo)).toEqual(['ok: all settings are valid'])
    const bad = { ...demo, AUTH_ADMIN_CLAIM_PATH: 'groups', GUEST_ENABLD: 'true', ROOMS_PORT: 'none' }
    const names = (await lines('settings', bad)).map((line) => line.split(' ').slice(0, 2).join(' '))
    expect(names.toSorted()).toEqual([
      'fail: AUTH_ADMIN_CLAIM_VALUE',
      'fail: ROOMS_PORT',
      'warn: GUEST_ENABLD',
    ])
    expect(await lines('settings', { ROOMS_DATABASE_URL: 'mysql://localhost' })).toEqual([
      expect.stringMatching(/^fail: ROOMS_DATABASE_URL must be/),
    ])
    expect(await lines('provider', demo)).toEqual([
      'warn: AUTH_PROVIDER is unset. latchkey start runs a demo provider, for this machine only',
    ])
    for (const [name, value] of [
      ['NODE_ENV', 'production'],
      ['ROOMS_HOST', '0.0.0.0'],
    ] as const)
      expect(await lines('provider', { ...demo, [name]: value })).toEqual([
        expect.stringMatching(/^warn: AUTH_PROVIDER is unset.* does not run .*set AUTH_PROVIDER/),
      ])
  })

  test('R24.3: fails if clients can choose their own address', async () => {
    const env = {
      ...environment('http://127.0.0.1:9'),
      PROXY_HEADER: 'X-Forwarded-For',
      TRUSTED_PROXIES: '0.0.0.0/0',
    }
    expect(await lines('proxy', env)).toEqual([
      expect.stringMatching(/^fail: TRUSTED_PROXIES allows every client/),
    ])
  })
})
