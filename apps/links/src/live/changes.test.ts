import { expect, test } from 'bun:test'
import { PendingChanges } from './changes.ts'
import { ChangeFeed, type ChangeWatcher } from './feed.ts'
import { parseAnnouncement } from './watch-postgres.ts'

const nothing = { links: [], bundles: [], totals: false, more: false }

test('pending changes are returned once, each id one time', () => {
  const pending = new PendingChanges()
  expect(pending.isEmpty).toBe(true)
  pending.add({ links: [3, 1, 3], bundles: [7] })
  pending.add({ links: [1], totals: true })
  expect(pending.take()).toEqual({ links: [3, 1], bundles: [7], totals: true, more: false })
  expect([pending.isEmpty, pending.take()]).toEqual([true, nothing])
})

test('a bundle alone does not change totals, a link does', () => {
  const pending = new PendingChanges()
  pending.add({ bundles: [7] })
  expect(pending.take()).toEqual({ ...nothing, bundles: [7] })
  pending.add({ links: [7] })
  expect(pending.take()).toEqual({ ...nothing, links: [7], totals: true })
})

test('for any number of changed ids, pending changes stay as small as one message, and report that there are more', () => {
  const pending = new PendingChanges()
  for (let id = 0; id < 100_000; id++) pending.add({ links: [id], bundles: [id] })
  const { links, bundles, totals, more } = pending.take()
  expect([links.length, bundles.length, totals, more]).toEqual([500, 500, true, true])
})

test('an announcement is parsed for its own schema only', () => {
  expect(parseAnnouncement('link 5 public', 'public')).toEqual({ links: [5] })
  expect(parseAnnouncement('bundle 5 a b\n', 'a b\n')).toEqual({ bundles: [5] })
  expect(parseAnnouncement('clicks 5,6,7 public', 'public')).toEqual({ links: [5, 6, 7] })
  expect(parseAnnouncement('clicks * public', 'public')).toEqual({ totals: true, more: true })
  for (const other of ['link 5 other', 'link 5', '', 'slug 5 public', 'link x public'])
    expect(parseAnnouncement(other, 'public')).toBeUndefined()
})

/** A watcher that reports the changes of the test. */
class OwnWatch implements ChangeWatcher {
  note: Parameters<ChangeWatcher['start']>[0] = () => undefined
  running = false
  async start(note: Parameters<ChangeWatcher['start']>[0]) {
    this.note = note
    this.running = true
  }
  pause() {
    this.running = false
  }
  async close() {
    this.running = false
  }
}

test('simultaneous changes are one message, and a second message follows a second later', async () => {
  const watch = new OwnWatch()
  const feed = new ChangeFeed(watch)
  const following = await feed.subscribe()
  const startedMs = performance.now()
  watch.note({ links: [1] })
  watch.note({ links: [2] })
  expect(await following.next(5_000)).toMatchObject({ links: [1, 2] })
  watch.note({ links: [3] })
  watch.note({ bundles: [4] })
  expect(await following.next(5_000)).toMatchObject({ links: [3], bundles: [4] })
  expect(performance.now() - startedMs).toBeGreaterThan(1_000)
  await feed.close()
})

test('changes without visible effect wake no reader', async () => {
  const watch = new OwnWatch()
  const feed = new ChangeFeed(watch)
  const following = await feed.subscribe()
  const next = following.next(60_000)
  watch.note({ links: [], bundles: [], totals: false })
  await new Promise(setImmediate)
  expect(Bun.peek.status(next)).toBe('pending')
  watch.note({ links: [1] })
  expect(await next).toMatchObject({ links: [1] })
  await feed.close()
})

test('without changes a reader gets only `quiet`, and without readers the watcher pauses', async () => {
  const watch = new OwnWatch()
  const feed = new ChangeFeed(watch)
  expect(watch.running).toBe(false)
  const [one, other] = [await feed.subscribe(), await feed.subscribe()]
  expect([await one.next(1), await other.next(1), feed.subscriptionCount]).toEqual(['quiet', 'quiet', 2])
  one.end()
  expect([watch.running, await one.next(5_000)]).toEqual([true, 'ended'])
  other.end()
  expect([watch.running, feed.subscriptionCount]).toEqual([false, 0])
})

test('a subscription that fails is not kept, and the watcher pauses', async () => {
  const watch = new OwnWatch()
  const feed = new ChangeFeed(watch)
  watch.start = async () => {
    watch.running = true
    throw new Error('no database')
  }
  for (let tries = 0; tries < 3; tries++)
    expect(await feed.subscribe().catch(String)).toBe('Error: no database')
  expect([feed.subscriptionCount, watch.running]).toEqual([0, false])
})

test('a feed that drains ends current and later readers at once', async () => {
  const feed = new ChangeFeed(new OwnWatch())
  const following = await feed.subscribe()
  const waiting = following.next(60_000)
  feed.drain()
  expect(await waiting).toBe('ended')
  expect(await (await feed.subscribe()).next(60_000)).toBe('ended')
  expect(feed.subscriptionCount).toBe(0)
})
