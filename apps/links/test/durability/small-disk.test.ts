import { afterAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Journal } from '../../src/counting/journal.ts'
import { visit } from '../test-database.ts'
import { mountDisk } from './disk.ts'

const disk = mountDisk('6m')
afterAll(() => disk?.close())

describe.skipIf(disk === undefined)('a disk of 6 MB', () => {
  test('L12.4: clicks that are counted make room for others, and none is lost', async () => {
    const losses: unknown[] = []
    const journal = new Journal(join(disk?.folder ?? '', 'journal.db'), {
      onCommit: () => undefined,
      onLoss: (error) => void losses.push(error),
    })
    for (let clicks = 0; clicks < 3_000 && losses.length === 0; clicks++) {
      await journal.append(visit(1, 'x', { userAgent: 'x'.repeat(400) }))
      journal.markDrained(journal.state.lastSeq)
    }
    await journal.close()
    expect(losses).toEqual([])
    expect(journal.state.committed).toBe(3_000)
  }, 60_000)
})
