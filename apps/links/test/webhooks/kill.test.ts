import { expect, test } from 'bun:test'
import { findDisorder, run } from './kill.ts'

/** `bun apps/links/test/webhooks/kill.ts` kills the service a hundred times. */
const KILLS = 10

test('L30.3i: of a service that is killed while it delivers, a receiver gets each event in order, and at most one again for each kill', async () => {
  const { events, seqs, areAllSigned, code } = await run(KILLS)
  expect(new Set(seqs).size).toBe(events)
  expect(findDisorder(seqs)).toEqual([])
  expect(seqs.length - events).toBeLessThanOrEqual(KILLS)
  expect([areAllSigned, code]).toEqual([true, 0])
}, 300_000)
