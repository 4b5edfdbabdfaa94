import { expect, test } from 'bun:test'
import { run } from './kill.ts'

/** `bun apps/links/test/durability/kill.ts` does more of them. */
const ROUNDS = 25

test('a server killed again and again under load loses nothing that was answered and counts nothing twice', async () => {
  const { ledger, stop, counted, maybe } = await run(ROUNDS)
  expect(ledger.problems).toEqual([])
  expect(stop.code).toBe(0)
  // Enough happened for this to mean anything: writes and redirects were answered, and some were cut off.
  expect(Object.entries(ledger.writes).filter(([, { answered }]) => answered < 5)).toEqual([])
  const visits = [...ledger.visits.values()]
  const sum = (of: 'redirected' | 'unanswered') => visits.reduce((total, slug) => total + slug[of], 0)
  expect(counted).toBe(sum('redirected') + maybe)
  expect(sum('redirected')).toBeGreaterThan(500)
  expect(sum('unanswered')).toBeGreaterThan(10)
  expect(maybe).toBeLessThanOrEqual(sum('unanswered'))
}, 120_000)
