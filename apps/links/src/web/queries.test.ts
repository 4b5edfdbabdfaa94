import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { queries } from '@latchkey/web/queries'
import { QueryObserver } from '@tanstack/react-query'
import type { Changes } from '../events/changes.ts'
import { followChanges } from './queries.ts'

const sources: Source[] = []
const own = { document: globalThis.document, EventSource: globalThis.EventSource }

class Source extends EventTarget {
  static readonly CLOSED = 2
  readyState = 0
  constructor() {
    super()
    sources.push(this)
  }
  close() {}
}

beforeAll(() => {
  Object.assign(globalThis, {
    OPERATIONS: { followChanges: ['GET', '/events'] },
    document: Object.assign(new EventTarget(), { hidden: false }),
    EventSource: Source,
  })
})
afterAll(() => {
  Object.assign(globalThis, own)
})

/** Which of these are read again at this news. */
async function readAt(news: Partial<Changes>): Promise<string[]> {
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
  const data = JSON.stringify({ links: [], bundles: [], totals: true, more: false, ...news })
  sources[0]?.dispatchEvent(new MessageEvent('changes', { data }))
  await Bun.sleep(0)
  queries.clear()
  return read
}

test('news of other links leave what shows one link alone; those of it, and of more than is named, do not', async () => {
  const stop = followChanges()
  const others = ['listLinks', 'getBundleAnalytics', 'getDashboard']
  const all = ['listLinks', 'getLink', 'getBundleAnalytics', 'getDashboard']
  expect(await readAt({ links: [8] })).toEqual(others)
  expect(await readAt({ links: [8, 7] })).toEqual(all)
  expect(await readAt({ links: [8], more: true })).toEqual(all)
  stop()
})

test('L18.3 events that were refused are asked for again with each poll, and polling ends once they come', () => {
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
  // While it says that it connects, the browser goes on by itself.
  expect(sources).toHaveLength(1)
  Object.assign(first ?? {}, { readyState: Source.CLOSED })
  poll()
  expect(sources).toHaveLength(2)
  sources[1]?.dispatchEvent(new Event('open'))
  expect(ended).toHaveBeenCalledWith(1)
  stop()
  polls.mockRestore()
  ended.mockRestore()
})
