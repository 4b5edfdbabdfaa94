import { expect, test } from 'bun:test'
import { type RestartOutcome, restartUnderLoad } from './run.ts'

/** `bun apps/latchkey/test/restarts/run.ts` restarts more often, under more load. */
const LOAD = { redirects: 200, people: 40, messages: 10, pauseMs: 500 }

const acknowledgedAndStored = ({ chat, messages }: RestartOutcome) => ({
  missing: chat.acknowledged.filter((text) => !messages.includes(text)),
  repeated: messages.filter((text, index) => messages.indexOf(text) !== index),
})

test('O4.2: restarts of both services under load refuse no request, lose none and count each redirect once', async () => {
  const outcome = await restartUnderLoad({ ...LOAD, restarts: 3, kills: 0 })
  const { visits, chat, clicks, faults } = outcome
  expect({ visits: visits.failures, chat: chat.failures, faults }).toEqual({
    visits: [],
    chat: [],
    faults: [],
  })
  expect(visits.redirected).toBeGreaterThan(LOAD.redirects)
  expect(clicks).toBe(visits.redirected + visits.repeated)
  expect(chat.acknowledged.length).toBeGreaterThan(LOAD.messages)
  expect(acknowledgedAndStored(outcome)).toEqual({ missing: [], repeated: [] })
  expect([...chat.closes]).toEqual([[1012, 3 * LOAD.people]])
}, 120_000)

test('O4.2a: a killed service refuses no connection, and only requests that it had begun get no answer', async () => {
  const outcome = await restartUnderLoad({ ...LOAD, restarts: 2, kills: 2 })
  const { visits, chat, clicks } = outcome
  for (const failure of [...visits.failures, ...chat.failures]) expect(failure).toStartWith('Unanswered: ')
  const unanswered = visits.failures.length + visits.repeated
  expect(clicks).toBeGreaterThanOrEqual(visits.redirected)
  expect(clicks).toBeLessThanOrEqual(visits.redirected + unanswered)
  expect(acknowledgedAndStored(outcome)).toEqual({ missing: [], repeated: [] })
}, 120_000)
