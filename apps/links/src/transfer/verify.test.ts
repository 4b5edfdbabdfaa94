import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Database } from '@latchkey/database/database'
import { onSqlite } from '@latchkey/database/testing'
import { sharedTestLinks } from '../../test/testing.ts'
import type { Tables } from '../db/tables.ts'
import { DEFAULT_DOMAIN_ONLY } from './row-domain.ts'
import { NOW, fileOf, importText } from './testing.ts'
import { type ComparedCode, ServiceUnreachable, verifyCodes } from './verify.ts'

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** Codes that follow each other, nearly all of which have others that differ only in case. */
function codeOf(number: number): string {
  const digits = [number, number / 62, number / 3_844].map((value) => ALPHABET[Math.floor(value) % 62])
  return digits.toReversed().join('')
}

interface OldService {
  url: URL
  /** The method and code of each request, in their order. */
  requests: string[]
  answers: Map<string, Response | (() => Response)>
  stop: () => void
}

/** An old service, which answers the codes of this map exactly, as YOURLS, Kutt and Shlink do. */
function startOldService(): OldService {
  const requests: string[] = []
  const answers: OldService['answers'] = new Map()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const code = decodeURIComponent(new URL(request.url).pathname.slice(1))
      requests.push(`${request.method} ${code}`)
      const answer = answers.get(code)
      if (typeof answer === 'function') return answer()
      return answer ?? new Response(null, { status: 404 })
    },
  })
  return { url: new URL(server.url), requests, answers, stop: () => void server.stop(true) }
}

const redirect =
  (location: string, status = 301) =>
  () =>
    new Response(null, { status, headers: { Location: location } })

