import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type JWTPayload, SignJWT, exportJWK, generateKeyPair } from 'jose'
import { adminOperations } from '../../src/http/operations.ts'
import { freePort } from '@latchkey/http/free-port'
import { Server } from '../durability/server.ts'

// On a machine that runs other tests at the same time.
setDefaultTimeout(30_000)

const NGINX = Bun.which('nginx', { PATH: `${process.env['PATH']}:/usr/sbin:/usr/local/sbin` })
const closing: (() => unknown)[] = []
let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-access-'))
})
afterAll(async () => {
  for (const close of closing.toReversed()) await close()
  rmSync(folder, { recursive: true, force: true })
})

async function start(name: string, environment: Record<string, string>): Promise<Server> {
  const own = join(folder, name)
  mkdirSync(own)
  const server = await Server.start(own, { environment })
  closing.push(() => server.close())
  return server
}

async function statusAndError(response: Response): Promise<[number, string]> {
  return [response.status, ((await response.json()) as { error?: string }).error ?? '']
}

/** Every route of the admin side, with every method. */
const everything = [
  ...adminOperations.flatMap((operation) =>
    operation.methods.map((method) => ({
      method: method as string,
      path: `/_/admin/api${operation.path.replaceAll(/\{\w+\}/g, '1')}`,
    })),
  ),
  ...[
    '/dashboard',
    '/links',
    '/logout',
    '/assets/main.js',
    '/nothing',
    '/api',
    '/api/',
    '/api/nothing',
    '//x',
  ].map((path) => ({ method: 'GET', path: `/_/admin${path}` })),
]

describe('a server that listens on all addresses without an access layer', () => {
  const own = Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === 'IPv4' && !each.internal)?.address

  test.skipIf(own === undefined)('refuses every request from another machine', async () => {
    const server = await start('open', { LINKS_HOST: '0.0.0.0' })
    for (const { method, path } of everything) {
      const response = await fetch(`http://${own}:${server.port}${path}`, {
        method,
        // The other machine may claim anything.
        headers: { Host: 'localhost', 'X-Forwarded-For': '127.0.0.1', 'Content-Type': 'application/json' },
        ...(['GET', 'HEAD'].includes(method) ? {} : { body: '{"url":"https://example.com/"}' }),
        redirect: 'manual',
      })
      const text = await response.text()
      expect([method, path, response.status, text.includes('LINKS_ACCESS')]).toEqual([
        method,
        path,
        403,
        true,
      ])
      expect(response.headers.get('content-security-policy')).toContain(`frame-ancestors 'none'`)
    }
    expect((await fetch(`http://${own}:${server.port}/_/health`)).status).toBe(200)
    const root = await fetch(`http://${own}:${server.port}/`, { redirect: 'manual' })
    expect([root.status, root.headers.get('location')]).toEqual([200, null])
  })

  test('refuses every request from a proxy on its own machine, and for any other host name', async () => {
    const server = await start('proxied', { LINKS_HOST: '0.0.0.0' })
    for (const headers of [
      { Host: 'localhost', 'X-Forwarded-For': '203.0.113.5' },
      { Host: 'localhost', Forwarded: 'for=127.0.0.1' },
      { Host: 'go.example.com' },
    ])
      for (const { method, path } of everything) {
        const { status, text } = await server.request(method, path, { headers })
        expect([method, path, status, text.includes('LINKS_ACCESS') || method === 'HEAD']).toEqual([
          method,
          path,
          403,
          true,
        ])
      }
  })
})

