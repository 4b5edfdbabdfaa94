import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openDatabase } from '@latchkey/database/database'
import { ALLOW_IDLE_TRANSACTION } from '@latchkey/database/session'
import { eachDialect } from '@latchkey/database/testing'
import { type Log, createLog } from '@latchkey/http/log'
import { sql } from 'kysely'
import { NOW, TestDatabase, closeAfterEach, testFolder, until, visit } from '../../test/test-database.ts'
import type { Tables } from '../db/tables.ts'
import { DrainThread } from './drain-thread.ts'
import { Journal } from './journal.ts'

const folder = testFolder()
let fileCount = 0

interface Node {
  journal: Journal
  drainThread: DrainThread
  log: { level: string; message: string }[]
  close(): Promise<void>
}

const { closeLater, close } = closeAfterEach()

function openNode(
  stored: TestDatabase,
  journalPath = join(folder, `journal-${++fileCount}.db`),
  closeWithinMs?: number,
): Node {
  const lines: Node['log'] = []
  const log: Log = createLog({ write: (line) => void lines.push(JSON.parse(line) as Node['log'][number]) })
  const journal = new Journal(journalPath, { onCommit: () => undefined, onLoss: () => undefined })
  const { database, url } = stored
  const drainThread = new DrainThread({
    journal,
    drainedSeq: 0,
    database,
    log,
    drain: { journalPath, databaseUrl: url, privacy: 'full' },
  })
  return closeLater({
    journal,
    drainThread,
    log: lines,
    async close() {
      await drainThread.close(closeWithinMs)
      await journal.close()
    },
  })
}

/** A node that has already drained one click. */
async function openWorkingNode(stored: TestDatabase, link: number): Promise<Node> {
  const node = openNode(stored)
  await node.journal.append(visit(link, 'abcd'))
  await node.drainThread.drainAll()
  return node
}

const BREAK = sql`alter table click_hour_open rename to elsewhere`
const REPAIR = sql`alter table elsewhere rename to click_hour_open`

