import { expect, test } from 'bun:test'
import { parseTrusted } from '@latchkey/http/client-address'
import { DESKTOP } from '../../test/actions.ts'
import type { Journal } from '../counting/journal.ts'
import { DEFAULT_SITE } from '../domains/testing.ts'
import { ClickLimits, type VisitLimitStore } from './click-limits.ts'
import { NotFoundUrl } from './not-found-url.ts'
import { PasswordCheck } from './password-check.ts'
import { Redirect } from './redirect.ts'

function createStore(visits: number) {
  const calls: number[] = []
  const state = { left: visits, isFailing: false }
  const store: VisitLimitStore = {
    async reserve(_link, wanted) {
      calls.push(wanted)
      await new Promise((resolve) => setImmediate(resolve))
      if (state.isFailing) throw new Error('The database is away')
      const count = Math.min(wanted, state.left)
      state.left -= count
      return count
    },
    hasVisitsLeft: async () => state.left > 0,
    release: async () => void state.left++,
  }
  return { store, state, calls }
}

test('L26.3e: visitors who wait share one transaction, and get through in the order of their arrival', async () => {
  const { store, calls } = createStore(40)
  const limits = new ClickLimits(store)
  const results = await Promise.all(Array.from({ length: 64 }, () => limits.reserve(1)))
  expect(results).toEqual([...Array<boolean>(40).fill(true), ...Array<boolean>(24).fill(false)])
  expect(calls).toEqual([1, 63])
})

test('L26.3e: visitors whose transaction fails are not let through, and later ones are counted again', async () => {
  const { store, state } = createStore(5)
  const limits = new ClickLimits(store)
  state.isFailing = true
  const failed = await Promise.allSettled([limits.reserve(1), limits.reserve(1), limits.reserve(2)])
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  state.isFailing = false
  expect([await limits.reserve(1), state.left]).toEqual([true, 4])
})

test('L26.3f: if the click cannot be stored, a limited link is 503 and keeps its place, and a plain one redirects', async () => {
  const { store, state } = createStore(1)
  let isStored = false
  const errors: unknown[] = []
  const redirect = new Redirect({
    lookup: {
      find: (slug) => ({
        linkId: 1,
        location: 'https://example.com/',
        expiresAt: null,
        program: slug === 'limited' ? { limit: true } : null,
      }),
      close: async () => undefined,
    },
    journal: { append: async () => isStored } as unknown as Journal,
    limits: new ClickLimits(store),
    passwords: new PasswordCheck({ findHash: async () => undefined, isRight: async () => false }, Date.now),
    notFoundUrl: new NotFoundUrl(async () => null),
    isLean: false,
    honorsGpc: false,
    publicHost: null,
    titleUserAgent: 'title',
    proxies: { header: null, trusted: parseTrusted([]) },
    countryHeader: null,
    countryOf: () => null,
    visitorOf: () => null,
    peerOf: () => '192.0.2.1',
    ownerPage: async () => undefined,
    now: Date.now,
    onLookupError: (error) => errors.push(error),
  })
  const visit = async (slug: string) => {
    const request = new Request(`http://localhost/${slug}`, { headers: { 'User-Agent': DESKTOP } })
    const { status, headers } = await redirect.answer({
      request,
      path: slug,
      query: null,
      server: { requestIP: () => null },
      site: DEFAULT_SITE,
    })
    return [status, headers.get('location')]
  }
  expect(await visit('plain')).toEqual([302, 'https://example.com/'])
  expect([await visit('limited'), state.left, errors.length]).toEqual([[503, null], 1, 1])
  isStored = true
  expect([await visit('limited'), state.left]).toEqual([[302, 'https://example.com/'], 0])
  expect(await visit('limited')).toEqual([404, null])
})
