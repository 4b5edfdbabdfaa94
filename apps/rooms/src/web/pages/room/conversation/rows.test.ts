import { expect, test } from 'bun:test'
import type { Message, RoomEvent } from '../../../live/frames.ts'
import { MAX_ROWS, NEWEST, extendDown, extendUp, rangeOf, windowAround } from './row-window.ts'
import { rowsOf } from './rows.ts'

const NOON_MS = new Date(2026, 10, 22, 12).getTime()

const message = (seq: number, minutes: number, more: Partial<Message> = {}) =>
  ({
    id: `m${seq}`,
    seq,
    userId: 'ada',
    nickname: 'Ada',
    replyTo: null,
    reactions: [],
    createdAt: new Date(NOON_MS + minutes * 60_000).toISOString(),
    ...more,
  }) as Message

const event = (seq: number, minutes: number) =>
  ({
    seq,
    at: new Date(NOON_MS + minutes * 60_000).toISOString(),
    event: 'member.joined',
    data: {},
  }) as RoomEvent

/** The rows in short: `>` before a message that continues the previous one. */
const lines = (...args: Parameters<typeof rowsOf>) =>
  rowsOf(...args).map((row) => (row.type === 'message' ? `${row.continues ? '>' : ''}${row.key}` : row.type))

const NOTHING = { messages: [], events: [], unreadFrom: null, hasOlder: false }

test('messages of one author soon after each other share a name, unless a line is between them', () => {
  const messages = [
    message(1, 0),
    message(2, 4),
    message(3, 10),
    message(4, 11, { userId: 'bob' }),
    message(5, 12, { userId: 'bob', replyTo: { id: 'm1', nickname: 'Ada', excerpt: 'x' } }),
    message(7, 13, { userId: 'bob' }),
    message(8, 14, { userId: 'bob', nickname: 'Robert' }),
    message(9, 15, { userId: null }),
    message(10, 15, { userId: null }),
  ]
  expect(lines({ ...NOTHING, messages, events: [event(6, 13)] })).toEqual([
    'day',
    'm1',
    '>m2',
    'm3',
    'm4',
    'm5',
    'event',
    'm7',
    'm8',
    'm9',
    'm10',
  ])
})

test('R35.2g: each day begins with a line, also if it begins with an event', () => {
  const day = 24 * 60
  const messages = [message(1, 0), message(2, day), message(4, 2 * day + 1)]
  expect(lines({ ...NOTHING, messages, events: [event(3, 2 * day), event(5, 3 * day)] })).toEqual([
    'day',
    'm1',
    'day',
    'm2',
    'day',
    'event',
    'm4',
    'day',
    'event',
  ])
})

test('R35.2: new messages begin with a line, unless the first of them is among older ones', () => {
  const messages = [message(5, 0), message(6, 1), message(8, 2)]
  expect(lines({ ...NOTHING, messages, unreadFrom: 6 })).toEqual(['day', 'm5', 'new', 'm6', '>m8'])
  expect(lines({ ...NOTHING, messages, unreadFrom: 7 })).toEqual(['day', 'm5', '>m6', 'new', 'm8'])
  expect(lines({ ...NOTHING, messages, unreadFrom: 2, hasOlder: true })).not.toContain('new')
  expect(lines({ ...NOTHING, messages, unreadFrom: 2 })[1]).toBe('new')
  expect(lines({ ...NOTHING, messages, unreadFrom: 9 })).not.toContain('new')
})

const keys = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({ key: String(from + index) }))

test('R35.4: among 5,000 rows at most 300 are in the page, and both ends can be reached', () => {
  expect(MAX_ROWS).toBeLessThanOrEqual(300)
  const rows = keys(5_000)
  let range = rangeOf(rows, NEWEST)
  expect(range.end).toBe(5_000)
  const visited = new Set<number>()
  for (let steps = 0; range.start > 0; steps++) {
    range = rangeOf(rows, extendUp(rows, range))
    expect(range.end - range.start).toBeLessThanOrEqual(MAX_ROWS)
    visited.add(range.start)
    expect(steps).toBeLessThan(5_000)
  }
  expect(range).toEqual({ start: 0, end: MAX_ROWS })
  while (range.end < 5_000) {
    const before = range
    range = rangeOf(rows, extendDown(rows, range))
    expect(range.end).toBeGreaterThan(before.end)
    // Each step keeps rows of the one before, so that the view has a place to stay at.
    expect(range.start).toBeLessThan(before.end)
    expect(range.end - range.start).toBeLessThanOrEqual(MAX_ROWS)
  }
})

test('rows that arrive while the reader is further up remove none that is being read', () => {
  const rows = keys(200)
  const window = extendUp(rows, rangeOf(rows, NEWEST))
  const { start } = rangeOf(rows, window)
  expect(rangeOf(keys(700), window)).toEqual({ start, end: start + MAX_ROWS })
  // Older rows are known now, and the window stays at the same ones.
  expect(rangeOf(keys(250, -50), window)).toEqual({ start: start + 50, end: 250 })
})

test('a window around a row contains it with its neighbours', () => {
  const rows = keys(5_000)
  expect(rangeOf(rows, windowAround(rows, '2000'))).toEqual({ start: 1_950, end: 2_050 })
  expect(rangeOf(rows, windowAround(rows, '3'))).toEqual({ start: 0, end: 53 })
  // A row that was dropped leaves the newest ones.
  expect(rangeOf(rows, { first: 'gone', last: 'gone' }).end).toBe(5_000)
})

test('R29.3: of messages that take long to render, few are in the page at first', () => {
  const rows = (content: string, reactions = 0) =>
    Array.from({ length: 50 }, (_, index) => ({
      key: String(index),
      message: { content, reactions: Array.from({ length: reactions }) },
    }))
  const count = (...of: Parameters<typeof rows>) => {
    const { start, end } = rangeOf(rows(...of), NEWEST)
    return end - start
  }
  expect(count('hello')).toBe(50)
  expect(count('hello', 20)).toBeLessThan(20)
  expect(count('word '.repeat(400))).toBeLessThan(15)
  for (const unit of ['`a` ', '*a* ', 'https://a.bc ', '- a\n', '[a](https://a.bc) '])
    expect(count(unit.repeat(1_980 / unit.length))).toBeLessThan(6)
})

test('the first row of a window stays the same when older rows of its day are read', () => {
  const messages = Array.from({ length: 70 }, (_, index) => message(index + 100, index))
  const rows = rowsOf({ ...NOTHING, messages })
  const window = extendUp(rows, rangeOf(rows, NEWEST))
  expect(rows[rangeOf(rows, window).start]?.type).toBe('day')
  const older = rowsOf({ ...NOTHING, messages: [message(99, -1), ...messages] })
  expect(older[rangeOf(older, window).start]?.key).toBe('m100')
})
