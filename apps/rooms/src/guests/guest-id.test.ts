import { expect, test } from 'bun:test'
import { Id } from '../api/wire.ts'
import { guestSince, newGuestId } from './guest-id.ts'

test('R22: the id of a guest contains the time of creation in milliseconds', () => {
  for (const nowMs of [0, 1, Date.UTC(2026, 10, 21, 12, 0, 0, 7), Date.UTC(2400, 0)]) {
    const id = newGuestId(nowMs)
    expect(Id.parse(id)).toBe(id)
    expect(guestSince(id)).toBe(nowMs)
  }
})

test('R14.6: ids of guests that are created in the same millisecond start with different digits', () => {
  const ids = Array.from({ length: 1000 }, () => newGuestId(1))
  expect(new Set(ids).size).toBe(1000)
  expect(new Set(ids.map((id) => id.slice(0, 4))).size).toBeGreaterThan(900)
})

test('R22: other ids contain no time of creation', () => {
  for (const id of [crypto.randomUUID(), '', 'x']) expect(guestSince(id)).toBeUndefined()
})
