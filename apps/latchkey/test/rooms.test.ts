import { Database as SqliteFile } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { migrations } from '@latchkey/rooms/db/migrations'
import type { Tables } from '@latchkey/rooms/db/tables'
import { upsertMember } from '@latchkey/rooms/users/store'
import { Workspace } from './running.ts'

const ISSUER = 'https://login.example.com'

/** Stores a user who has signed in once, and returns the id. */
async function signedInOnce(workspace: Workspace, subject: string): Promise<string> {
  const database = openDatabase<Tables>(`sqlite:${join(workspace.folder, 'data', 'rooms.db')}`)
  await migrate(database, migrations)
  const person = { issuer: ISSUER, subject, mode: 'oidc', name: `Person ${subject}`, email: null }
  const { user } = await database.write((tx) => upsertMember(tx, person, Date.now()))
  await database.close()
  return user.id
}

describe('latchkey start without an identity provider', () => {
  const workspace = new Workspace()
  afterAll(() => workspace.remove())

  test('R26.1: runs the demo provider beside Rooms, on this machine only, and prints that', async () => {
    const service = await workspace.start(['start'], /--title "First key"/)
    const lobby = service.originOf('rooms').replace('127.0.0.1', 'localhost')
    expect(service.out).toContain(
      `Rooms          ${lobby}  (demo: sign in as alice, bob or carol, without a password)\n`,
    )
    expect(service.out).toContain('anyone on this machine can sign in as any demo user')
    expect(await (await fetch(`${lobby}/api/config`)).json()).toMatchObject({
      demo: true,
      guestEnabled: true,
      provider: { mode: 'teamidp' },
    })
    const start = await fetch(`${lobby}/api/auth/login`, { redirect: 'manual' })
    const { protocol, hostname, pathname } = new URL(start.headers.get('location') ?? '')
    expect([start.status, protocol, hostname, pathname]).toEqual([302, 'http:', '127.0.0.1', '/auth'])
    expect(await service.stop()).toBe(0)
    // An instance with a real provider has none of the demo's users.
    expect(readdirSync(workspace.path('data')).toSorted()).toEqual([
      'links-journal.db',
      'links.db',
      'rooms-demo.db',
    ])
  })

  test('stores its users in ROOMS_DATABASE_URL, if it is set', async () => {
    await Bun.write(workspace.path('url'), 'sqlite:./second.db')
    for (const env of [
      { ROOMS_DATABASE_URL: 'sqlite:./first.db' },
      { ROOMS_DATABASE_URL_FILE: workspace.path('url') },
    ])
      expect(await (await workspace.start(['start'], /--title "First key"/, env)).stop()).toBe(0)
    expect(['first.db', 'second.db'].map((name) => existsSync(workspace.path(name)))).toEqual([true, true])
  })

  test('R26.1a: refuses to start on a public address or in production', async () => {
    const refused = { ROOMS_HOST: '0.0.0.0', NODE_ENV: 'production' }
    for (const [name, value] of Object.entries(refused)) {
      const { code, err, out } = await workspace.run(['start'], { env: { [name]: value } })
      expect([name, code]).toEqual([name, 1])
      expect(err).toContain('set AUTH_PROVIDER to an identity provider of your own')
      // Links does not listen either.
      expect(out).toBe('')
    }
  })

  test('reports all invalid settings of Links and of the demo at once, before anything listens', async () => {
    const env = {
      ROOMS_LIMITS: 'made_up=1',
      SESSION_IDLE_SECONDS: 'x',
      ROOMS_PORT: 'none',
      LINKS_ACCESS: 'open',
    }
    const { code, err, out } = await workspace.run(['start'], { env })
    expect([code, out]).toEqual([1, ''])
    for (const name of Object.keys(env)) expect(err).toContain(name)
  })

  test('latchkey rooms requires a provider, and names all missing settings', async () => {
    const { code, err, out } = await workspace.run(['rooms'])
    expect([code, out]).toEqual([1, ''])
    for (const name of ['AUTH_PROVIDER', 'AUTH_CLIENT_ID', 'ALLOWED_HOSTS'])
      expect(err).toContain(`${name} is required`)
  })
})

