import { afterAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { eachDialect } from '@latchkey/database/testing'
import { createLog } from '@latchkey/http/log'
import { sql } from 'kysely'
import { createLinks } from '../app.ts'
import { readSettings } from '../settings/settings.ts'
import { importText, openMigrated } from '../transfer/testing.ts'
import { migrations } from '../db/migrations.ts'
import { examine } from './doctor.ts'

/** Without an address of its own, this machine cannot be reached from others. */
const hasNetwork = Object.values(networkInterfaces()).some((list) => list?.some(({ internal }) => !internal))
const folder = mkdtempSync(join(tmpdir(), 'latchkey-doctor-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function findings(env: Record<string, string>, now?: () => number) {
  const results = []
  for await (const finding of examine({ LINKS_JOURNAL: `sqlite:${join(folder, 'j.db')}`, ...env }, now))
    results.push(finding)
  return results
}

/** Level and message of one check. */
async function findingOf(name: string, env: Record<string, string>, now?: () => number): Promise<string> {
  const matches = (await findings(env, now)).filter((finding) => finding.name === name)
  return matches.map(({ level, sentence }) => `${level}: ${sentence}`).join('\n')
}

function serve(answer: (request: Request) => Response): { origin: string; stop(): Promise<void> } {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer })
  return { origin: server.url.origin, stop: () => server.stop(true) }
}

eachDialect((dialect, newUrl) => {
  describe('doctor', () => {
    test('finds no problem with a new instance, and creates nothing for it', async () => {
      const LINKS_DATABASE_URL = await newUrl('empty')
      const results = await findings({ LINKS_DATABASE_URL })
      expect(results.filter(({ level }) => level === 'fail')).toEqual([])
      expect([...new Set(results.map(({ name }) => name))]).toEqual([
        'settings',
        'database',
        'migrations',
        'clock',
        'disk',
        'access',
        'address',
      ])
      const names = Object.keys(migrations)
      expect(await findingOf('migrations', { LINKS_DATABASE_URL })).toBe(
        `ok: the next start applies ${names.join(', ')}`,
      )
      if (dialect === 'sqlite') {
        const path = LINKS_DATABASE_URL.replace('sqlite:', '')
        expect([existsSync(path), await findingOf('database', { LINKS_DATABASE_URL })]).toEqual([
          false,
          `warn: does not exist yet: the first start creates ${path}`,
        ])
      }
      await (await openMigrated(LINKS_DATABASE_URL)).close()
      expect(await findingOf('database', { LINKS_DATABASE_URL })).toMatch(/^ok: .* is readable and intact$/)
      expect(await findingOf('migrations', { LINKS_DATABASE_URL })).toBe(
        `ok: up to date with ${names.at(-1)}`,
      )
    })

    test('reports a database of a newer version', async () => {
      const LINKS_DATABASE_URL = await newUrl()
      const database = await openMigrated(LINKS_DATABASE_URL)
      await database.write((tx) => sql`insert into migration values ('9999-future', 'now')`.execute(tx))
      await database.close()
      expect(await findingOf('migrations', { LINKS_DATABASE_URL })).toMatch(
        /^fail: .*newer version.*9999-future/,
      )
      // Checks that work with any version still run.
      expect(await findingOf('database', { LINKS_DATABASE_URL })).toMatch(/^ok: .* is readable and intact$/)
      expect(await findingOf('clock', { LINKS_DATABASE_URL })).toMatch(/^ok: says \d{4}/)
    })

    test('L37.1b fails while a salt of visitor hashes is stored more than 48 hours after its day', async () => {
      const LINKS_DATABASE_URL = await newUrl()
      const database = await openMigrated(LINKS_DATABASE_URL)
      const now = 1_795_516_200
      const day = now - (now % 86_400)
      const add = (at: number) =>
        database.write((tx) => sql`insert into visitor_salt values (${at}, 'salt')`.execute(tx))
      await add(day - 2 * 86_400)
      const findPrivacy = () => findingOf('privacy', { LINKS_DATABASE_URL }, () => now * 1000)
      expect(await findPrivacy()).toBe('')
      await add(day - 3 * 86_400)
      expect(await findPrivacy()).toMatch(
        /^fail: the visitor salt of 2026-11-21 is still stored: start the service/,
      )
      await database.close()
    })

    test('reports a clock that was never set, and one that disagrees with the database', async () => {
      const LINKS_DATABASE_URL = await newUrl()
      expect(await findingOf('clock', { LINKS_DATABASE_URL }, () => 0)).toStartWith('fail: says 1970-01-01')
      expect(await findingOf('clock', { LINKS_DATABASE_URL })).toStartWith('ok:')
      if (dialect === 'postgres') {
        const late = () => Date.now() - 60_000
        expect(await findingOf('clock', { LINKS_DATABASE_URL }, late)).toMatch(/^fail: .* by (59|60|61) s/)
      }
    })
  })
})

