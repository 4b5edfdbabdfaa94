import { expect, test } from 'bun:test'
import { AccessSessions, SESSION_ENDED } from './sessions.ts'

const NOW = 1_790_000_000
const at = (seconds: number) => new Date(seconds * 1000).toISOString()

test('L16.7: the signal of a session aborts with its end, and no other signal does', () => {
  const sessions = new AccessSessions()
  const [ann, ben] = [sessions.admit('ann'), sessions.admit('ben')]
  sessions.end([{ sid: 'ann', at: at(NOW) }], NOW)
  expect([ann.aborted, ann.reason, ben.aborted]).toEqual([true, SESSION_ENDED, false])
  expect([sessions.hasEnded('ann', NOW), sessions.isAdmitted('ann')]).toEqual([true, false])
  expect([sessions.hasEnded('ben', NOW), sessions.isAdmitted('ben')]).toEqual([false, true])
})

test('L16.7: an ended session is known for as long as one of its assertions can be valid', () => {
  const sessions = new AccessSessions()
  sessions.end([{ sid: 'ann', at: at(NOW) }], NOW)
  sessions.end([], NOW + 120)
  expect(sessions.hasEnded('ann', NOW)).toBe(true)
  sessions.end([], NOW + 121)
  expect(sessions.hasEnded('ann', NOW)).toBe(false)
})

test('an end in the future is kept no longer than one of now, and refuses no later assertion', () => {
  const sessions = new AccessSessions()
  sessions.end([{ sid: 'ann', at: at(NOW + 1e9) }], NOW)
  sessions.end([], NOW + 121)
  expect([sessions.hasEnded('ann', NOW), sessions.hasEnded('ben', NOW)]).toEqual([false, false])
})

test('L16.9b: of too many ended sessions, none is admitted with an assertion from before its end', () => {
  const sessions = new AccessSessions()
  const ended = Array.from({ length: 100_001 }, (_, index) => ({ sid: `s${index}`, at: at(NOW) }))
  sessions.end(ended, NOW)
  for (const sid of ['s0', 's1', 's100000', 'another'])
    expect([sid, sessions.hasEnded(sid, NOW)]).toEqual([sid, true])
  expect([sessions.hasEnded('s1', NOW + 1), sessions.hasEnded('another', NOW + 1)]).toEqual([true, false])
})

test('L16.9b: of too many admitted sessions, the one that was admitted longest ago is forgotten', () => {
  const sessions = new AccessSessions()
  const signals = Array.from({ length: 10_000 }, (_, index) => sessions.admit(`s${index}`))
  expect(sessions.admit('s0')).toBe(signals[0] as AbortSignal)
  sessions.admit('one more')
  expect([sessions.isAdmitted('s0'), sessions.isAdmitted('s1'), sessions.isAdmitted('s2')]).toEqual([
    true,
    false,
    true,
  ])
  expect([signals[1]?.aborted, signals[1]?.reason === SESSION_ENDED, signals[2]?.aborted]).toEqual([
    true,
    false,
    false,
  ])
})
