import { expect, test } from 'bun:test'
import { Random } from '@latchkey/http/testing-random'
import { killRoomsUnderLoad } from './kill.ts'

/** `npm run prove kill` kills more often, and two nodes on PostgreSQL. */
const KILLS = 3

test('R28.27: a server killed repeatedly under load stores each acknowledged message once and in order, and ends no session halfway', async () => {
  const { load } = await killRoomsUnderLoad({
    random: new Random(String(Math.random())),
    isEnough: (kills) => kills >= KILLS,
  })
  expect(load.ledger.problems).toEqual([])
  expect(load.ledger.acknowledged).toBeGreaterThan(20)
  expect(load.signedOut).toBeGreaterThan(0)
}, 120_000)