describe('with assertions of an access layer', () => {
  test('only the signature of the access layer admits', async () => {
    const { publicKey, privateKey } = await generateKeyPair('RS256')
    const { privateKey: strange } = await generateKeyPair('RS256')
    const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' }
    const layer = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json({ keys: [jwk] }) })
    closing.push(() => layer.stop(true))
    const server = await start('jwt', {
      LINKS_ACCESS: 'jwt',
      LINKS_ACCESS_JWKS_URL: `http://127.0.0.1:${layer.port}/certs`,
      LINKS_ACCESS_ISSUER: 'https://team.example',
      LINKS_ACCESS_AUDIENCE: 'links',
      LINKS_ACCESS_COOKIE: 'CF_Authorization',
    })
    const now = Math.floor(Date.now() / 1000)
    const sign = (payload: JWTPayload, key = privateKey, kid = 'k1') =>
      new SignJWT({ iss: 'https://team.example', aud: 'links', exp: now + 600, ...payload })
        .setProtectedHeader({ alg: 'RS256', kid })
        .sign(key)
    const ask = async (headers: Record<string, string>, method = 'GET') => {
      const response = await fetch(`http://127.0.0.1:${server.port}/_/admin/api/links`, {
        method,
        headers: { ...headers, 'Content-Type': 'application/json' },
        ...(method === 'POST' ? { body: '{"url":"https://example.com/jwt"}' } : {}),
      })
      return { status: response.status, body: (await response.json()) as { created_by?: string } }
    }
    const good = await sign({ email: 'ann@example.com' })
    const made = await ask({ 'Cf-Access-Jwt-Assertion': good }, 'POST')
    expect([made.status, made.body.created_by]).toEqual([201, 'ann@example.com'])
    const alone = { Cookie: `CF_Authorization=${good}` }
    expect((await ask(alone)).status).toBe(200)
    expect((await ask(alone, 'POST')).status).toBe(403)
    expect((await ask({ ...alone, 'Sec-Fetch-Site': 'same-origin' }, 'POST')).status).toBe(200)
    const unsigned = `${btoa('{"alg":"none"}')}.${good.split('.')[1]}.`
    const bad = [
      await sign({ email: 'ann@example.com' }, strange),
      await sign({ email: 'ann@example.com', aud: 'rooms' }),
      await sign({ email: 'ann@example.com', iss: 'https://evil.example' }),
      await sign({ email: 'ann@example.com', exp: now - 3600 }),
      await sign({ email: 'ann@example.com' }, strange, 'k2'),
      unsigned,
      good.slice(0, -4),
    ]
    for (const assertion of bad)
      expect(
        (await ask({ 'Cf-Access-Jwt-Assertion': assertion, 'X-Forwarded-Email': 'ann@example.com' })).status,
      ).toBe(401)
    expect((await ask({})).status).toBe(401)
  })
})

