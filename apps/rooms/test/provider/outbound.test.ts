import { afterEach, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { Socket } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { deflateSync, gzipSync } from 'node:zlib'
import { type Outbound, type OutboundOptions, createOutbound } from '../../src/login/outbound.ts'
import { EXPIRED, KEY, VALID } from './certificates.ts'
import { openProviderBench, failureOf, login } from './provider.ts'
import { rawServer } from './raw-server.ts'

const stops: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

const clock = { ms: 0 }

const baseOptions: OutboundOptions = {
  privateHosts: new Set(['127.0.0.1']),
  now: () => clock.ms,
  metrics: { observeProvider() {} },
}

function outbound(options: Partial<OutboundOptions> = {}): Outbound {
  return createOutbound({ ...baseOptions, ...options })
}

async function raw(answer: (socket: Socket, request: string) => void) {
  const server = await rawServer(answer)
  stops.push(() => server.stop())
  return server
}

function serve(answer: (request: Request) => Response | Promise<Response>) {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 60, fetch: answer })
  stops.push(() => server.stop(true))
  return { url: `http://127.0.0.1:${server.port}/`, port: server.port ?? 0 }
}

const token = (url: string) => ({ endpoint: 'token' as const, url, form: new URLSearchParams({ a: 'b' }) })
const KIB = 1024
const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'

describe('a response', () => {
  test('R4.5: is requested without cookies, compression or a persistent connection, and only its JSON object is read', async () => {
    const seen: Record<string, string>[] = []
    const { url } = serve((request) => {
      seen.push(Object.fromEntries(request.headers))
      return Response.json({ a: 1 }, { headers: { 'set-cookie': 'tracking=1' } })
    })
    const ask = outbound()
    expect(await ask({ endpoint: 'discovery', url })).toEqual({ status: 200, object: { a: 1 } })
    await ask({ endpoint: 'discovery', url })
    const { host } = new URL(url)
    const headers = {
      host,
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': 'latchkey-rooms',
      connection: 'close',
    }
    expect(seen).toEqual([headers, headers])
  })

  test('C43: a redirect is not followed: it counts as another status', async () => {
    let landed = 0
    const target = serve(() => {
      landed += 1
      return Response.json({ stolen: true })
    })
    for (const status of [301, 302, 303, 307, 308]) {
      const { url } = serve(() => new Response(null, { status, headers: { location: target.url } }))
      expect(await outbound()(token(url))).toEqual({ status, object: undefined })
    }
    expect(landed).toBe(0)
  })

  test('C43: HTML, a list, a string, a number, bad UTF-8 and an empty body are refused', async () => {
    for (const body of ['<html>', '[]', '"x"', '1', 'null', '', '{"a":1', Uint8Array.of(0x7b, 0xff, 0x7d)]) {
      const { url } = serve(() => new Response(body))
      expect(await outbound()(token(url))).toEqual({ status: 200, object: undefined })
    }
  })

  test('C44: is read up to 256 KiB, 512 KiB for keys, and not a byte more', async () => {
    const serveOfSize = (bytes: number) => serve(() => new Response(`{"a":"${'x'.repeat(bytes - 8)}"}`)).url
    const limits = { discovery: 256, token: 256, userinfo: 256, jwks: 512 } as const
    for (const [endpoint, kib] of Object.entries(limits) as [keyof typeof limits, number][]) {
      const ask = outbound()
      expect((await ask({ endpoint, url: serveOfSize(kib * KIB) })).object).toBeDefined()
      expect(await failureOf(ask({ endpoint, url: serveOfSize(kib * KIB + 1) }))).toBe(
        `provider_error: ${endpoint} answer too large`,
      )
    }
  })

  test('C44: is measured after decompression', async () => {
    const serveCompressed = (body: Uint8Array, encoding: string) =>
      serve(() => new Response(Buffer.from(body), { headers: { 'content-encoding': encoding } })).url
    const small = '{"a":1}'
    for (const [body, encoding] of [
      [gzipSync(small), 'gzip'],
      [deflateSync(small), 'deflate'],
    ] as const)
      expect((await outbound()(token(serveCompressed(body, encoding)))).object).toEqual({ a: 1 })
    const bomb = gzipSync(Buffer.alloc(20_000_000, 'x'))
    expect(bomb.length).toBeLessThan(64 * KIB)
    expect(await failureOf(outbound()(token(serveCompressed(bomb, 'gzip'))))).toBe(
      'provider_error: token answer too large',
    )
    for (const [body, encoding] of [
      [gzipSync(gzipSync(small)), 'gzip, gzip'],
      [Buffer.from(small), 'gzip'],
      [Buffer.from(small), 'constructor'],
    ] as const)
      expect(await failureOf(outbound()(token(serveCompressed(body, encoding))))).toBe(
        'provider_unavailable: token does not answer',
      )
  })
})

