import { afterEach, expect, jest, test } from 'bun:test'
import { QueryObserver } from '@tanstack/react-query'
import { EMBEDDED_AT_MS, catchUp, invalidate, queries } from './queries.ts'

afterEach(() => {
  queries.clear()
  jest.useRealTimers()
})

/**
 * A query on display. The test decides when its reads resolve, with the number of reads begun so
 * far.
 */
function show(key: readonly string[]) {
  const reads: { answer: () => Promise<void>; signal: AbortSignal }[] = []
  const observer = new QueryObserver<number>(queries, {
    queryKey: key,
    queryFn: ({ signal }) =>
      new Promise((resolve) => {
        const begun = reads.length + 1
        reads.push({
          signal,
          async answer() {
            resolve(begun)
            await Bun.sleep(0)
          },
        })
      }),
  })
  observer.subscribe(() => {})
  return { reads, observer, displayed: () => observer.getCurrentResult().data }
}

/** Runs pending promise callbacks while timers stand still. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await Promise.resolve()
}

test('changes that come faster than reads abort none of them, and one read follows the last change', async () => {
  const { reads, displayed } = show(['links'])
  await reads[0]?.answer()
  void invalidate('links')
  await Bun.sleep(0)
  for (let times = 0; times < 5; times++) void invalidate('totals', 'links')
  await Bun.sleep(0)
  expect(reads.map(({ signal }) => signal.aborted)).toEqual([false, false])
  await reads[1]?.answer()
  expect([displayed(), reads.length]).toEqual([2, 3])
  await reads[2]?.answer()
  expect([displayed(), reads.length]).toEqual([3, 3])
})

test('a read that begins while a change waits, such as of a further page, is not aborted either', async () => {
  const { reads, observer } = show(['links'])
  await reads[0]?.answer()
  void invalidate('links')
  await Bun.sleep(0)
  void invalidate('links')
  void observer.refetch()
  await Bun.sleep(0)
  expect(reads.map(({ signal }) => signal.aborted)).toEqual([false, true, false])
  await reads[2]?.answer()
  expect(reads).toHaveLength(4)
})

for (const [words, isFirst] of [
  ['the first read', true],
  ['a later read', false],
] as const)
  test(`a change waits for a read that began afterwards, not for ${words} under way`, async () => {
    const { reads, displayed } = show(['links'])
    if (!isFirst) {
      await reads[0]?.answer()
      void invalidate('links')
      await Bun.sleep(0)
    }
    const underWay = reads.length
    const results: unknown[] = []
    void invalidate('links').then(() => results.push(displayed()))
    await reads[underWay - 1]?.answer()
    expect([results, reads.length]).toEqual([[], underWay + 1])
    await reads[underWay]?.answer()
    expect(results).toEqual([underWay + 1])
  })

for (const [words, isFirst] of [
  ['the first read', true],
  ['a later read', false],
] as const)
  test(`${words} that hangs is broken off after 10 s, and holds up no change`, async () => {
    const { reads, displayed } = show(['links'])
    if (!isFirst) {
      await reads[0]?.answer()
      void invalidate('links')
      await Bun.sleep(0)
    }
    const hung = reads.length - 1
    jest.useFakeTimers()
    const results: unknown[] = []
    void invalidate('links').then(() => results.push(displayed()))
    jest.advanceTimersByTime(9_999)
    await settle()
    expect([reads[hung]?.signal.aborted, reads.length]).toEqual([false, hung + 1])
    jest.advanceTimersByTime(1)
    await settle()
    expect([reads[hung]?.signal.aborted, reads.length]).toEqual([true, hung + 2])
    void reads[hung + 1]?.answer()
    await settle()
    expect(results).toEqual([hung + 2])
  })

test('a change repeats no other query, and a hidden query only once it is displayed', async () => {
  const other = show(['bundles'])
  await other.reads[0]?.answer()
  queries.setQueryData(['links', 'left'], 1)
  await invalidate('links')
  expect(other.reads).toHaveLength(1)
  const back = show(['links', 'left'])
  expect([back.displayed(), back.reads.length]).toEqual([1, 1])
})

test('what a page came with is read again 5 s after its changes are followed, unless it was read meanwhile', async () => {
  jest.useFakeTimers()
  const embedded = (key: string) => {
    const read = jest.fn(async () => 'read')
    new QueryObserver(queries, {
      queryKey: [key],
      queryFn: read,
      initialData: 'embedded',
      initialDataUpdatedAt: EMBEDDED_AT_MS,
      staleTime: Infinity,
    }).subscribe(() => {})
    return read
  }
  const [old, changed, other] = [embedded('old'), embedded('changed'), embedded('other')]
  void invalidate('changed')
  await settle()
  catchUp('old', 'changed')
  jest.advanceTimersByTime(4_900)
  await settle()
  expect([old, changed, other].map(({ mock }) => mock.calls.length)).toEqual([0, 1, 0])
  jest.advanceTimersByTime(200)
  await settle()
  expect([old, changed, other].map(({ mock }) => mock.calls.length)).toEqual([1, 1, 0])
})
