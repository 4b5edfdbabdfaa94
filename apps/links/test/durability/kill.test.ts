import { expect, test } from 'bun:test'
import { run } from './kill.ts'
import type { Ledger } from './ledger.ts'

/** `bun apps/links/test/durability/kill.ts` runs more rounds. */
const ROUNDS = 25

const tally = (ledger: Ledger, of: 'redirected' | 'unanswered') =>
  [...ledger.visits.values()].reduce((total, slug) => total + slug[of], 0)

/**
 * True once writes and redirects were answered and some were interrupted. A busy machine needs more
 * rounds.
 */
const isEnough = (ledger: Ledger) =>
  Object.values(ledger.writes).every(({ answered }) => answered >= 5) &&
  tally(ledger, 'redirected') > 500 &&
  tally(ledger, 'unanswered') > 10

test('L12.4, L30.1: a server killed repeatedly under load loses nothing that was answered, counts nothing twice, and has one event of each write', async () => {
  const { ledger, stop, clicks, maybe } = await run(ROUNDS, isEnough)
  expect(ledger.problems).toEqual([])
  expect(stop.code).toBe(0)
  expect(isEnough(ledger)).toBe(true)
  expect(clicks).toBe(tally(ledger, 'redirected') + maybe)
  expect(maybe).toBeLessThanOrEqual(tally(ledger, 'unanswered'))
}, 300_000)
