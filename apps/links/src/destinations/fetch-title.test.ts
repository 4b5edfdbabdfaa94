import { afterEach, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { createServer } from 'node:https'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { serveDns, withoutThreads } from '@latchkey/http/testing-lookups'
import { type PublicFetchOptions, resolveDns } from './public-fetch.ts'
import { PUBLIC, TO_PUBLIC, testServers } from './testing.ts'
import { createTitleFetcher, titleUserAgent } from './fetch-title.ts'

const USER_AGENT = titleUserAgent('secret')
const PAGE = '<!doctype html><html><head><title>Hello</title></head><body></body></html>'

const { serve } = testServers()
const closings: (() => void)[] = []
afterEach(() => {
  for (const close of closings.splice(0)) close()
})

/**
 * A server that redirects as many times as its path requests, with a different status each time.
 */
function serveCountdown() {
  return serve((request) => {
    const left = Number(new URL(request.url).pathname.slice(1))
    return left === 0 ? page(PAGE) : redirectTo(`/${left - 1}`, [301, 302, 303, 307, 308][left])
  })
}

function page(body: string | ReadableStream | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  return new Response(body, { headers: { 'content-type': 'text/html; charset=utf-8', ...headers } })
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(text, 'latin1'))
}

function redirectTo(location: string, status = 302): Response {
  return new Response(null, { status, headers: { location } })
}

/** A fetcher for which every host name resolves to the public test address. */
function fetcher(options: PublicFetchOptions = {}) {
  return createTitleFetcher(USER_AGENT, { ...TO_PUBLIC, ...options })
}

async function titleOf(...answer: Parameters<typeof page>): Promise<string | null> {
  const { port } = serve(() => page(...answer))
  return await fetcher()(`http://site.example:${port}/`)
}

