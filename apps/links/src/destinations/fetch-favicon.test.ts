import { describe, expect, test } from 'bun:test'
import { TO_PUBLIC, testServers } from './testing.ts'
import { titleUserAgent } from './fetch-title.ts'
import { MAX_ICON_BYTES, createFaviconFetcher } from './fetch-favicon.ts'
import { findIconUrls } from './icon-links.ts'
import { imageTypeOf } from './image-type.ts'

const USER_AGENT = titleUserAgent('secret')
const fetchFavicon = createFaviconFetcher(USER_AGENT, TO_PUBLIC)
const { serve } = testServers()

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const ICO = Buffer.from('00000100010010100000010020006804', 'hex')
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

type Files = Record<string, Buffer<ArrayBuffer> | string | (() => Response)>

/** A site with these files by path. Those with markup are HTML, all others claim to be SVG. */
function serveSite(files: Files) {
  const { port, requests } = serve(({ url }) => {
    const file = files[new URL(url).pathname]
    if (file === undefined) return new Response('Not found', { status: 404 })
    if (typeof file === 'function') return file()
    const type = typeof file === 'string' ? 'text/html' : 'image/svg+xml'
    return new Response(file, { headers: { 'content-type': type } })
  })
  const paths = () => requests.map(({ url }) => new URL(url).pathname)
  return { origin: `http://site.example:${port}`, port, requests, paths }
}

describe('the icon of a site', () => {
  test('L39.1 is the one that its page links to, by the first bytes of the file', async () => {
    const site = serveSite({ '/': '<link rel="shortcut icon" href="img/a.png">', '/img/a.png': PNG })
    expect(await fetchFavicon(site.origin)).toEqual({ type: 'image/png', bytes: PNG })
    expect(site.paths()).toEqual(['/', '/img/a.png'])
    expect(site.requests.map(({ headers }) => headers['user-agent'])).toEqual([USER_AGENT, USER_AGENT])
  })

  test('L39.1 is /favicon.ico where the page links to none, is no page or fails', async () => {
    for (const page of ['<title>No link</title>', PNG, () => new Response('', { status: 403 })]) {
      const site = serveSite({ '/': page, '/favicon.ico': ICO })
      expect(await fetchFavicon(site.origin)).toEqual({ type: 'image/x-icon', bytes: ICO })
    }
  })

  test('L39.1 is none of what is not one of five kinds of images, whatever its server calls it', async () => {
    for (const [file, type] of [
      [SVG, 'image/png'],
      ['<html><script>alert(1)</script>', 'image/x-icon'],
      ['', 'image/png'],
      [Buffer.concat([Buffer.from(' '), PNG]), 'image/png'],
    ] as const) {
      const headers = { 'content-type': type }
      const site = serveSite({ '/favicon.ico': () => new Response(file, { headers }) })
      expect(await fetchFavicon(site.origin)).toBeNull()
    }
  })

  test('L39.1 has at most 16 KiB: the next candidate replaces a larger one', async () => {
    const padded = (bytes: number) => Buffer.concat([PNG, Buffer.alloc(bytes - PNG.length)])
    const page = '<link rel=icon sizes=64x64 href=/large.png><link rel=icon sizes=32x32 href=/fits.png>'
    const site = serveSite({
      '/': page,
      '/large.png': padded(MAX_ICON_BYTES + 1),
      '/fits.png': padded(MAX_ICON_BYTES),
    })
    expect((await fetchFavicon(site.origin))?.bytes).toHaveLength(MAX_ICON_BYTES)
    expect(site.paths()).toEqual(['/', '/large.png', '/fits.png'])
  })

  test('takes at most five requests, however many icons a page links to', async () => {
    const links = Array.from({ length: 50 }, (_, n) => `<link rel="icon" href="/${n}.png">`)
    const site = serveSite({ '/': links.join('') })
    expect(await fetchFavicon(site.origin)).toBeNull()
    expect(site.paths()).toEqual(['/', '/0.png', '/1.png', '/2.png', '/favicon.ico'])
  })

  test('L39.1 L24.16 is never read from a private address, by link, by redirect or by name', async () => {
    const inner = serveSite({ '/': '', '/favicon.ico': ICO })
    const private_ = `http://127.0.0.2:${inner.port}/favicon.ico`
    const redirect = () => new Response(null, { status: 302, headers: { location: private_ } })
    for (const files of [
      { '/': `<link rel=icon href="${private_}">` },
      { '/': redirect },
      { '/favicon.ico': redirect },
    ])
      expect(await fetchFavicon(serveSite(files).origin)).toBeNull()
    const strict = createFaviconFetcher(USER_AGENT)
    expect(await strict(`http://localhost:${inner.port}`)).toBeNull()
    expect(await strict(`http://127.0.0.1:${inner.port}`)).toBeNull()
    expect(inner.requests).toEqual([])
  })

  test('of a site that hangs is null at the timeout, and at once when aborted', async () => {
    const never = () => new Promise<never>(() => {})
    const { port } = serve(never)
    const impatient = createFaviconFetcher(USER_AGENT, { ...TO_PUBLIC, timeoutMs: 100 })
    expect(await impatient(`http://site.example:${port}`)).toBeNull()
    expect(await fetchFavicon(`http://site.example:${port}`, AbortSignal.abort())).toBeNull()
  }, 5_000)
})

test('L39.1: linked icons are tried by size: the largest up to 64 pixels, then the smallest above', async () => {
  const html = `
    <link rel="icon" href="/512.png" sizes="512x512"><link rel="ICON" href="/16.png" sizes="16x16">
    <link rel="alternate icon" href="?v=1&amp;w=2"><link rel="icon" href="/48.ico" sizes="16x16 48X48">
    <link rel="icon" href="/192.png" sizes="192x192"><link rel="icon" href="/any.svg" sizes="any">
    <link rel="icon" href="/typed" type="image/svg+xml"><link rel="apple-touch-icon" href="/touch.png">
    <link rel="stylesheet" href="/icon.css"><link rel="icon" href="http://"><link rel="icon">`
  const urls = await findIconUrls(html, new URL('https://site.example/a/'))
  expect(urls.map(({ href }) => href.replace('https://site.example', ''))).toEqual([
    '/48.ico',
    '/a/?v=1&w=2',
    '/16.png',
    '/192.png',
    '/512.png',
  ])
})

test('L39.1: images are recognised by their first bytes', () => {
  const typeOf = (hex: string) => imageTypeOf(Buffer.from(hex, 'hex'))
  expect(['ffd8ffe0', '474946383961', '474946383761', '524946460102030457454250'].map(typeOf)).toEqual([
    'image/jpeg',
    'image/gif',
    'image/gif',
    'image/webp',
  ])
  const others = ['', '89504e47', '00000200', '524946460102030457415645', Buffer.from(SVG).toString('hex')]
  expect(others.map(typeOf)).toEqual([undefined, undefined, undefined, undefined, undefined])
})
