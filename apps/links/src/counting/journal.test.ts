import { describe, expect, test } from 'bun:test'
import { Database as SqliteFile } from 'bun:sqlite'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { closeAfterEach, testFolder, visit } from '../../test/test-database.ts'
import { Journal } from './journal.ts'
import { unpackBatch } from './journal-format.ts'
import { JournalReader } from './journal-reader.ts'

const folder = testFolder()
let fileCount = 0

interface Loss {
  error: unknown
  clicks: number
}

const { closeLater, close } = closeAfterEach()

function newPath(): string {
  return join(folder, `journal-${++fileCount}.db`)
}

function openJournal(path: string, losses: Loss[] = []): Journal {
  return closeLater(
    new Journal(path, {
      onCommit: () => undefined,
      onLoss: (error, clicks) => void losses.push({ error, clicks }),
    }),
  )
}

/** The batches that another process can read at this moment. */
function readBatchesOnDisk(path: string): { seq: number; slugs: string[] }[] {
  const reader = new JournalReader(path)
  try {
    return reader
      .readBatches(0, Number.MAX_SAFE_INTEGER, 1_000_000)
      .map(({ seq, clicks }) => ({ seq, slugs: unpackBatch(clicks).map(({ slug }) => slug) }))
  } finally {
    reader.close()
  }
}

function slugsOnDisk(path: string): string[] {
  return readBatchesOnDisk(path).flatMap(({ slugs }) => slugs)
}

/** Makes external writes to the journal fail from now on, without blocking anything. */
function makeUnwritable(path: string): void {
  const file = new SqliteFile(path)
  file.run(`create trigger refuse before insert on journal begin select raise(abort, 'no room'); end`)
  file.close()
}

function makeWritable(path: string): void {
  const file = new SqliteFile(path)
  file.run('drop trigger refuse')
  file.close()
}

test('L37.5 counted clicks are erased even if no further click arrives, and batches keep their numbers', async () => {
  const path = newPath()
  const journal = openJournal(path)
  for (const slug of ['one', 'two']) await journal.append(visit(1, slug))
  const pending = journal.append(visit(1, 'three'))
  journal.eraseDrained(2)
  await pending
  journal.eraseDrained(2)
  expect(slugsOnDisk(path)).toEqual(['one', 'two', 'three'])
  journal.eraseDrained(3)
  expect(readBatchesOnDisk(path)).toEqual([{ seq: 3, slugs: [] }])
  await journal.append(visit(1, 'four'))
  expect(readBatchesOnDisk(path)).toEqual([
    { seq: 3, slugs: [] },
    { seq: 4, slugs: ['four'] },
  ])
})

describe('appending', () => {
  test('a click is on disk and readable for other processes once append has resolved, and not before', async () => {
    const path = newPath()
    const journal = openJournal(path)
    const seen: string[][] = []
    const appending = journal.append(visit(1, 'abcd')).then(() => seen.push(slugsOnDisk(path)))
    expect(slugsOnDisk(path)).toEqual([])
    await appending
    expect(seen).toEqual([['abcd']])
  })

  test('each of many clicks is on disk in its own continuation, whatever arrives meanwhile', async () => {
    const path = newPath()
    const journal = openJournal(path)
    const missing: string[] = []
    const follow = async (slug: string, turns: number) => {
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
      await journal.append(visit(1, slug))
      if (!slugsOnDisk(path).includes(slug)) missing.push(slug)
    }
    await Promise.all(Array.from({ length: 200 }, (_, index) => follow(`s${index}`, index % 23)))
    expect(missing).toEqual([])
    expect(slugsOnDisk(path).toSorted()).toEqual(
      Array.from({ length: 200 }, (_, index) => `s${index}`).toSorted(),
    )
    expect(journal.state).toMatchObject({ committed: 200, lost: 0, isFailing: false })
  })

  test('clicks of one turn of the event loop share one batch, in their order', async () => {
    const path = newPath()
    const journal = openJournal(path)
    await Promise.all(['a', 'b', 'c'].map((slug) => journal.append(visit(1, slug))))
    expect(readBatchesOnDisk(path)).toEqual([{ seq: 1, slugs: ['a', 'b', 'c'] }])
  })

  test('close commits pending clicks', async () => {
    const path = newPath()
    const journal = openJournal(path)
    const appending = [journal.append(visit(1, 'a')), journal.append(visit(1, 'b'))]
    await close(journal)
    expect(slugsOnDisk(path)).toEqual(['a', 'b'])
    await Promise.all(appending)
  })

  test('close waits for a commit in progress, and for clicks that arrived during it', async () => {
    const path = newPath()
    const journal = openJournal(path)
    const first = journal.append(visit(1, 'a'))
    await new Promise((resolve) => setImmediate(resolve))
    const second = journal.append(visit(1, 'b'))
    await close(journal)
    expect(slugsOnDisk(path)).toEqual(['a', 'b'])
    await Promise.all([first, second])
  })
})

describe('finding pending clicks', () => {
  test('a click is found by its link and by its slug from its append until its batch is counted', async () => {
    const journal = openJournal(newPath())
    const findAfter = (seq: number) =>
      [{ linkId: 1 }, { slug: 'a' }, { linkId: 2 }, { slug: 'b' }].map((of) => journal.hasClickAfter(seq, of))
    const [yes, no] = [
      [true, true, false, false],
      [false, false, false, false],
    ]
    expect(findAfter(0)).toEqual(no)
    const appending = journal.append(visit(1, 'a'))
    expect(findAfter(0)).toEqual(yes)
    const flushing = journal.flush()
    expect(findAfter(0)).toEqual(yes)
    await Promise.all([appending, flushing])
    expect(findAfter(0)).toEqual(yes)
    expect(findAfter(journal.state.lastSeq)).toEqual(no)
  })
})

