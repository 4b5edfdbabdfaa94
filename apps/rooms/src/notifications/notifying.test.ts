import { expect, test } from 'bun:test'
import { countNotifying } from './notifying.ts'

test('R30.2: a room notifies of all its messages, of mentions or of none', () => {
  const room = { unread: 7, mentions: 2 }
  const counts = (['all', 'mentions', 'none'] as const).map((notificationLevel) =>
    countNotifying({ ...room, notificationLevel }),
  )
  expect(counts).toEqual([7, 2, 0])
  expect(countNotifying({ unread: null, mentions: null, notificationLevel: 'all' })).toBe(0)
})
