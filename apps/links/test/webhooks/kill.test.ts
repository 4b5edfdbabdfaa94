import { expect, test } from 'bun:test'
import { Random } from '@latchkey/http/testing-random'
import { findDisorder, killWhileDelivering } from './kill.ts'

/** `npm run prove kill` kills the service more often. */
const KILLS = 10

test('L30.3i: of a service that is killed while it delivers, a receiver gets each event in order, and at most one again for each kill', async () => {
  const { events, seqs, areAllSigned, code } = await killWhileDelivering({
    random: new Random(String(Math.random())),
    isEnough: (kills) => kills >= KILLS,
  })
  expect(new Set(seqs).size).toBe(events)
  expect(findDisorder(seqs)).toEqual([])
  expect(seqs.length - events).toBeLessThanOrEqual(KILLS)
  expect([areAllSigned, code]).toEqual([true, 0])
}, 300_000)
