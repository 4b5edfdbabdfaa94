import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { signIn } from '@latchkey/web/call'
import { queries } from '@latchkey/web/queries'
import { QueryObserver } from '@tanstack/react-query'
import type { Changes } from '../live/changes.ts'
import { followChanges } from './queries.ts'

const sources: FakeEventSource[] = []
const originals = { document: globalThis.document, EventSource: globalThis.EventSource }

class FakeEventSource extends EventTarget {
  static readonly CLOSED = 2
  readyState = 0
  constructor() {
    super()
    sources.push(this)
  }
  close() {
    this.readyState = FakeEventSource.CLOSED
  }
}

beforeAll(() => {
  Object.assign(globalThis, {
    OPERATIONS: { followChanges: ['GET', '/events'] },
    document: Object.assign(new EventTarget(), { hidden: false }),
    EventSource: FakeEventSource,
  })
})
afterAll(() => {
  Object.assign(globalThis, originals)
})

/** Returns the operations that are read again after an event with these changes. */
async function operationsReadAfter(changes: Partial<Changes>): Promise<string[]> {
  const read: string[] = []
  const params = { id: 7 }
  const keys = [
    ['links', 'listLinks', { query: {} }],
    ['links', 'getLink', { params }],
    ['bundles', 'getBundleAnalytics', { params }],
    ['totals', 'getDashboard', {}],
    ['keys', 'listKeys', {}],
  ] as const
  for (const queryKey of keys) {
    queries.setQueryData(queryKey, 0)
    const queryFn = () => read.push(queryKey[1])
    new QueryObserver(queries, { queryKey, queryFn, staleTime: Infinity }).subscribe(() => {})
  }
  const data = JSON.stringify({ links: [], bundles: [], totals: true, more: false, ...changes })
  sources[0]?.dispatchEvent(new MessageEvent('changes', { data }))
  await Bun.sleep(0)
  queries.clear()
  return read
}

test('a query of a single link is read again only after changes of this link or of unnamed links', async () => {
  const stop = followChanges()
  const others = ['listLinks', 'getBundleAnalytics', 'getDashboard']
  const all = ['listLinks', 'getLink', 'getBundleAnalytics', 'getDashboard']
  expect(await operationsReadAfter({ links: [8] })).toEqual(others)
  expect(await operationsReadAfter({ links: [8, 7] })).toEqual(all)
  expect(await operationsReadAfter({ links: [8], more: true })).toEqual(all)
  stop()
})

test('L18.3: a refused event stream is opened again at each poll, and polling ends when it opens', () => {
  sources.length = 0
  let poll = () => {}
  const polls = spyOn(globalThis, 'setInterval').mockImplementation(((run: () => void) => {
    poll = run
    return 1
  }) as never)
  const ended = spyOn(globalThis, 'clearInterval')
  const stop = followChanges()
  const [first] = sources
  first?.dispatchEvent(new Event('error'))
  expect(polls).toHaveBeenCalledTimes(1)
  poll()
  // While the state is CONNECTING, the browser reconnects itself.
  expect(sources).toHaveLength(1)
  Object.assign(first ?? {}, { readyState: FakeEventSource.CLOSED })
  poll()
  expect(sources).toHaveLength(2)
  sources[1]?.dispatchEvent(new Event('open'))
  expect(ended).toHaveBeenCalledWith(1)
  stop()
  polls.mockRestore()
  ended.mockRestore()
})

test('L16.8: a page whose stream says that the session has ended says so at once, and asks again at each poll', () => {
  sources.length = 0
  let poll = () => {}
  const polls = spyOn(globalThis, 'setInterval').mockImplementation(((run: () => void) => {
    poll = run
    return 1
  }) as never)
  const stop = followChanges()
  sources[0]?.dispatchEvent(new MessageEvent('signed-out', { data: '{}' }))
  expect([signIn.isOver(), sources.length]).toEqual([true, 1])
  poll()
  expect(sources).toHaveLength(2)
  stop()
  polls.mockRestore()
})
