import { expect, test } from 'bun:test'
import type { RoomEvent } from '../../../live/frames.ts'
import { mergeCallEvents } from './call-events.ts'

const ADA = { userId: 'ada', nickname: 'Ada' }

const eventOf = (seq: number, second: number, event: string, data: object) =>
  ({ seq, at: new Date(second * 1000).toISOString(), event, data }) as RoomEvent

const started = (seq: number, second: number, callId = 'c1') =>
  eventOf(seq, second, 'call.started', { callId, person: ADA })
const missed = (seq: number, second: number, callId = 'c1') =>
  eventOf(seq, second, 'call.missed', { callId, person: ADA })
const ended = (seq: number, second: number, callId = 'c1') =>
  eventOf(seq, second, 'call.ended', { callId, seconds: second })

const linesOf = (events: RoomEvent[], messageSeqs: number[] = []) =>
  mergeCallEvents(
    events,
    messageSeqs.map((seq) => ({ seq })),
  ).map(({ seq, event }) => `${seq} ${event}`)

test('R37.5h: a call that no one answered is one line, whether its caller gave up or waited', () => {
  expect(linesOf([started(1, 0), missed(2, 5), ended(3, 5)])).toEqual(['2 call.missed'])
  expect(linesOf([started(1, 0), missed(2, 30), ended(4, 50)], [3])).toEqual(['2 call.missed'])
})

test('a call that someone joined long after it was missed keeps its end', () => {
  expect(linesOf([started(1, 0), missed(2, 30), ended(3, 600)])).toEqual(['2 call.missed', '3 call.ended'])
})

test('R37.5h: a call during which nothing happened is one line, with its caller, its beginning and its length', () => {
  const [line, ...others] = mergeCallEvents([started(1, 0), ended(2, 90)], [{ seq: 3 }])
  expect(others).toEqual([])
  expect(line).toEqual({
    ...started(1, 0),
    event: 'call.ended',
    data: { callId: 'c1', person: ADA, seconds: 90 },
  })
})

test('a call keeps its end after messages and after other events, and its beginning while it lasts', () => {
  expect(linesOf([started(1, 0), ended(3, 90)], [2])).toEqual(['1 call.started', '3 call.ended'])
  const joined = eventOf(2, 10, 'member.joined', { person: ADA })
  expect(linesOf([started(1, 0), joined, ended(3, 90)])).toEqual([
    '1 call.started',
    '2 member.joined',
    '3 call.ended',
  ])
  expect(linesOf([started(1, 0)])).toEqual(['1 call.started'])
})

test('calls after each other stay apart', () => {
  const events = [started(1, 0), ended(2, 10), started(3, 20, 'c2'), missed(4, 25, 'c2'), ended(5, 25, 'c2')]
  expect(linesOf(events)).toEqual(['1 call.ended', '4 call.missed'])
  expect(linesOf([started(1, 0, 'c0'), ended(2, 10)])).toEqual(['1 call.started', '2 call.ended'])
})