describe('a journal that cannot be written', () => {
  test('append resolves, because a visitor waits; the loss is logged and counted, and nothing is stored', async () => {
    const path = newPath()
    const losses: Loss[] = []
    const journal = openJournal(path, losses)
    await journal.append(visit(1, 'before'))
    makeUnwritable(path)
    await Promise.all([journal.append(visit(1, 'x')), journal.append(visit(1, 'y'))])

    expect(losses).toEqual([{ error: expect.objectContaining({ message: 'no room' }), clicks: 2 }])
    expect(journal.state).toMatchObject({ committed: 1, lost: 2, isFailing: true })
    expect(slugsOnDisk(path)).toEqual(['before'])
  })

  test('the journal recovers with the next click, and lost clicks do not return', async () => {
    const path = newPath()
    const losses: Loss[] = []
    const journal = openJournal(path, losses)
    makeUnwritable(path)
    await journal.append(visit(1, 'lost'))
    makeWritable(path)
    await journal.append(visit(1, 'after'))

    expect(journal.state).toMatchObject({ committed: 1, lost: 1, isFailing: false })
    expect(losses).toHaveLength(1)
    expect(slugsOnDisk(path)).toEqual(['after'])
  })

  test('a failure while trimming loses only the batch, and trimming happens later', async () => {
    const path = newPath()
    const journal = openJournal(path)
    for (const slug of ['a', 'b', 'c']) await journal.append(visit(1, slug))
    journal.markDrained(3)
    makeUnwritable(path)
    await journal.append(visit(1, 'lost'))
    expect(readBatchesOnDisk(path).map(({ seq }) => seq)).toEqual([1, 2, 3])
    makeWritable(path)
    await journal.append(visit(1, 'after'))
    expect(readBatchesOnDisk(path)).toEqual([
      { seq: 3, slugs: ['c'] },
      { seq: 4, slugs: ['after'] },
    ])
  })
})

describe('probing', () => {
  test('a probe leaves nothing behind and clears a failure that it disproves', async () => {
    const path = newPath()
    const journal = openJournal(path)
    makeUnwritable(path)
    await journal.append(visit(1, 'lost'))
    makeWritable(path)
    journal.probe()
    journal.probe()
    expect(journal.state.isFailing).toBe(false)
    expect(readBatchesOnDisk(path)).toEqual([])
  })

  test('a probe interrupted by a crash blocks neither the next start nor the next probe', async () => {
    const path = newPath()
    const journal = openJournal(path)
    const { id } = journal
    await journal.append(visit(1, 'abcd'))
    await close(journal)
    // kill -9 between the two statements of `probe`.
    const file = new SqliteFile(path)
    file.run(`insert into journal_id (id) values ('probe')`)
    file.close()

    const again = openJournal(path)
    expect(again.id).toBe(id)
    expect(() => again.probe()).not.toThrow()
    await again.append(visit(1, 'efgh'))
    expect(slugsOnDisk(path)).toEqual(['abcd', 'efgh'])
  })
})

describe('numbering', () => {
  test('batches are numbered from 1, and a reopened journal continues', async () => {
    const path = newPath()
    const journal = openJournal(path)
    await journal.append(visit(1, 'a'))
    await journal.append(visit(1, 'b'))
    expect(journal.state.lastSeq).toBe(2)
    await close(journal)

    const again = openJournal(path)
    expect(again.state.lastSeq).toBe(2)
    await again.append(visit(1, 'c'))
    expect(readBatchesOnDisk(path).map(({ seq }) => seq)).toEqual([1, 2, 3])
  })

  test('counted batches are removed with the next commit', async () => {
    const path = newPath()
    const journal = openJournal(path)
    for (const slug of ['a', 'b', 'c']) await journal.append(visit(1, slug))
    journal.markDrained(2)
    expect(readBatchesOnDisk(path).map(({ seq }) => seq)).toEqual([1, 2, 3])
    await journal.append(visit(1, 'd'))
    expect(readBatchesOnDisk(path).map(({ seq }) => seq)).toEqual([2, 3, 4])
  })

  test('no number is used twice, however often everything was counted and the journal reopened', async () => {
    const path = newPath()
    const numbers: number[] = []
    for (let start = 0; start < 4; start++) {
      const journal = openJournal(path)
      for (let index = 0; index < 3; index++) {
        await journal.append(visit(1, 'a'))
        numbers.push(journal.state.lastSeq)
        journal.markDrained(journal.state.lastSeq)
      }
      await close(journal)
      expect(readBatchesOnDisk(path)).toHaveLength(1)
    }
    expect(numbers).toEqual(Array.from({ length: 12 }, (_, index) => index + 1))
  })

  test('a journal keeps its id', async () => {
    const path = newPath()
    const journal = openJournal(path)
    const { id } = journal
    expect(id).toMatch(/^[0-9a-f-]{36}$/)
    await close(journal)
    const again = openJournal(path)
    expect(again.id).toBe(id)
  })

  test('a new file in place of the old one has another id', async () => {
    const path = newPath()
    const journal = openJournal(path)
    const { id } = journal
    await close(journal)
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
    expect(openJournal(path).id).not.toBe(id)
  })

  test('two journals open on one file, as when a new process overlaps the old one, share the numbers', async () => {
    const path = newPath()
    const [old, young] = [openJournal(path), openJournal(path)]
    for (let index = 0; index < 5; index++) {
      await old.append(visit(1, `old-${index}`))
      await young.append(visit(1, `young-${index}`))
    }
    expect(young.id).toBe(old.id)
    expect(readBatchesOnDisk(path).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })
})
