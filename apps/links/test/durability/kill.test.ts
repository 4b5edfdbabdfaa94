import { expect, test } from 'bun:test'
import { Random } from '@latchkey/http/testing-random'
import { killUnderLoad } from './kill.ts'
import type { Ledger } from './ledger.ts'

/** `npm run prove kill` kills more often, on both engines. */
const KILLS = 25

const tally = (ledger: Ledger, of: 'redirected' | 'unanswered') =>
  [...ledger.visits.values()].reduce((total, slug) => total + slug[of], 0)

/**
 * True once writes and redirects were answered and some were interrupted. A busy machine needs more
 * kills.
 */
const isEnough = (ledger: Ledger) =>
  Object.values(ledger.writes).every(({ answered }) => answered >= 5) &&
  tally(ledger, 'redirected') > 500 &&
  tally(ledger, 'unanswered') > 10

test('L12.4, L30.1: a server killed repeatedly under load loses nothing that was answered, counts nothing twice, and has one event of each write', async () => {
  const { ledger, clicks, maybe } = await killUnderLoad({
    random: new Random(String(Math.random())),
    isEnough: (kills, sofar) => kills >= KILLS && (isEnough(sofar) || kills >= 4 * KILLS),
  })
  expect(ledger.problems).toEqual([])
  expect(isEnough(ledger)).toBe(true)
  expect(clicks).toBe(tally(ledger, 'redirected') + maybe)
  expect(maybe).toBeLessThanOrEqual(tally(ledger, 'unanswered'))
}, 300_000)