describe('a bad connection', () => {
  const endless: Record<string, (socket: Socket) => void> = {
    'silent after the request': () => {},
    'silent after the headers': (socket) => socket.write(`${head}content-length: 2\r\n\r\n`),
    'a byte now and then': (socket) => {
      socket.write(`${head}content-length: 1000\r\n\r\n`)
      const timer = setInterval(() => socket.write('x'), 5)
      socket.on('close', () => clearInterval(timer))
    },
    'chunks without end': (socket) => {
      socket.write(`${head}transfer-encoding: chunked\r\n\r\n`)
      const timer = setInterval(() => socket.write('1\r\n \r\n'), 5)
      socket.on('close', () => clearInterval(timer))
    },
  }
  const broken: Record<string, (socket: Socket) => void> = {
    reset: (socket) => socket.resetAndDestroy(),
    'closed without a word': (socket) => socket.end(),
    'shorter than announced': (socket) => socket.end(`${head}content-length: 100\r\n\r\n{}`),
    'no HTTP': (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
    'two lengths': (socket) => socket.end(`${head}content-length: 2\r\ncontent-length: 3\r\n\r\n{}x`),
    'headers without end': (socket) => {
      socket.write(head)
      const timer = setInterval(() => socket.write(`x-filler: ${'x'.repeat(60_000)}\r\n`), 1)
      socket.on('close', () => clearInterval(timer))
    },
  }
  /**
   * The number of requests that the server received until the call failed and the connection was
   * closed.
   */
  async function requestsOf(answer: (socket: Socket) => void, callMs: number): Promise<number> {
    let requests = 0
    const server = await raw((socket) => {
      requests += 1
      answer(socket)
    })
    expect(await failureOf(outbound({ callMs })(token(server.url)))).toBe(
      'provider_unavailable: token does not answer',
    )
    while (server.connections() > 0) await Bun.sleep(1)
    return requests
  }

  for (const [name, answer] of Object.entries(endless))
    test(`C44 C119: ${name}: one request, a limited wait, a clear failure, and the connection is closed`, async () => {
      let requests = 0
      // On a busy machine the request may take longer than this to arrive.
      for (let callMs = 500; requests === 0; callMs *= 2) requests = await requestsOf(answer, callMs)
      expect(requests).toBe(1)
    })

  for (const [name, answer] of Object.entries(broken))
    test(`C44 C119: ${name}: one request, an immediate clear failure, and the connection is closed`, async () => {
      expect(await requestsOf(answer, 3_600_000)).toBe(1)
    })

  test('C119: a refused connection fails', async () => {
    const server = await rawServer(() => {})
    server.stop()
    expect(await failureOf(outbound()(token(server.url)))).toBe('provider_unavailable: token does not answer')
  })

  test('C119: a name that does not exist, or is not resolved in time, fails', async () => {
    const never = () => new Promise<string[]>(() => {})
    const nowhere = () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }))
    for (const resolve of [never, nowhere])
      expect(await failureOf(outbound({ resolve, connectMs: 30 })(token('http://idp.example/')))).toBe(
        'provider_unavailable: token does not answer',
      )
  })

  test('C44: an unfinished TLS handshake is given up at the connect timeout, which does not limit the response', async () => {
    const silent = await raw(() => {})
    // On a busy machine it may take longer than this to connect at all.
    for (let [connectMs, isRequested] = [2_000, false]; !isRequested; connectMs *= 2) {
      const ask = outbound({ connectMs, callMs: 60_000 })
      const slow = serve(async () => {
        isRequested = true
        // When this has reached its timeout, a caller that waits for the response has waited
        // longer.
        const failed = await failureOf(ask(token(silent.url.replace('http:', 'https:'))))
        return Response.json({ failed })
      })
      const answer = await ask(token(slow.url)).catch(() => undefined)
      if (isRequested)
        expect(answer?.object).toEqual({ failed: 'provider_unavailable: token does not answer' })
    }
  })

  test('C119: 429 and 503 are responses, distinguished from no response by their status', async () => {
    for (const status of [429, 503]) {
      const { url } = serve(() => Response.json({ error: 'slow_down' }, { status }))
      expect((await outbound()(token(url))).status).toBe(status)
    }
  })
})

