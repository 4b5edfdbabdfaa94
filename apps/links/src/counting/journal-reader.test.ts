import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { closeAfterEach, testFolder, visit } from '../../test/test-database.ts'
import { Journal } from './journal.ts'
import { unpackBatch } from './journal-format.ts'
import { JournalReader } from './journal-reader.ts'

const folder = testFolder()
let journalCount = 0

const { closeLater } = closeAfterEach()

function openBoth(): { journal: Journal; reader: JournalReader } {
  const path = join(folder, `journal-${++journalCount}.db`)
  const journal = closeLater(
    new Journal(path, { onCommit: () => undefined, onLoss: (error) => expect(error).toBeUndefined() }),
  )
  return { journal, reader: closeLater(new JournalReader(path)) }
}

test('a reader has the id of its journal', () => {
  const { journal, reader } = openBoth()
  expect(reader.id).toBe(journal.id)
})

test('a click is read as it was appended, whatever visitors sent', async () => {
  const { journal, reader } = openBoth()
  const click = visit(2 ** 52, '~.-_', {
    clickedAt: 253_402_300_799,
    query: `?a="'\\%00&b=\u{1f600}\u2028`,
    referrer: '\u0000\ud800',
    userAgent: '',
    country: 'SE',
    visitorFp: null,
  })
  await journal.append(click)
  const [batch] = reader.readBatches(0, 1, 1)
  expect(unpackBatch(batch?.clicks ?? '[]')).toEqual([click])
})