describe('latchkey rooms admin', () => {
  const workspace = new Workspace()
  afterAll(() => workspace.remove())

  test("creates no database, and explains how to use the demo's", async () => {
    const empty = new Workspace()
    const missing = 'There is no database at ./data/rooms.db (ROOMS_DATABASE_URL)'
    for (const verb of ['grant', 'revoke'])
      expect(await empty.run(['rooms', 'admin', verb, '--user', 'ann'])).toEqual({
        code: 1,
        out: '',
        err: `${missing}\n`,
      })
    expect(readdirSync(empty.folder)).toEqual([])
    await empty.write('data/rooms-demo.db', '')
    const { err } = await empty.run(['rooms', 'admin', 'grant', '--user', 'ann'])
    expect(err).toBe(
      `${missing}. To use the demo's database, set ROOMS_DATABASE_URL=sqlite:./data/rooms-demo.db and ROOMS_FILES=./data/rooms-demo-files\n`,
    )
    expect(readdirSync(empty.path('data'))).toEqual(['rooms-demo.db'])
    empty.remove()
  })

  test('grants and revokes the role by id or by issuer and subject, without a running service, and audits it', async () => {
    const ann = await signedInOnce(workspace, 'ann|1')
    const bo = await signedInOnce(workspace, 'bo')
    expect(await workspace.run(['rooms', 'admin', 'grant', '--user', ann])).toMatchObject({
      code: 0,
      out: `Person ann|1 (${ann}) is now an administrator\n`,
    })
    expect((await workspace.run(['rooms', 'admin', 'grant', '--user', `${ISSUER}|bo`])).out).toContain(
      `(${bo}) is now an administrator`,
    )
    expect((await workspace.run(['rooms', 'admin', 'grant', '--user', bo])).out).toContain(
      'already has a manual administrator grant',
    )
    expect((await workspace.run(['rooms', 'admin', 'revoke', '--user', `${ISSUER}|ann|1`])).out).toContain(
      'is no longer an administrator',
    )
    const file = new SqliteFile(join(workspace.folder, 'data', 'rooms.db'), { readonly: true })
    const audited = file.query('select action, target_id as target from audit_events order by id').values()
    file.close()
    expect(audited).toEqual([
      ['grant.add', ann],
      ['grant.add', bo],
      ['grant.remove', ann],
    ])
  })

  test('refuses to revoke the last administrator, and unknown users', async () => {
    const last = await workspace.run(['rooms', 'admin', 'revoke', '--user', `${ISSUER}|bo`])
    expect([last.code, last.err]).toEqual([1, 'There must be at least one administrator\n'])
    const refusal = await workspace.run(['rooms', 'admin', 'grant', '--user', 'nobody'])
    expect([refusal.code, refusal.err]).toEqual([1, 'No user with this id has signed in\n'])
    expect((await workspace.run(['rooms', 'admin', 'grant'])).code).toBe(2)
  })

  test('latchkey backup copies the database of Rooms', async () => {
    const copy = workspace.path('rooms-copy.db')
    const { code, out } = await workspace.run(['backup', '--service', 'rooms', copy])
    expect(code).toBe(0)
    expect(out).toMatch(/^Backed up and verified: 2 users, 0 sessions, \d+ bytes in /)
    expect((await workspace.run(['backup', '--service', 'others', copy])).code).toBe(2)
  })
})

describe('latchkey doctor', () => {
  const workspace = new Workspace()
  afterAll(() => workspace.remove())

  test('without a provider checks the database of the demo', async () => {
    const { out } = await workspace.run(['doctor'])
    expect(out).toContain('the first start creates ./data/rooms-demo.db\n')
  })

  test('reports a provider that does not answer, and the URLs to register at it', async () => {
    const { code, out } = await workspace.run(['doctor'], {
      env: {
        AUTH_PROVIDER: 'oidc',
        AUTH_CLIENT_ID: 'rooms',
        OIDC_ISSUER: 'http://127.0.0.1:9',
        ALLOWED_HOSTS: 'https://rooms.example.com',
        BACKCHANNEL_LOGOUT: 'on',
      },
    })
    expect(code).toBe(1)
    expect(out).toMatch(/^fail {2}rooms {2}provider {4}oidc http:\/\/127.0.0.1:9: /m)
    expect(out).toContain('redirect URI: https://rooms.example.com/api/auth/callback\n')
    expect(out).toContain('back-channel logout URI: https://rooms.example.com/api/auth/backchannel-logout\n')
    expect(out).toContain('post-logout redirect URI: https://rooms.example.com\n')
  })
})