describe('the title', () => {
  test('is read from the page, and the request reveals nothing', async () => {
    const { port, requests } = serve(() => page(PAGE))
    expect(await fetcher()(`http://user:secret@site.example:${port}/a/b?c=d#e`)).toBe('Hello')
    const [request] = requests
    expect(requests).toHaveLength(1)
    expect(request?.url).toBe(`http://site.example:${port}/a/b?c=d`)
    expect(request?.headers).toEqual({
      host: `site.example:${port}`,
      'user-agent': USER_AGENT,
      accept: 'text/html',
      'accept-encoding': 'identity',
      connection: 'close',
    })
  })

  test('is plain text: entities are decoded once, markup stays text, white space and controls collapse', async () => {
    for (const [source, title] of [
      ['Fish &amp; Chips &#8212; &eacute;t&#xe9; &hellip;', 'Fish & Chips — été …'],
      ['&amp;lt;b&amp;gt;', '&lt;b&gt;'],
      ['&lt;script&gt;alert(1)&lt;/script&gt;', '<script>alert(1)</script>'],
      [
        '<script>alert(1)</script><img src=x onerror=alert(1)>',
        '<script>alert(1)</script><img src=x onerror=alert(1)>',
      ],
      ['\n  two\t\r\n words&nbsp;&nbsp;here \u0007', 'two words here'],
      ['&#0;&#xD800;', '\uFFFD\uFFFD'],
      ['&nosuchname; &', '&nosuchname; &'],
    ] as const)
      expect(await titleOf(`<title>${source}</title>`)).toBe(title)
  })

  test('is absent if it is blank, missing, never closed, or beyond the first 16 KB', async () => {
    for (const body of [
      '<title> &nbsp; </title>',
      '<h1>No title</h1>',
      '',
      '<title>The rest of the page is swallowed <p>by this',
      `${' '.repeat(16 * 1024 - 10)}<title>Late</title>`,
    ])
      expect(await titleOf(body)).toBeNull()
  })

  test('is found wherever it lies within the first 16 KB', async () => {
    const element = '<title>Just in time</title>'
    expect(await titleOf(' '.repeat(16 * 1024 - element.length) + element + 'x'.repeat(99_999))).toBe(
      'Just in time',
    )
  })

  test('is the first of the document, not one in a comment, a script or an SVG', async () => {
    const decoys = '<!-- <title>a</title> --><script>"<title>b</title>"</script><svg><title>c</title></svg>'
    expect(await titleOf(`${decoys}<TITLE lang=en>Real</TITLE><title>Second</title>`)).toBe('Real')
    expect(await titleOf('<title>Real</title><svg><title>c</title></svg>')).toBe('Real')
    expect(await titleOf('<svg><title>c</title></svg>')).toBeNull()
  })

  test('L6.6 has at most 500 characters, none of them split', async () => {
    expect(await titleOf(`<title>${'🙂'.repeat(501)}</title>`)).toBe('🙂'.repeat(500))
    expect(await titleOf(`<title>${'x'.repeat(499)} y</title>`)).toBe('x'.repeat(499))
  })

  test('is decoded from the character set of the header, else of the page, else as UTF-8', async () => {
    const latin = '<title>caf\xe9</title>'
    const cyrillic = '<meta charset="windows-1251"><title>\xcf\xf0\xe8\xe2\xe5\xf2</title>'
    const oldMeta =
      '<META http-equiv=Content-Type content="text/html; charset=shift_jis"><title>\x93\xfa\x96{</title>'
    const plain = { 'content-type': 'text/html' }
    expect(await titleOf(bytes(latin), { 'content-type': 'text/html; Charset="ISO-8859-1"' })).toBe('café')
    expect(await titleOf(bytes(cyrillic), plain)).toBe('Привет')
    expect(await titleOf(bytes(oldMeta), plain)).toBe('日本')
    expect(await titleOf('<meta charset=koi8-r><title>née</title>')).toBe('née')
    expect(await titleOf('<title>née</title>', plain)).toBe('née')
    expect(await titleOf('<title>née</title>', { 'content-type': 'text/html;charset=nonsense' })).toBe('née')
  })

  test('is read only from HTML and XHTML, and only from a successful, uncompressed response', async () => {
    expect(await titleOf(PAGE, { 'content-type': 'Application/XHTML+XML' })).toBe('Hello')
    for (const type of ['text/plain', 'application/json', 'image/svg+xml', 'text/html-not', ''])
      expect(await titleOf(PAGE, { 'content-type': type })).toBeNull()
    expect(await titleOf(Bun.gzipSync(PAGE), { 'content-encoding': 'gzip' })).toBeNull()
    for (const status of [304, 404, 500]) {
      const body = status === 304 ? null : PAGE
      const { port } = serve(() => new Response(body, { status, headers: { 'content-type': 'text/html' } }))
      expect(await fetcher()(`http://site.example:${port}/`)).toBeNull()
    }
  })
})

describe('redirects', () => {
  test('L6.6 are followed up to three times', async () => {
    const { port, requests } = serveCountdown()
    expect(await fetcher()(`http://site.example:${port}/3`)).toBe('Hello')
    expect(requests).toHaveLength(4)
  })

  test('are not followed a fourth time', async () => {
    const { port, requests } = serveCountdown()
    expect(await fetcher()(`http://site.example:${port}/4`)).toBeNull()
    expect(requests).toHaveLength(4)
  })

  test('are not followed to another scheme or a malformed URL', async () => {
    for (const location of [
      'file:///etc/passwd',
      'data:text/html,<title>x</title>',
      'ftp://site.example/',
      'http://',
    ]) {
      const { port, requests } = serve(() => redirectTo(location))
      expect(await fetcher()(`http://site.example:${port}/`)).toBeNull()
      expect(requests).toHaveLength(1)
    }
  })

  test('L6.6a L24.16 to a private address are refused, by name and by number, and that server receives no request', async () => {
    const inner = serve(() => page('<title>Secret</title>'))
    const hosts: Record<string, string[]> = { 'public.example': [PUBLIC], 'private.example': ['127.0.0.2'] }
    const fetchTitle = fetcher({ resolve: async (hostname) => hosts[hostname] ?? [] })
    for (const host of [
      'private.example',
      '127.0.0.2',
      '[::ffff:127.0.0.2]',
      '[::ffff:127.0.0.1]',
      'unknown.example',
    ]) {
      const outer = serve(() => redirectTo(`http://${host}:${inner.port}/`))
      expect(await fetchTitle(`http://public.example:${outer.port}/`)).toBeNull()
      expect(outer.requests).toHaveLength(1)
    }
    expect(inner.requests).toHaveLength(0)
    const outer = serve(() => redirectTo(`http://public.example:${inner.port}/`))
    expect(await fetchTitle(`http://public.example:${outer.port}/`)).toBe('Secret')
  })
})