eachDialect((dialect, newUrl) => {
  test('drainAll resolves once all clicks committed before the call are counted', async () => {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const link = await stored.createLink('abcd')
    const { journal, drainThread } = openNode(stored)
    for (let index = 0; index < 30; index++) {
      await Promise.all(Array.from({ length: 7 }, () => journal.append(visit(link, 'abcd'))))
      await drainThread.drainAll()
      expect((await stored.countClicks('abcd'))[0]).toBe((index + 1) * 7)
    }
    expect(drainThread.pendingBatches).toBe(0)
  })

  test('concurrent callers of drainAll all see every click committed before', async () => {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const link = await stored.createLink('abcd')
    const { journal, drainThread } = openNode(stored)
    let committed = 0
    const read = async () => {
      await journal.append(visit(link, 'abcd'))
      const before = ++committed
      await drainThread.drainAll()
      expect((await stored.countClicks('abcd'))[0]).toBeGreaterThanOrEqual(before)
    }
    await Promise.all(Array.from({ length: 50 }, read))
    expect(await stored.countClicks('abcd')).toEqual([50, 50, 50])
  })

  test('clicks are drained soon without a request, and the number of pending batches is reported until then', async () => {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const link = await stored.createLink('abcd')
    const { journal, drainThread } = openNode(stored)
    await journal.append(visit(link, 'abcd'))
    drainThread.wake()
    expect(drainThread.pendingBatches).toBe(1)
    await until('the click is counted', async () => (await stored.countClicks('abcd'))[0] === 1)
    await until('nothing waits', () => drainThread.pendingBatches === 0)
  })

  test('close drains pending clicks', async () => {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const link = await stored.createLink('abcd')
    const node = openNode(stored)
    for (let index = 0; index < 3; index++) await node.journal.append(visit(link, 'abcd'))
    await close(node)
    expect(await stored.countClicks('abcd')).toEqual([3, 3, 3])
  })

  test('close leaves clicks that it cannot drain in time to the next start, and none is lost or counted twice', async () => {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const link = await stored.createLink('abcd')
    const path = join(folder, `journal-${++fileCount}.db`)
    const node = openNode(stored, path, 1_000)
    await node.journal.append(visit(link, 'abcd'))
    await node.drainThread.drainAll()
    for (let index = 0; index < 3; index++) await node.journal.append(visit(link, 'abcd'))
    const other = closeLater(openDatabase<Tables>(stored.url))
    const begunMs = performance.now()
    await other.write(async (tx) => {
      if (dialect === 'postgres') {
        await sql.raw(ALLOW_IDLE_TRANSACTION).execute(tx)
        await sql`lock table click_hour_open in access exclusive mode`.execute(tx)
      }
      await close(node)
    })
    expect(performance.now() - begunMs).toBeLessThan(4_000)
    expect(node.log).toMatchObject([
      { level: 'warn', message: 'drain: clicks wait in the journal for the next start', clicks: 3 },
    ])
    expect(await stored.countClicks('abcd')).toEqual([1, 1, 1])
    // The terminated thread may hold its lock for a moment longer.
    const next = openNode(stored, path)
    await until('they are counted', () => next.drainThread.drainAll())
    expect(await stored.countClicks('abcd')).toEqual([4, 4, 4])
  })

  // SQLite has one writer, whose wait is limited.
  if (dialect === 'postgres')
    test('drainWithTimeout returns within its timeout, and at once while draining is known to hang', async () => {
      const stored = closeLater(await TestDatabase.open(await newUrl()))
      const link = await stored.createLink('abcd')
      const { journal, drainThread } = await openWorkingNode(stored, link)
      expect([await drainThread.drainWithTimeout(60_000), drainThread.oldestPendingAt]).toEqual([
        true,
        undefined,
      ])
      await journal.append(visit(link, 'abcd', { clickedAt: NOW + 7 }))
      await stored.database.write(async (tx) => {
        await sql.raw(ALLOW_IDLE_TRANSACTION).execute(tx)
        await sql`lock table click_hour_open in access exclusive mode`.execute(tx)
        expect([await drainThread.drainWithTimeout(1), drainThread.oldestPendingAt]).toEqual([false, NOW + 7])
        await journal.append(visit(link, 'abcd', { clickedAt: NOW + 9 }))
        // The hanging step times out after thirty seconds.
        const startedMs = performance.now()
        for (let read = 0; read < 3; read++) expect(await drainThread.drainWithTimeout(60_000)).toBe(false)
        expect(performance.now() - startedMs).toBeLessThan(15_000)
        expect(drainThread.oldestPendingAt).toBe(NOW + 7)
      })
      await until('it is counted', () => drainThread.drainWithTimeout(60_000))
      expect([drainThread.oldestPendingAt, await stored.countClicks('abcd')]).toEqual([undefined, [3, 3, 3]])
    })

  test('clicks left in the journal by a crash are counted by the next start, once', async () => {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const link = await stored.createLink('abcd')
    const path = join(folder, `journal-${++fileCount}.db`)
    const crashed = new Journal(path, { onCommit: () => undefined, onLoss: () => undefined })
    for (let index = 0; index < 4; index++) await crashed.append(visit(link, 'abcd'))
    await crashed.close()

    for (let start = 0; start < 3; start++) {
      const node = openNode(stored, path)
      await node.drainThread.drainAll()
      expect(node.drainThread.pendingBatches).toBe(0)
      await close(node)
    }
    expect(await stored.countClicks('abcd')).toEqual([4, 4, 4])
  })

  test('drained batches leave the journal', async () => {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const link = await stored.createLink('abcd')
    const node = openNode(stored)
    for (let index = 0; index < 20; index++) {
      await node.journal.append(visit(link, 'abcd'))
      await node.drainThread.drainAll()
    }
    expect(node.journal.state.lastSeq).toBe(20)
    const before = openNode(stored, join(folder, `journal-${fileCount}.db`))
    // Opened again, to check the state on disk.
    expect(before.drainThread.pendingBatches).toBe(20)
    await before.drainThread.drainAll()
    expect(await stored.countClicks('abcd')).toEqual([20, 20, 20])
  })

  describe('while the database accepts no clicks', () => {
    test('drainAll returns, the failure is reported and logged once, and nothing is lost', async () => {
      const stored = closeLater(await TestDatabase.open(await newUrl()))
      const link = await stored.createLink('abcd')
      const { journal, drainThread, log } = await openWorkingNode(stored, link)
      await stored.run(BREAK)
      for (let index = 0; index < 3; index++) {
        await journal.append(visit(link, 'abcd'))
        await drainThread.drainAll()
      }
      expect(drainThread.isFailing).toBe(true)
      expect(drainThread.pendingBatches).toBe(3)
      expect(log.map(({ level }) => level)).toEqual(['error'])

      await stored.run(REPAIR)
      // A call that joins a step started before reports the failure of that step.
      await until('clicks are counted again', () => drainThread.drainAll())
      expect(drainThread.isFailing).toBe(false)
      expect(drainThread.pendingBatches).toBe(0)
      expect(log.map(({ level }) => level)).toEqual(['error', 'info'])
      expect(await stored.countClicks('abcd')).toEqual([4, 4, 4])
    })

    test('draining recovers without a request', async () => {
      const stored = closeLater(await TestDatabase.open(await newUrl()))
      const link = await stored.createLink('abcd')
      const { journal, drainThread } = await openWorkingNode(stored, link)
      await stored.run(BREAK)
      await journal.append(visit(link, 'abcd'))
      await drainThread.drainAll()
      expect(drainThread.isFailing).toBe(true)
      await stored.run(REPAIR)
      await until('clicks are counted again', () => !drainThread.isFailing)
      expect(await stored.countClicks('abcd')).toEqual([2, 2, 2])
    })

    test('draining recovers from a failure that precedes the start', async () => {
      const stored = closeLater(await TestDatabase.open(await newUrl()))
      const link = await stored.createLink('abcd')
      await stored.run(BREAK)
      const { journal, drainThread } = openNode(stored)
      await journal.append(visit(link, 'abcd'))
      await drainThread.drainAll()
      expect(drainThread.isFailing).toBe(true)
      await stored.run(REPAIR)
      await until('clicks are counted again', () => !drainThread.isFailing)
      expect(await stored.countClicks('abcd')).toEqual([1, 1, 1])
    })

    test('close resolves, and the clicks stay in the journal for the next start', async () => {
      const stored = closeLater(await TestDatabase.open(await newUrl()))
      const link = await stored.createLink('abcd')
      const path = join(folder, `journal-${++fileCount}.db`)
      const node = openNode(stored, path)
      await stored.run(BREAK)
      await node.journal.append(visit(link, 'abcd'))
      await close(node)
      await stored.run(REPAIR)
      await openNode(stored, path).drainThread.drainAll()
      expect(await stored.countClicks('abcd')).toEqual([1, 1, 1])
    })
  })

  test('draining and the writers of this process alternate, and neither fails nor blocks the event loop', async () => {
    const stored = closeLater(await TestDatabase.open(await newUrl()))
    const link = await stored.createLink('abcd')
    const { journal, drainThread } = openNode(stored)
    const stalls = watchStalls()
    const write = async (index: number) => {
      await journal.append(visit(link, 'abcd'))
      const settled = drainThread.drainAll()
      await stored.database.write(async (tx) => {
        await sql`update link set label = ${String(index)}`.execute(tx)
        await sql`select 1`.execute(tx)
      })
      await settled
    }
    for (let round = 0; round < 20; round++) await Promise.all([1, 2, 3].map(write))
    expect(await stored.countClicks('abcd')).toEqual([60, 60, 60])
    // SQLite's busy handler sleeps while another connection holds the lock. No turn of the loop may
    // come near its five seconds.
    if (dialect === 'sqlite') expect(stalls.stop()).toBeLessThan(4_000)
    else stalls.stop()
  })
})

/** The longest time in which the event loop was blocked, in milliseconds. */
function watchStalls(): { stop(): number } {
  let [last, longest] = [performance.now(), 0]
  const timer = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }, 5)
  return {
    stop() {
      clearInterval(timer)
      return longest
    },
  }
}