describe('certificates', () => {
  async function tlsServer(cert: string) {
    let requests = 0
    const server = createServer({ key: KEY, cert }, (_request, response) => {
      requests += 1
      response.end('{"a":1}')
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    stops.push(() => server.close())
    const address = server.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    return { url: (host: string) => `https://${host}:${port}/`, requests: () => requests }
  }
  const resolve = async () => ['127.0.0.1']
  const privateHosts = new Set(['127.0.0.1', 'idp.example', 'other.example'])
  const ask = (url: string) => failureOf(outbound({ resolve, privateHosts })(token(url)))

  test('C119: self-signed, expired and wrong-name certificates are refused before anything is sent', async () => {
    const unavailable = 'provider_unavailable: token does not answer'
    const valid = await tlsServer(VALID)
    const expired = await tlsServer(EXPIRED)
    expect(await ask(valid.url('idp.example'))).toBe(unavailable)
    const authorities = getCACertificates('default')
    try {
      setDefaultCACertificates([...authorities, VALID, EXPIRED])
      expect(await ask(valid.url('other.example'))).toBe(unavailable)
      expect(await ask(valid.url('127.0.0.1'))).toBe(unavailable)
      expect(await ask(expired.url('idp.example'))).toBe(unavailable)
      expect([valid.requests(), expired.requests()]).toEqual([0, 0])
      expect(await ask(valid.url('idp.example'))).toBe('nothing failed')
    } finally {
      setDefaultCACertificates(authorities)
    }
  })

  test('R4.5: NODE_EXTRA_CA_CERTS is honoured, and certificate checks cannot be turned off', async () => {
    const { url } = await tlsServer(VALID)
    const file = `${import.meta.dir}/../../src/login/outbound.ts`
    const program = `
      import { createOutbound } from ${JSON.stringify(file)}
      const ask = createOutbound({ privateHosts: new Set(['idp.example']), now: Date.now,
        metrics: { observeProvider() {} }, resolve: async () => ['127.0.0.1'] })
      const answer = await ask({ endpoint: 'token', url: ${JSON.stringify(url('idp.example'))} }).catch((error) => error)
      console.log(answer.status ?? answer.detail.cause)`
    const run = async (env: Record<string, string>) => {
      const child = Bun.spawn([process.execPath, '-e', program], {
        env: { ...process.env, ...env },
        stderr: 'ignore',
      })
      return (await new Response(child.stdout).text()).trim()
    }
    const authority = `${(await import('node:os')).tmpdir()}/latchkey-authority-${process.pid}.pem`
    await Bun.write(authority, VALID)
    stops.push(() => Bun.file(authority).delete())
    expect(await run({ NODE_EXTRA_CA_CERTS: authority })).toBe('200')
    expect(await run({ NODE_TLS_REJECT_UNAUTHORIZED: '0' })).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
  })
})

describe('addresses', () => {
  test('R4.6 C120: a host that only the metadata name is not connected to at a private address, in any notation', async () => {
    let requests = 0
    const inner = await raw((socket) => {
      requests += 1
      socket.end(`${head}content-length: 2\r\n\r\n{}`)
    })
    const ask = outbound({ privateHosts: new Set(['idp.example']), resolve: async () => ['127.0.0.1'] })
    for (const host of [
      '127.0.0.1',
      'localhost',
      'inner.example',
      '2130706433',
      '0x7f.1',
      '0',
      '[::]',
      '[::1]',
      '[::ffff:127.0.0.1]',
      '[::127.0.0.1]',
      '[64:ff9b::127.0.0.1]',
      '169.254.169.254',
      '[::ffff:169.254.169.254]',
      'idp.example.evil.example',
      'idp.example.',
    ])
      expect([host, await failureOf(ask(token(`http://${host}:${inner.port}/`)))]).toEqual([
        host,
        'provider_misconfigured: address of the token host not permitted',
      ])
    expect(requests).toBe(0)
    expect(await failureOf(ask(token(`http://idp.example:${inner.port}/`)))).toBe('nothing failed')
  })

  test('C120: not even a configured host is connected to at an address of cloud credentials', async () => {
    for (const address of [
      '169.254.169.254',
      'fe80::1',
      'fd00:ec2::254',
      '100.100.100.200',
      '::ffff:169.254.169.254',
      '0.0.0.0',
    ])
      for (const answers of [[address], ['127.0.0.1', address], [address, '10.0.0.1']]) {
        const ask = outbound({ privateHosts: new Set(['idp.example']), resolve: async () => answers })
        expect(await failureOf(ask(token('http://idp.example:9/')))).toBe(
          'provider_misconfigured: address of the token host not permitted',
        )
      }
  })

  test('C120: the connection goes to the address that was checked: one lookup, whatever DNS says afterwards', async () => {
    const server = serve(() => Response.json({ a: 1 }))
    const lookups: string[] = []
    const resolve = async (hostname: string) => {
      lookups.push(hostname)
      return lookups.length === 1 ? ['127.0.0.1'] : ['169.254.169.254']
    }
    const ask = outbound({ privateHosts: new Set(['rebinding.example']), resolve })
    expect((await ask(token(`http://rebinding.example:${server.port}/`))).object).toEqual({ a: 1 })
    expect(lookups).toEqual(['rebinding.example'])
    expect(await failureOf(ask(token(`http://rebinding.example:${server.port}/`)))).toStartWith(
      'provider_misconfigured',
    )
  })

  test('C120: metadata with an internal address fail at the connection; the issuer itself and trusted hosts work', async () => {
    const at = await openProviderBench({ outbound: { resolve: async () => ['127.0.0.1'] } })
    const { port } = new URL(at.idp.issuer)
    at.idp.metadata((document) => ({
      ...document,
      userinfo_endpoint: `https://inner.example:${port}/userinfo`,
    }))
    expect(await failureOf(login(at, at.provider()))).toBe(
      'provider_misconfigured: address of the userinfo host not permitted',
    )
    at.idp.metadata((document) => ({
      ...document,
      userinfo_endpoint: `http://inner.localhost:${port}/userinfo`,
    }))
    expect(await failureOf(login(at, at.provider()))).toBe(
      'provider_misconfigured: address of the userinfo host not permitted',
    )
    expect(at.idp.calls.userinfo).toBe(0)
    expect(
      await failureOf(login(at, at.provider(at.idp.config({ trustedHosts: ['inner.localhost'] })))),
    ).toBe('nothing failed')
    await at.stop()
  })
})

describe('concurrent requests', () => {
  test('R4.5: at most eight run at once per host; the others wait no longer than their timeout', async () => {
    const waiting: (() => void)[] = []
    let isHanging = true
    let atOnce = 0
    let max = 0
    const slow = serve(async () => {
      max = Math.max(max, (atOnce += 1))
      if (isHanging) await new Promise<void>((resolve) => waiting.push(resolve))
      atOnce -= 1
      return Response.json({})
    })
    const other = serve(() => Response.json({}))
    const ask = outbound()
    const calls = Array.from({ length: 20 }, () => ask(token(slow.url)))
    while (waiting.length < 8) await Bun.sleep(1)
    expect((await ask(token(other.url))).status).toBe(200)
    let done = 0
    while (done < 20) {
      while (waiting.length === 0) await Bun.sleep(1)
      waiting.shift()?.()
      done += 1
    }
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(max).toBe(8)

    const ownOptions = { ...baseOptions, callMs: 1000 }
    const impatient = createOutbound(ownOptions)
    const late = Array.from({ length: 12 }, () => failureOf(impatient(token(slow.url))))
    expect(new Set(await Promise.all(late))).toEqual(new Set(['provider_unavailable: token does not answer']))
    // A request that gave up has released its place.
    isHanging = false
    ownOptions.callMs = 3_600_000
    clock.ms += 10_000
    const next = Array.from({ length: 12 }, () => impatient(token(slow.url)))
    expect((await Promise.all(next)).map(({ status }) => status)).toEqual(Array(12).fill(200))
  })

  test('R4.5: after five failures in a row requests fail at once for 10 s, to that host only, and then it is tried again', async () => {
    let requests = 0
    let isDown = true
    const flapping = serve(() => {
      requests += 1
      return isDown ? new Response('', { status: 503 }) : Response.json({})
    })
    const other = serve(() => Response.json({}))
    const ask = outbound()
    for (let failures = 0; failures < 5; failures++) expect((await ask(token(flapping.url))).status).toBe(503)
    isDown = false
    clock.ms += 9_999
    expect(await failureOf(ask(token(flapping.url)))).toBe(
      'provider_unavailable: token not called after repeated failures',
    )
    expect(requests).toBe(5)
    expect((await ask(token(other.url))).status).toBe(200)
    clock.ms += 1
    expect((await ask(token(flapping.url))).status).toBe(200)
    isDown = true
    for (let failures = 0; failures < 5; failures++) expect((await ask(token(flapping.url))).status).toBe(503)
    clock.ms += 10_000
    expect((await ask(token(flapping.url))).status).toBe(503)
    expect(await failureOf(ask(token(flapping.url)))).toStartWith('provider_unavailable')
    expect(requests).toBe(12)
  })

  test('R4.5: refusals and single errors of a provider do not block other requests', async () => {
    for (const status of [400, 401, 429, 500]) {
      const { url } = serve(() => Response.json({ error: 'invalid_grant' }, { status }))
      const ask = outbound()
      for (let calls = 0; calls < 7; calls++) expect((await ask(token(url))).status).toBe(status)
    }
  })
})
