// The host names of the service (R3), over a real socket, because Bun parses the request head
// before the service does.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SettingsError } from '@latchkey/settings/settings'
import { readSettings } from '../../src/settings/settings.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { listen, sendRaw } from './raw.ts'

let service: TestRooms
let server: ReturnType<typeof listen>
beforeAll(async () => {
  const settings = {
    allowedHosts: [
      'https://rooms.example.com',
      'https://rooms.example.com:8443',
      'http://localhost:8081',
    ] as const,
    metricsToken: 'metrics-token-of-this-test',
  }
  service = await openRooms({ settings: { ...settings, allowedHosts: [...settings.allowedHosts] } })
  server = listen(service)
})
afterAll(async () => {
  await server.stop()
  await service.close()
})

const ask = (head: string, path = '/api/openapi.json', target = path) =>
  sendRaw(server.port, `GET ${target} HTTP/1.1\r\n${head}Connection: close\r\n\r\n`)

async function answer(head: string, path?: string, target?: string) {
  const { status, body } = await ask(head, path, target)
  const code = status >= 400 && body.startsWith('{') ? (JSON.parse(body) as { code: string }).code : ''
  return [status, code]
}

describe('R3.2 C128: the Host of a request', () => {
  test('is accepted in any case, with one trailing dot and with the default port', async () => {
    for (const host of [
      'rooms.example.com',
      'ROOMS.Example.COM',
      'rooms.example.com.',
      'rooms.example.com:443',
      'Rooms.example.com.:443',
      'rooms.example.com:8443',
      'rooms.example.com.:8443',
      'localhost:8081',
    ])
      expect([host, ...(await answer(`Host: ${host}\r\n`))]).toEqual([host, 200, ''])
  })

  test('is refused with 421 if it is not configured', async () => {
    for (const host of [
      'evil.example',
      'rooms.example.com:80',
      'rooms.example.com:8081',
      'rooms.example.com..',
      'rooms.example.com.evil.example',
      'evil-rooms.example.com',
      'xrooms.example.com',
      'localhost',
      'localhost:80',
      'localhost:8443',
      '127.0.0.1:8081',
      '[::1]:8081',
      'example.com',
      '.',
      'constructor',
      '__proto__',
    ])
      for (const path of [
        '/',
        '/login',
        '/api/session',
        '/api/auth/login',
        '/api/auth/callback',
        '/api/docs',
      ])
        expect([host, path, ...(await answer(`Host: ${host}\r\n`, path))]).toEqual([
          host,
          path,
          421,
          'wrong_host',
        ])
  })

  test('is refused with 400 if it is missing, repeated, or has user info', async () => {
    for (const head of [
      'Host:\r\n',
      'Host: rooms.example.com\r\nHost: evil.example\r\n',
      'Host: evil.example\r\nHost: rooms.example.com\r\n',
      'Host: rooms.example.com\r\nhost: rooms.example.com\r\n',
      'Host: rooms.example.com, evil.example\r\n',
      'Host: user@rooms.example.com\r\n',
      'Host: user:pw@rooms.example.com\r\n',
      'Host: rooms.example.com/path\r\n',
      'Host: rooms.example.com:\r\n',
      'Host: rooms.example.com:0443\r\n',
      'Host: rooms.example.com:443:443\r\n',
      'Host: rooms.example.com:44x\r\n',
      'Host: https://rooms.example.com\r\n',
      'Host: rooms.example.com%2eevil.example\r\n',
      'Host: rooms.example.com\\evil\r\n',
      'Host: rooms.example.com evil\r\n',
      'Host: r\xf6oms.example.com\r\n',
    ])
      for (const path of ['/', '/api/session', '/api/auth/login', '/api/auth/callback'])
        expect([head, path, ...(await answer(head, path))]).toEqual([head, path, 400, 'invalid_request'])
    // Bun refuses these before the service sees them.
    for (const head of ['', 'Host : rooms.example.com\r\n', 'Host: rooms.example.com\r\n evil.example\r\n'])
      expect([head, (await ask(head)).status]).toEqual([head, 400])
    expect((await sendRaw(server.port, 'GET /api/session HTTP/1.0\r\n\r\n')).status).toBe(400)
  })

  test('is used whatever an absolute request target says', async () => {
    const target = (origin: string) => `${origin}/api/openapi.json`
    const path = '/api/openapi.json'
    expect(await answer('Host: evil.example\r\n', path, target('http://rooms.example.com'))).toEqual([
      421,
      'wrong_host',
    ])
    const { status, body } = await ask('Host: rooms.example.com\r\n', path, target('http://evil.example'))
    expect(status).toBe(200)
    expect(body).not.toContain('evil.example')
  })

  test('is not checked for health, readiness and logout tokens of the provider', async () => {
    for (const host of ['evil.example', '10.0.0.7:8081', 'user@x', 'a, b', '']) {
      expect([host, (await ask(`Host: ${host}\r\n`, '/api/health')).status]).toEqual([host, 200])
      expect([host, (await ask(`Host: ${host}\r\n`, '/api/ready')).status]).toEqual([host, 200])
      const body = 'logout_token=x'
      const sent = await sendRaw(
        server.port,
        `POST /api/auth/backchannel-logout HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      )
      expect([host, sent.status, sent.body.includes('logout token')]).toEqual([host, 400, true])
    }
  })

  test('may be a loopback name for metrics, and must otherwise be configured', async () => {
    const statusOf = async (head: string) => (await ask(head, '/api/metrics')).status
    for (const host of ['localhost', 'localhost:9', '127.0.0.1:8081', '[::1]', 'localhost.'])
      expect([host, await statusOf(`Host: ${host}\r\n`)]).toEqual([host, 200])
    const token = 'Authorization: Bearer metrics-token-of-this-test\r\n'
    expect(await statusOf(`Host: rooms.example.com\r\n${token}`)).toBe(200)
    expect(await statusOf('Host: rooms.example.com\r\n')).toBe(404)
    expect(
      await statusOf('Host: rooms.example.com\r\nAuthorization: Bearer metrics-token-of-this-tesT\r\n'),
    ).toBe(404)
    expect(await statusOf(`Host: evil.example\r\n${token}`)).toBe(421)
    expect(await statusOf(`Host: user@localhost\r\n${token}`)).toBe(400)
    // A proxy on this machine passes on requests of strangers.
    expect(await statusOf('Host: localhost\r\nX-Forwarded-For: 203.0.113.7\r\n')).toBe(404)
  })

  test('determines the scheme of cookies and headers, not the transport', async () => {
    const secure = await ask('Host: rooms.example.com\r\nX-Forwarded-Proto: http\r\n', '/')
    expect(secure.headers.get('strict-transport-security')).toBe('max-age=31536000')
    expect(secure.headers.get('content-security-policy')).toContain(
      "connect-src 'self' wss://rooms.example.com;",
    )
    const plain = await ask('Host: localhost:8081\r\nX-Forwarded-Proto: https\r\n', '/')
    expect(plain.headers.get('strict-transport-security')).toBeNull()
    expect(plain.headers.get('content-security-policy')).toContain("connect-src 'self' ws://localhost:8081;")
  })
})

describe('C129: ALLOWED_HOSTS', () => {
  const start = (allowed: string) =>
    readSettings({
      AUTH_PROVIDER: 'oidc',
      AUTH_CLIENT_ID: 'c',
      OIDC_ISSUER: 'https://idp.example.com',
      ALLOWED_HOSTS: allowed,
    })

  test('accepts exact origins, with https or with http on this machine', () => {
    const allowed =
      'https://rooms.example.com, https://rooms.example.com:8443,http://localhost:8081,http://[::1]'
    expect(start(allowed).allowedHosts).toEqual([
      'https://rooms.example.com',
      'https://rooms.example.com:8443',
      'http://localhost:8081',
      'http://[::1]',
    ])
  })

  test('refuses everything else at startup', () => {
    for (const bad of [
      'https://rooms.example.com/',
      'https://rooms.example.com/path',
      'https://rooms.example.com:443',
      'http://localhost:80',
      'https://Rooms.example.com',
      'HTTPS://rooms.example.com',
      'http://rooms.example.com',
      'http://192.168.0.5',
      'http://localhost.evil.example',
      'ws://localhost',
      'ftp://localhost',
      'rooms.example.com',
      '//rooms.example.com',
      'https://user@rooms.example.com',
      'https://rooms.example.com?x',
      'https://rooms.example.com#x',
      'https://*.example.com',
      'https://rooms.example.com,https://rooms.example.com',
      'http://localhost:443,https://localhost',
      'https://rooms.example.com,,',
      '*',
      'null',
    ])
      expect(() => start(bad), bad).toThrow(SettingsError)
    expect(() => start('')).toThrow(SettingsError)
  })
})

describe('C126: PROXY_HEADER', () => {
  const start = (trusted: Record<string, string>) =>
    readSettings({
      AUTH_PROVIDER: 'oidc',
      AUTH_CLIENT_ID: 'c',
      OIDC_ISSUER: 'https://idp.example.com',
      ALLOWED_HOSTS: 'https://rooms.example.com',
      PROXY_HEADER: 'X-Forwarded-For',
      ...trusted,
    })

  test('is refused at startup if the list of trusted proxies is empty', () => {
    for (const proxies of ['', 'none'])
      expect(() => start({ TRUSTED_PROXIES: proxies })).toThrow(/PROXY_HEADER/)
    expect(start({}).trustedProxies).toEqual(['127.0.0.0/8', '::1'])
    expect(start({ TRUSTED_PROXIES: '10.0.0.0/8' }).trustedProxies).toEqual(['10.0.0.0/8'])
  })
})
