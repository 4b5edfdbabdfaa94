import { describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import { NOW, TestDatabase, closeAfterEach, messageOf, testFolder, visit } from '../../test/test-database.ts'
import type { Privacy } from '../clicks/click.ts'
import { Drain } from './drain.ts'
import type { DrainReply, DrainRequest } from './drain-worker.ts'
import { Journal } from './journal.ts'

const folder = testFolder()
let fileCount = 0
const { closeLater, close } = closeAfterEach()

function newPath(): string {
  return join(folder, `journal-${++fileCount}.db`)
}

function openJournal(path: string): Journal {
  return closeLater(new Journal(path, { onCommit: () => undefined, onLoss: () => undefined }))
}

function openDrain(path: string, url: string, privacy: Privacy = 'full'): Drain {
  return closeLater(new Drain({ journalPath: path, databaseUrl: url, privacy }))
}

/** Drains everything and returns the number of clicks. */
async function drainAll(drain: Drain): Promise<number> {
  for (let total = 0; ;) {
    const { clicks } = await drain.step()
    if (clicks === 0) return total
    total += clicks
  }
}

async function fill(journal: Journal, link: number, slug: string, batches: number): Promise<void> {
  for (let batch = 0; batch < batches; batch++)
    await Promise.all([journal.append(visit(link, slug)), journal.append(visit(link, slug))])
}

eachDialect((_dialect, newUrl) => {
  test('a drained journal is counted once, and the drain reports its position', async () => {
    const [path, stored] = [newPath(), closeLater(await TestDatabase.open(await newUrl()))]
    const link = await stored.createLink('abcd')
    const journal = openJournal(path)
    const drain = openDrain(path, stored.url)
    expect(await drain.step()).toEqual({ seq: 0, clicks: 0 })
    await fill(journal, link, 'abcd', 3)
    expect(await drain.step()).toEqual({ seq: 3, clicks: 6 })
    expect(await drain.step()).toEqual({ seq: 3, clicks: 0 })
    expect(await stored.countClicks('abcd')).toEqual([6, 6, 6])
    expect(await stored.readJournalCursors()).toEqual([{ journal_id: journal.id, seq: 3 }])
  })

  test('L37.6 with lean, clicks that were stored in the journal with details are counted without them', async () => {
    const [path, stored] = [newPath(), closeLater(await TestDatabase.open(await newUrl()))]
    const link = await stored.createLink('abcd')
    await openJournal(path).append(visit(link, 'abcd', { referrer: 'https://www.news.example/story' }))
    expect(await drainAll(openDrain(path, stored.url, 'lean'))).toBe(1)
    expect(await stored.rows('select user_agent, referrer, referrer_host, browser from click')).toEqual([
      { user_agent: null, referrer: null, referrer_host: 'news.example', browser: 'Chrome' },
    ])
  })

  test('a rollup closes and sums periods that are over, stops when none are left, and changes no count', async () => {
    const [path, stored] = [newPath(), closeLater(await TestDatabase.open(await newUrl()))]
    const link = await stored.createLink('abcd')
    await fill(openJournal(path), link, 'abcd', 3)
    const drain = openDrain(path, stored.url)
    await drainAll(drain)
    expect(await drain.rollUp(NOW)).toBe(false)
    expect(await stored.rows('select * from click_period')).toEqual([])
    while (await drain.rollUp(NOW + 100 * 86_400));
    expect(await stored.rows('select distinct link_id, clicks from click_period')).toEqual([
      { link_id: 0, clicks: 6 },
    ])
    expect(await stored.rows('select * from click_due')).toEqual([])
    expect(await stored.countClicks('abcd')).toEqual([6, 6, 6])
  })

  test('a step counts nothing beyond the given last batch', async () => {
    const [path, stored] = [newPath(), closeLater(await TestDatabase.open(await newUrl()))]
    const link = await stored.createLink('abcd')
    await fill(openJournal(path), link, 'abcd', 5)
    const drain = openDrain(path, stored.url)
    expect(await drain.step(2)).toEqual({ seq: 2, clicks: 4 })
    expect(await drain.step(2)).toEqual({ seq: 2, clicks: 0 })
    expect(await drain.step(5)).toEqual({ seq: 5, clicks: 6 })
    expect(await stored.countClicks('abcd')).toEqual([10, 10, 10])
  })

  test('a long journal is counted in several steps', async () => {
    const [path, stored] = [newPath(), closeLater(await TestDatabase.open(await newUrl()))]
    const link = await stored.createLink('abcd')
    await fill(openJournal(path), link, 'abcd', 150)
    const drain = openDrain(path, stored.url)
    const { clicks } = await drain.step()
    expect(clicks).toBeLessThan(300)
    expect(clicks + (await drainAll(drain))).toBe(300)
    expect(await stored.countClicks('abcd')).toEqual([300, 300, 300])
  })

  describe('after a crash', () => {
    test('between counting and trimming: batches still in the journal are not counted again', async () => {
      const [path, stored] = [newPath(), closeLater(await TestDatabase.open(await newUrl()))]
      const link = await stored.createLink('abcd')
      const journal = openJournal(path)
      await fill(journal, link, 'abcd', 4)
      const before = openDrain(path, stored.url)
      await drainAll(before)
      await close(before)

      const after = openDrain(path, stored.url)
      expect(await after.step()).toEqual({ seq: 4, clicks: 0 })
      await fill(journal, link, 'abcd', 1)
      expect(await drainAll(after)).toBe(2)
      expect(await stored.countClicks('abcd')).toEqual([10, 10, 10])
    })

    test('half way: the next drain continues from the last commit', async () => {
      const [path, stored] = [newPath(), closeLater(await TestDatabase.open(await newUrl()))]
      const link = await stored.createLink('abcd')
      await fill(openJournal(path), link, 'abcd', 6)
      const before = openDrain(path, stored.url)
      await before.step(4)
      await close(before)
      expect(await drainAll(openDrain(path, stored.url))).toBe(4)
      expect(await stored.countClicks('abcd')).toEqual([12, 12, 12])
    })
  })

  test('after an error no click is taken as counted, and the next step counts each once', async () => {
    const [path, stored] = [newPath(), closeLater(await TestDatabase.open(await newUrl()))]
    const link = await stored.createLink('abcd')
    await fill(openJournal(path), link, 'abcd', 2)
    const drain = openDrain(path, stored.url)
    await stored.run(sql`alter table click_hour_open rename to elsewhere`)
    expect(await messageOf(drain.step())).toMatch(/click_hour_open/)
    expect(await messageOf(drain.step())).toMatch(/click_hour_open/)
    await stored.run(sql`alter table elsewhere rename to click_hour_open`)
    expect(await drain.step()).toEqual({ seq: 2, clicks: 4 })
    expect(await stored.countClicks('abcd')).toEqual([4, 4, 4])
  })

  test('an error during the response to the commit counts nothing twice', async () => {
    const [path, stored] = [newPath(), closeLater(await TestDatabase.open(await newUrl()))]
    const link = await stored.createLink('abcd')
    await fill(openJournal(path), link, 'abcd', 2)
    const drain = openDrain(path, stored.url)
    await drain.step(0)
    // Another drain has counted them since this one read the position.
    await drainAll(openDrain(path, stored.url))
    expect(await drain.step()).toEqual({ seq: 2, clicks: 0 })
    expect(await stored.countClicks('abcd')).toEqual([4, 4, 4])
  })

  test('two drains of one journal at once count each click once', async () => {
    const [path, stored] = [newPath(), closeLater(await TestDatabase.open(await newUrl()))]
    const link = await stored.createLink('abcd')
    await fill(openJournal(path), link, 'abcd', 200)
    const counts = await Promise.all([1, 2, 3].map(() => drainAll(openDrain(path, stored.url))))
    expect(counts.reduce((total, clicks) => total + clicks, 0)).toBe(400)
    expect(await stored.countClicks('abcd')).toEqual([400, 400, 400])
  })

  test('two workers on one journal at once, each in its own thread, count each click once', async () => {
    const [path, stored] = [newPath(), closeLater(await TestDatabase.open(await newUrl()))]
    const link = await stored.createLink('abcd')
    const journal = openJournal(path)
    await fill(journal, link, 'abcd', 400)
    const workers = [1, 2, 3].map(() => new DrainWorker(path, stored.url))
    const filling = fill(journal, link, 'abcd', 300)
    const counts = await Promise.all(workers.map((worker) => worker.countUpTo(400)))
    await filling
    const rest = await Promise.all(workers.map((worker) => worker.countUpTo(700)))
    await Promise.all(workers.map((worker) => worker.close()))
    expect([...counts, ...rest].reduce((total, clicks) => total + clicks, 0)).toBe(1400)
    expect(await stored.countClicks('abcd')).toEqual([1400, 1400, 1400])
    expect(await stored.readJournalCursors()).toEqual([{ journal_id: journal.id, seq: 700 }])
  })

  describe('a journal file that is not the one it was', () => {
    test('a new file in place of the old one is counted from its start', async () => {
      const [path, stored] = [newPath(), closeLater(await TestDatabase.open(await newUrl()))]
      const link = await stored.createLink('abcd')
      const old = openJournal(path)
      await fill(old, link, 'abcd', 5)
      const before = openDrain(path, stored.url)
      await drainAll(before)
      await close(before)
      await close(old)
      for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })

      await fill(openJournal(path), link, 'abcd', 2)
      expect(await drainAll(openDrain(path, stored.url))).toBe(4)
      expect(await stored.countClicks('abcd')).toEqual([14, 14, 14])
    })
  })
})

/** The real worker, driven as `DrainThread` drives it. */
class DrainWorker {
  readonly #worker = new Worker(new URL('./drain-worker.ts', import.meta.url).href)

  constructor(journalPath: string, databaseUrl: string) {
    this.#worker.postMessage({ open: { journalPath, databaseUrl, privacy: 'full' } } satisfies DrainRequest)
  }

  async countUpTo(upTo: number): Promise<number> {
    for (let total = 0; ;) {
      const reply = await this.#ask({ upTo })
      if (typeof reply !== 'object' || !('progress' in reply)) throw new Error(JSON.stringify(reply))
      total += reply.progress.clicks
      if (reply.progress.seq >= upTo) return total
    }
  }

  async close(): Promise<void> {
    expect(await this.#ask('close')).toBe('closed')
    this.#worker.terminate()
  }

  #ask(request: DrainRequest): Promise<DrainReply> {
    const reply = Promise.withResolvers<DrainReply>()
    this.#worker.addEventListener('message', ({ data }: MessageEvent<DrainReply>) => reply.resolve(data), {
      once: true,
    })
    this.#worker.postMessage(request)
    return reply.promise
  }
}
