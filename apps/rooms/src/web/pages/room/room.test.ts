import { DAY_MS } from '@latchkey/http/duration'
import { expect, test } from 'bun:test'
import type { User } from '../../session.ts'
import { type Room, hasWholeHistory } from './room.ts'

const room = {
  historyVisibility: 'all',
  retention: 30,
  maxRetention: null,
  createdAt: '2026-11-01T00:00:00.000Z',
  role: null,
}
const person = { platformAdmin: false }
const hasAll = (changes: Partial<Room>, days: number, user: Partial<User> = {}) =>
  hasWholeHistory(
    { ...room, ...changes } as Room,
    { ...person, ...user } as User,
    Date.parse(room.createdAt) + days * DAY_MS,
  )

test('a history begins with the room unless messages were too old to be kept', () => {
  expect([hasAll({}, 29), hasAll({}, 30)]).toEqual([true, false])
  const maxRetention = { days: 7, from: '2026-11-05T00:00:00.000Z' }
  const forever = { retention: 'forever', maxRetention } as const
  expect([hasAll(forever, 3), hasAll({ ...forever, createdAt: '2026-10-01T00:00:00.000Z' }, 35)]).toEqual([
    true,
    false,
  ])
  expect([hasAll({ retention: 7 }, 8), hasAll({ retention: 'forever' }, 900)]).toEqual([false, true])
})

test('a history begins with the room only for those who may read it whole', () => {
  const later = { historyVisibility: 'since_membership' } as const
  expect([hasAll(later, 1), hasAll({ ...later, role: 'moderator' }, 1)]).toEqual([false, false])
  expect([hasAll({ ...later, role: 'owner' }, 1), hasAll(later, 1, { platformAdmin: true })]).toEqual([
    true,
    true,
  ])
  expect(hasAll({ historyVisibility: 'none', role: 'owner' }, 1)).toBe(false)
})