describe('doctor', () => {
  const sqlite = { LINKS_DATABASE_URL: `sqlite:${join(folder, 'links.db')}` }

  test('reports every bad setting and checks nothing else', async () => {
    const results = await findings({ LINKS_PORT: 'x', LINKS_ACCESS: 'y', LINKS_PROT: '1' })
    expect(results.map(({ level, name }) => [level, name])).toEqual([
      ['warn', 'settings'],
      ['fail', 'settings'],
      ['fail', 'settings'],
    ])
    expect(results.map(({ sentence }) => sentence).join()).toContain('did you mean LINKS_PORT?')
  })

  test('reports a file that is not a database and an impossible path', async () => {
    const garbage = join(folder, 'garbage.db')
    writeFileSync(garbage, 'this is not a database, whatever its name says, and it is long enough')
    expect(await findingOf('database', { LINKS_DATABASE_URL: `sqlite:${garbage}` })).toStartWith('fail: ')
    const below = `sqlite:${join(garbage, 'links.db')}`
    expect(await findingOf('database', { LINKS_DATABASE_URL: below })).toStartWith('fail: cannot be used')
  })

  test('reports a PostgreSQL that does not answer, without the password', async () => {
    const url = 'postgres://links:hunter2@127.0.0.1:1/links'
    const results = await findings({ LINKS_DATABASE_URL: url })
    expect(results.find(({ name }) => name === 'database')?.level).toBe('fail')
    expect(JSON.stringify(results)).not.toContain('hunter2')
  })

  test('reports a database with damaged pages', async () => {
    const path = join(folder, 'damaged.db')
    const database = await openMigrated(`sqlite:${path}`)
    const rows = Array.from({ length: 3_000 }, (_, at) => `https://example.com/${at}/${'x'.repeat(50)}`)
    await importText(database, `url\n${rows.join('\n')}\n`, { pieceBytes: 10_000 })
    await sql`pragma wal_checkpoint(truncate)`.execute(database.writer)
    await database.close()
    const bytes = Buffer.from(await Bun.file(path).arrayBuffer())
    bytes.fill(0x55, bytes.length - 200_000, bytes.length - 100_000)
    writeFileSync(path, bytes)
    expect(await findingOf('database', { LINKS_DATABASE_URL: `sqlite:${path}` })).toMatch(
      /^fail: .*restore a backup|^fail: .*SQLITE_CORRUPT/,
    )
  })

  test('requests the public address', async () => {
    const ours = serve(() => Response.json({ status: 'ok' }))
    expect(await findingOf('address', { ...sqlite, LINKS_BASE_URL: ours.origin })).toBe(
      `ok: ${ours.origin} answers`,
    )
    await ours.stop()
    expect(await findingOf('address', { ...sqlite, LINKS_BASE_URL: ours.origin })).toMatch(
      /^warn: .* does not answer/,
    )
    const other = serve(() => new Response('<h1>It works!</h1>', { status: 200 }))
    expect(await findingOf('address', { ...sqlite, LINKS_BASE_URL: other.origin })).toMatch(
      /^warn: .* not as Latchkey Links/,
    )
    await other.stop()
    expect(await findingOf('address', sqlite)).toMatch(/^warn: .*set LINKS_BASE_URL/)
  })

  test('fetches the keys of the access layer', async () => {
    const jwt = (url: string) => ({
      ...sqlite,
      LINKS_ACCESS: 'jwt',
      LINKS_ACCESS_JWKS_URL: url,
      LINKS_ACCESS_ISSUER: 'i',
      LINKS_ACCESS_AUDIENCE: 'a',
    })
    const keys = serve(() => Response.json({ keys: [] }))
    expect(await findingOf('access', jwt(`${keys.origin}/certs`))).toStartWith('ok: jwt')
    await keys.stop()
    expect(await findingOf('access', jwt(`${keys.origin}/certs`))).toMatch(/^fail: .*LINKS_ACCESS_JWKS_URL/)
  })

  test('L16.7: asks the access layer for ended sessions', async () => {
    let status = 200
    const layer = serve(({ url }) =>
      url.endsWith('/jwks')
        ? Response.json({ keys: [] })
        : Response.json({ cursor: '0', reset: true, ended: [] }, { status }),
    )
    const env = {
      ...sqlite,
      LINKS_ACCESS: 'jwt',
      LINKS_ACCESS_JWKS_URL: `${layer.origin}/jwks`,
      LINKS_ACCESS_ISSUER: 'i',
      LINKS_ACCESS_AUDIENCE: 'a',
      LINKS_ACCESS_REVOCATIONS_URL: `${layer.origin}/revocations`,
      LINKS_ACCESS_SERVICE_KEY: 'k'.repeat(32),
    }
    expect(await findingOf('access', env)).toMatch(
      /^ok: jwt: .*\/jwks can be fetched, and .*\/revocations read$/,
    )
    status = 401
    const refused = await findingOf('access', env)
    expect(refused).toMatch(/^fail: jwt: .*not 401.*LINKS_ACCESS_SERVICE_KEY/)
    expect(refused).not.toContain('k'.repeat(32))
    await layer.stop()
  })

  test('fails if any client can claim any identity', async () => {
    const header = { ...sqlite, LINKS_ACCESS: 'header', LINKS_ACCESS_HEADER: 'X-User' }
    expect(await findingOf('access', { ...header, TRUSTED_PROXIES: '10.0.0.1,0.0.0.0/0' })).toStartWith(
      'fail: ',
    )
    expect(await findingOf('access', { ...header, TRUSTED_PROXIES: '10.0.0.1' })).toStartWith('ok: header')
  })

  test('fails if the public address exposes the admin side to strangers', async () => {
    const behind = async (answer: (url: URL) => Response): Promise<string> => {
      const server = serve(({ url }) =>
        url.endsWith('/_/health') ? Response.json({ status: 'ok' }) : answer(new URL(url)),
      )
      const header = { LINKS_ACCESS: 'header', LINKS_ACCESS_HEADER: 'X-User', TRUSTED_PROXIES: '127.0.0.1' }
      const text = await findingOf('admin', { ...sqlite, ...header, LINKS_BASE_URL: server.origin })
      await server.stop()
      return text.replaceAll(server.origin, '')
    }
    const redirect = (location: string) => new Response(null, { status: 302, headers: { location } })
    for (const status of [401, 403, 404])
      expect(await behind(() => new Response('', { status }))).toBe(
        'ok:  refuses unauthenticated requests at /_/admin and /_/metrics',
      )
    expect(await behind(() => redirect('https://login.example.com/?rd=/_/admin/api/settings'))).toStartWith(
      'ok: ',
    )
    expect(await behind(() => redirect('/oauth2/start'))).toStartWith('ok: ')
    // The destination of a redirect, such as from http to https, must still be checked.
    const moved = (url: URL) => (url.search ? Response.json({}) : redirect('/_/admin/api/settings?secure'))
    for (const open of [() => Response.json({}), () => new Response('', { status: 500 }), moved])
      expect(await behind(open)).toMatch(/^fail: .*answers (200|500) at .*set LINKS_ACCESS/)
    const metrics = ({ pathname }: URL) =>
      pathname === '/_/metrics' ? new Response('clicks 1') : new Response('', { status: 401 })
    expect(await behind(metrics)).toBe(
      'fail:  answers 200 at /_/metrics without authentication: make the proxy send X-Forwarded-For',
    )
  })

  test('checks the admin side only if the public address answers and is not local by design', async () => {
    const open = serve(() => Response.json({ status: 'ok' }))
    const { port } = new URL(open.origin)
    const direct = { ...sqlite, LINKS_BASE_URL: open.origin, LINKS_PORT: port }
    expect(await findingOf('admin', direct)).toMatch(/^ok: .*this machine/)
    await open.stop()
    const away = 'https://links.invalid'
    expect(await findingOf('admin', { ...sqlite, LINKS_BASE_URL: away })).toMatch(/^warn: not checked/)
    expect(await findingOf('admin', sqlite)).toBe('')
  })

  test('warns about a proxy on this machine that adds no header, and fails if others reach it', async () => {
    const links = await createLinks({
      settings: readSettings({ ...sqlite, LINKS_JOURNAL: `sqlite:${join(folder, 'proxied.db')}` }),
      log: createLog({ write: () => {} }),
    })
    const service = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: links.fetch })
    /** A bare `proxy_pass`, which sends the name of its upstream as the host. */
    const proxy = (hostname: string, headers: Record<string, string> = {}) =>
      Bun.serve({
        port: 0,
        hostname,
        fetch: ({ url }) => fetch(new URL(new URL(url).pathname, service.url), { headers }),
      })
    const findingBehind = async (hostname: string, headers?: Record<string, string>) => {
      const server = proxy(hostname, headers)
      const LINKS_BASE_URL = `http://localhost:${server.port}`
      const text = await findingOf('admin', { ...sqlite, LINKS_BASE_URL, LINKS_PORT: String(service.port) })
      await server.stop(true)
      return text
    }
    const remedy = 'set LINKS_ACCESS to jwt or header, and make the proxy send X-Forwarded-For'
    expect(await findingBehind('127.0.0.1')).toMatch(/^warn: .*without authentication/)
    expect(await findingBehind('127.0.0.1')).toContain(remedy)
    expect(await findingBehind('127.0.0.1', { 'X-Forwarded-For': '203.0.113.9' })).toMatch(/^ok: /)
    if (hasNetwork) expect(await findingBehind('0.0.0.0')).toMatch(/^fail: http:\/\/(?!localhost)/)
    await service.stop(true)
    await links.close()
  })

  test('names the disk of a database that does not exist yet', async () => {
    const env = { LINKS_DATABASE_URL: `sqlite:${join(folder, 'new', 'deep', 'links.db')}` }
    expect(await findingOf('disk', env)).toMatch(/MB free/)
  })
})

test('L31.3: warns about a further domain that does not lead to this instance', async () => {
  const own = serve(() => Response.json({ status: 'ok' }))
  const { origin } = own
  const LINKS_DOMAINS = 'l.nowhere.invalid'
  expect(await findingOf('domains', { LINKS_DOMAINS, LINKS_BASE_URL: origin })).toBe(
    `warn: http://l.nowhere.invalid:${new URL(origin).port} does not answer as this instance: check its DNS records and the proxy`,
  )
  expect(await findingOf('domains', { LINKS_DOMAINS })).toContain('set LINKS_BASE_URL')
  expect(await findingOf('domains', { LINKS_BASE_URL: origin })).toBe('')
  await own.stop()
})