describe('the connection', () => {
  test('L24.16 goes to the address that was checked, with one lookup per hop, so DNS cannot change its answer', async () => {
    const server = serve((request) => (request.url.endsWith('/page') ? page(PAGE) : redirectTo('/page')))
    const lookups: string[] = []
    const checked: string[] = []
    const fetchTitle = fetcher({
      // No DNS resolves a name below .example (RFC 2606): only this answer can lead to the server.
      resolve: async (hostname) => {
        lookups.push(hostname)
        return lookups.length <= 2 ? [PUBLIC] : ['127.0.0.2']
      },
      isPublicAddress: (address) => {
        checked.push(address)
        return address === PUBLIC
      },
    })
    expect(await fetchTitle(`http://rebinding.example:${server.port}/`)).toBe('Hello')
    expect(lookups).toEqual(['rebinding.example', 'rebinding.example'])
    expect(checked).toEqual([PUBLIC, PUBLIC])
    expect(server.requests).toHaveLength(2)
  })

  test('does not go where the system would resolve the name to', async () => {
    const { port, requests } = serve(() => page(PAGE), PUBLIC)
    const fetchTitle = fetcher({ resolve: async () => ['127.0.0.77'], isPublicAddress: () => true })
    expect(await fetchTitle(`http://localhost:${port}/`)).toBeNull()
    expect(requests).toHaveLength(0)
  })

  test('is not opened if one of several DNS answers is private, or if there is none', async () => {
    const { port, requests } = serve(() => page(PAGE))
    for (const answers of [[PUBLIC, '10.0.0.1'], ['::1', PUBLIC], [PUBLIC, `::ffff:${PUBLIC}`], []])
      expect(await fetcher({ resolve: async () => answers })(`http://site.example:${port}/`)).toBeNull()
    expect(requests).toHaveLength(0)
  })

  test('tries the next checked address when the first does not answer', async () => {
    const { port } = serve(() => page(PAGE))
    const fetchTitle = fetcher({ resolve: async () => ['::1', PUBLIC], isPublicAddress: () => true })
    expect(await fetchTitle(`http://site.example:${port}/`)).toBe('Hello')
  })

  test('L24.16 is never opened to the local machine in any notation, with the default rules', async () => {
    const { port, requests } = serve(() => page(PAGE))
    const fetchTitle = createTitleFetcher(USER_AGENT)
    for (const host of [
      'localhost',
      'localhost.',
      'LOCALHOST',
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0x7f.1',
      '0x7f000001',
      '0177.0.0.1',
      '１２７。0。0。1',
      '%31%32%37.0.0.1',
      '0',
      '0.0.0.0',
      '[::]',
      '[::1]',
      '[::127.0.0.1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[64:ff9b::127.0.0.1]',
      '[2002:7f00:1::]',
    ])
      expect(await fetchTitle(`http://${host}:${port}/`)).toBeNull()
    expect(requests).toHaveLength(0)
  })

  test('requests the certificate of the host name and refuses that of another name or an untrusted issuer', async () => {
    const names: unknown[] = []
    const server = createServer({ key: KEY, cert: CERTIFICATE }, (request, response) => {
      names.push('servername' in request.socket && request.socket.servername)
      response.setHeader('content-type', 'text/html').end(PAGE)
    })
    await once(server.listen(0, PUBLIC), 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const fetchTitle = fetcher()
    const authorities = getCACertificates('default')
    try {
      expect(await fetchTitle(`https://pinned.example:${port}/`)).toBeNull()
      setDefaultCACertificates([...authorities, CERTIFICATE])
      expect(await fetchTitle(`https://other.example:${port}/`)).toBeNull()
      expect(await fetchTitle(`https://${PUBLIC}:${port}/`)).toBeNull()
      expect(names).toEqual([])
      expect(await fetchTitle(`https://pinned.example:${port}/`)).toBe('Hello')
      expect(names).toEqual(['pinned.example'])
    } finally {
      setDefaultCACertificates(authorities)
      server.close()
    }
  })
})

describe('a hostile server', () => {
  test('with an endless body is cut off, for a page and for any other content', async () => {
    for (const type of ['text/html', 'video/mp4']) {
      const stopped = Promise.withResolvers<void>()
      const endless = new ReadableStream({
        pull: (controller) => controller.enqueue(Buffer.alloc(64 * 1024, 'x')),
        cancel: () => stopped.resolve(),
      })
      expect(await titleOf(endless, { 'content-type': type })).toBeNull()
      await stopped.promise
    }
  })

  test('that answers late, stops half way or hangs in DNS meets the timeout', async () => {
    const never = new Promise<never>(() => {})
    const silent = serve(() => never)
    const halfWay = serve(() =>
      page(new ReadableStream({ start: (body) => body.enqueue('<title>Half'), pull: () => never })),
    )
    // Long enough for the request to arrive on a busy machine.
    const fetchTitle = fetcher({ timeoutMs: 1_000 })
    expect(await fetchTitle(`http://site.example:${silent.port}/`)).toBeNull()
    expect(await fetchTitle(`http://site.example:${halfWay.port}/`)).toBeNull()
    expect(await fetcher({ timeoutMs: 50, resolve: () => never })('http://site.example/')).toBeNull()
    expect([silent.requests.length, halfWay.requests.length]).toEqual([1, 1])
  })

  test('is abandoned at once when the fetch is aborted', async () => {
    const ending = new AbortController()
    const silent = serve(() => {
      ending.abort()
      return new Promise<never>(() => {})
    })
    const fetchTitle = fetcher({ timeoutMs: 60_000 })
    expect(await fetchTitle(`http://site.example:${silent.port}/`, ending.signal)).toBeNull()
    expect(silent.requests).toHaveLength(1)
  }, 5_000)

  test('L6.6b: and every other failure give null, never an exception', async () => {
    const closed = serve(() => page(PAGE))
    await closed.stop()
    const unresolvable = fetcher({ resolve: () => Promise.reject(new Error('ENOTFOUND')) })
    expect(await fetcher()(`http://site.example:${closed.port}/`)).toBeNull()
    expect(await unresolvable('http://site.example/')).toBeNull()
    for (const url of [
      '',
      'nonsense',
      'http://',
      'ftp://site.example/',
      'javascript:alert(1)',
      'data:text/html,<title>x',
    ])
      expect(await fetcher()(url)).toBeNull()
  })
})

// Created for this test, valid until 2120 for pinned.example. The key protects nothing.
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgLKQKEUQjMA/nMq2S
sjyV2M6hBktShOagIJL2ulEhES2hRANCAASvzS+87lH1w6Vk/9ujQbYDr49aJkD4
8OqegzIO0vgU6PLPBKjhtWx8359H7c0wufVZ22h0x9L9GqvEdsj/3t5T
-----END PRIVATE KEY-----`
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBUDCB96ADAgECAgEBMAoGCCqGSM49BAMCMBkxFzAVBgNVBAMMDnBpbm5lZC5l
eGFtcGxlMCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAZMRcwFQYD
VQQDDA5waW5uZWQuZXhhbXBsZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABK/N
L7zuUfXDpWT/26NBtgOvj1omQPjw6p6DMg7S+BTo8s8EqOG1bHzfn0ftzTC59Vnb
aHTH0v0aq8R2yP/e3lOjLjAsMBkGA1UdEQQSMBCCDnBpbm5lZC5leGFtcGxlMA8G
A1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhAM3xLM4ojF2yKQVOwF/6
8aNJjT//QX0TjyREEUhMZJGSAiAJ6WTVI49dOLMUr0943uFoZsFXenlcP+SsxgXQ
OQ1BwA==
-----END CERTIFICATE-----`

test('hosts are resolved without the threads that wait for the disk', async () => {
  const { server: dns, close } = await serveDns()
  closings.push(close)
  const { port } = serve(() => page(PAGE))
  const fetchTitle = fetcher({ resolve: (host) => resolveDns(host, [dns]) })
  expect(await withoutThreads(() => fetchTitle(`http://example.com:${port}/`))).toBe('Hello')
})