describe.skipIf(NGINX === null)('behind a real nginx that authenticates callers', () => {
  let server: Server
  let front = ''
  const ann = { Cookie: 'session=ann' }

  beforeAll(async () => {
    const accessProxy = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request) {
        const identity = /session=(\w+)/.exec(request.headers.get('cookie') ?? '')?.[1]
        if (identity === undefined) return new Response(null, { status: 401 })
        return new Response(null, { headers: { 'X-Auth-Email': `${identity}@example.com` } })
      },
    })
    closing.push(() => accessProxy.stop(true))
    server = await start('nginx', {
      LINKS_ACCESS: 'header',
      LINKS_ACCESS_HEADER: 'X-Forwarded-Email',
      TRUSTED_PROXIES: '127.0.0.1',
      PROXY_HEADER: 'X-Forwarded-For',
    })
    front = await startNginx(server.port, accessProxy.port ?? 0)
  }, 60_000)

  async function startNginx(upstream: number, door: number): Promise<string> {
    const port = await freePort()
    const own = join(folder, 'front')
    mkdirSync(own)
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    writeFileSync(
      join(own, 'nginx.conf'),
      `daemon off; pid ${own}/pid; error_log ${own}/error.log; worker_processes 1;
      events { worker_connections 64; }
      http {
        access_log off;
        ${temporary.map((name) => `${name}_temp_path ${own}/${name};`).join(' ')}
        client_max_body_size 33m; client_body_buffer_size 1m; proxy_max_temp_file_size 0;
        server {
          listen 127.0.0.1:${port};
          location = /door { internal; proxy_pass http://127.0.0.1:${door}; proxy_pass_request_body off;
            proxy_set_header Content-Length ""; }
          location / {
            auth_request /door;
            auth_request_set $email $upstream_http_x_auth_email;
            proxy_pass http://127.0.0.1:${upstream};
            proxy_http_version 1.1;
            proxy_set_header Host $http_host;
            proxy_set_header X-Forwarded-Host $http_host;
            proxy_set_header X-Forwarded-Proto $scheme;
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_set_header X-Forwarded-Email $email;
          }
        }
      }`,
    )
    const nginx = Bun.spawn([NGINX ?? '', '-e', `${own}/error.log`, '-c', `${own}/nginx.conf`], {
      stdout: 'ignore',
      stderr: 'ignore',
    })
    closing.push(async () => {
      nginx.kill('SIGTERM')
      await nginx.exited
    })
    // The file exists once the server listens.
    const deadline = performance.now() + 20_000
    while (!existsSync(join(own, 'pid'))) {
      if (nginx.exitCode !== null || performance.now() > deadline)
        throw new Error(`nginx does not start: ${readFileSync(join(own, 'error.log'), 'utf8')}`)
      await Bun.sleep(10)
    }
    return `http://127.0.0.1:${port}`
  }

  const post = (path: string, body: unknown, headers: Record<string, string>) =>
    fetch(`${front}/_/admin/api${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })

  test('the person who is signed in owns the resources created there', async () => {
    const made = await post('/links', { url: 'https://example.com/nginx' }, ann)
    expect([made.status, ((await made.json()) as { created_by: string }).created_by]).toEqual([
      201,
      'ann@example.com',
    ])
    expect((await fetch(`${front}/_/admin/api/links`)).status).toBe(401)
  })

  test('no header of a visitor changes who the visitor is', async () => {
    for (const forged of [
      { 'X-Forwarded-Email': 'root@example.com' },
      { 'x-forwarded-email': 'root@example.com' },
      { X_Forwarded_Email: 'root@example.com' },
      { 'X-Auth-Email': 'root@example.com' },
      { 'X-Forwarded-For': '127.0.0.1, 10.0.0.1', 'X-Forwarded-Host': 'evil.example' },
    ] as Record<string, string>[]) {
      const made = await post('/bundles', { name: 'Forged' }, { ...ann, ...forged })
      expect([forged, made.status, ((await made.json()) as { created_by: string }).created_by]).toEqual([
        forged,
        201,
        'ann@example.com',
      ])
      expect((await fetch(`${front}/_/admin/api/links`, { headers: forged })).status).toBe(401)
    }
  })

  test('pages use the origin that visitors see, and no other origin may change anything', async () => {
    const own = await post('/bundles', { name: 'Own' }, { ...ann, Origin: front })
    expect(own.status).toBe(201)
    const upstream = `http://127.0.0.1:${server.port}`
    for (const headers of [
      { Origin: upstream },
      { Origin: 'https://evil.example' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { Origin: 'https://evil.example', 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https' },
    ] as Record<string, string>[])
      expect(await statusAndError(await post('/bundles', { name: 'Other' }, { ...ann, ...headers }))).toEqual(
        [403, 'Cross-site request refused'],
      )
  })

  test('an API key grants nothing there, with or without a session', async () => {
    const made = await post('/keys', { title: 'x', scope: 'create,read' }, ann)
    const { raw_key: key } = (await made.json()) as { raw_key: string }
    const operation = await fetch(`${front}/_/admin/api/links`, {
      headers: { ...ann, Authorization: `Bearer ${key}` },
    })
    expect(await statusAndError(operation)).toEqual([401, 'API keys are not accepted here'])
  })

  test('events and the progress of an import arrive without buffering', async () => {
    const response = await fetch(`${front}/_/admin/api/events`, { headers: ann })
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const decoder = new TextDecoder()
    let events = decoder.decode((await reader.read()).value)
    const file = `url\n${Array.from({ length: 1100 }, (_, n) => `https://example.com/through/${n}`).join('\n')}`
    const imported = await fetch(`${front}/_/admin/api/import?format=csv`, {
      method: 'POST',
      headers: { ...ann, Accept: 'application/x-ndjson' },
      body: file,
    })
    const lines = (await imported.text()).trimEnd().split('\n')
    expect(JSON.parse(lines.at(-1) ?? '').report.imported).toBe(1100)
    while (!events.includes('data: ')) events += decoder.decode((await reader.read()).value)
    expect(events).toContain('"totals":true')
    await reader.cancel()
    const exported = await fetch(`${front}/_/admin/api/export?format=csv`, { headers: ann })
    expect((await exported.text()).split('\n').length).toBeGreaterThan(1100)
  })
})