onSqlite((newUrl) => {
  const links = sharedTestLinks(newUrl)
  let database: Database<Tables>
  let now: URL
  let stopServer: () => void
  beforeAll(() => {
    database = links.database
    const server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: (request, own) => links.fetchHandler(request, own),
    })
    now = new URL(server.url)
    stopServer = () => void server.stop(true)
  })
  afterAll(() => stopServer())

  const verify = async (file: string, old: URL, format: 'kutt' | 'yourls' | 'csv' = 'kutt') => {
    const codes: ComparedCode[] = []
    const report = await verifyCodes({
      source: fileOf(file, 65_536),
      format,
      old,
      now,
      perSecond: 1_000_000,
      domains: DEFAULT_DOMAIN_ONLY,
      onCode: (code) => void codes.push(code),
    })
    return { report, different: codes.filter(({ same }) => !same), codes }
  }

  describe('verify', () => {
    test('L43.2: 10,000 codes that differ in case lead where they did, each of them', async () => {
      const old = startOldService()
      const codes = [
        ...Array.from({ length: 9_990 }, (_, at) => codeOf(at + 3_844)),
        'deep/Path',
        'deep/path/x',
        '_draft',
        'Résumé',
        'a b',
        'x+y',
        '-dash',
        'UPPER.case',
        'n~N',
        'ends-',
      ]
      const destinationOf = (at: number) => `https://example.com/${at}/${at % 3 === 0 ? '' : 'x?q=1'}`
      codes.forEach((code, at) => old.answers.set(code, redirect(destinationOf(at))))
      const file = JSON.stringify({
        data: codes.map((code, at) => ({ address: code, target: destinationOf(at), created_at: NOW })),
      })
      const imported = await importText(database, file, {
        format: 'kutt',
        legacy: 'auto',
        pieceBytes: 65_536,
      })
      expect(imported).toMatchObject({ imported: 10_000, conflicts: 0, bad: 0 })
      const { report, different } = await verify(file, old.url)
      expect(different).toEqual([])
      expect(report).toEqual({ codes: 10_000, same: 10_000 })
      expect(new Set(old.requests)).toEqual(new Set(codes.map((code) => `HEAD ${code}`)))
      const clicks = await database.read
        .selectFrom('click')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      expect(clicks.count).toBe(0)
      old.stop()
    }, 120_000)

    test('L43.2: a code that leads elsewhere, is missing or cannot be read is named', async () => {
      const old = startOldService()
      old.answers.set('Moved', redirect('https://example.com/old'))
      old.answers.set('Lost', redirect('https://example.com/lost'))
      old.answers.set('same', redirect('https://example.com/same/', 302))
      const entries = [
        { address: 'Moved', target: 'https://example.com/new' },
        { address: 'same', target: 'https://example.com/same' },
        { address: 'gone', target: 'javascript:alert(1)' },
      ]
      await importText(database, JSON.stringify({ data: entries }), { format: 'kutt', legacy: 'auto' })
      const file = JSON.stringify({
        data: [
          ...entries,
          { address: 'Lost', target: 'https://example.com/lost' },
          { address: 'Neither', target: 'https://example.com/' },
        ],
      })
      const { report, different } = await verify(file, old.url)
      expect(different).toEqual([
        {
          line: 1,
          code: 'Moved',
          same: false,
          answers: {
            old: { status: 301, location: 'https://example.com/old' },
            now: { status: 302, location: 'https://example.com/new' },
          },
        },
        { line: 3, same: false, problem: 'url must use http or https' },
        {
          line: 4,
          code: 'Lost',
          same: false,
          answers: {
            old: { status: 301, location: 'https://example.com/lost' },
            now: { status: 404, location: null },
          },
        },
      ])
      expect(report).toEqual({ codes: 5, same: 2 })
      old.stop()
    })

    test('L43.2: an error that does not say that a code is missing is a difference', async () => {
      const old = startOldService()
      const statusOf = { 'forbidden/1': 403, 'busy/1': 429, 'gone/1': 410, 'missing/1': 404 }
      for (const [code, status] of Object.entries(statusOf))
        old.answers.set(code, () => new Response(null, { status, headers: { 'Retry-After': '0.01' } }))
      const file = JSON.stringify({
        data: Object.keys(statusOf).map((address) => ({ address, target: 'https://example.com/' })),
      })
      const { different } = await verify(file, old.url)
      expect(different.map(({ code, answers }) => [code, answers?.old.status, answers?.now.status])).toEqual([
        ['forbidden/1', 403, 404],
        ['busy/1', 429, 404],
      ])
      old.stop()
    })

    test('L43.2a: a service that asks to wait is queried again, and one without HEAD by GET', async () => {
      const old = startOldService()
      let busy = 2
      old.answers.set('Busy', () =>
        busy-- > 0
          ? new Response(null, { status: 429, headers: { 'Retry-After': '0.01' } })
          : redirect('https://example.com/busy')(),
      )
      old.answers.set('Get', () =>
        old.requests.at(-1) === 'GET Get'
          ? redirect('https://example.com/get')()
          : new Response(null, { status: 405 }),
      )
      const file = JSON.stringify({
        data: ['Busy', 'Get'].map((address) => ({
          address,
          target: `https://example.com/${address.toLowerCase()}`,
        })),
      })
      await importText(database, file, { format: 'kutt', legacy: 'auto' })
      expect((await verify(file, old.url)).report).toEqual({ codes: 2, same: 2 })
      old.stop()
    })

    test('L43.2a: no redirect is followed, and no host but the two is queried', async () => {
      const other = startOldService()
      const old = startOldService()
      old.answers.set('Out', redirect(`${other.url.href}Out`))
      const file = JSON.stringify({ data: [{ address: 'Out', target: `${other.url.href}Out` }] })
      await importText(database, file, { format: 'kutt', legacy: 'auto' })
      expect((await verify(file, old.url)).report).toEqual({ codes: 1, same: 1 })
      expect(other.requests).toEqual([])
      old.stop()
      other.stop()
    })

    test('L43.2a: a service that does not answer ends the comparison', async () => {
      const old = startOldService()
      old.stop()
      const file = JSON.stringify({ data: [{ address: 'Any', target: 'https://example.com/any' }] })
      const failure = await verify(file, old.url).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(ServiceUnreachable)
      expect((failure as Error).message).toStartWith(`Cannot reach ${old.url.origin}: `)
    })
  })
})
