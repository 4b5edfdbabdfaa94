import { expect, test } from 'bun:test'
import { closeAfterEach, testFolder } from '../test-database.ts'
import { Server, createKey, withKey } from './server.ts'

const { closeLater } = closeAfterEach()

const ROUNDS = 6
/** Enough operations that most kills hit the server while it applies them. */
const OPS = 120

async function createPlan(server: Server, apiKey: string, round: number): Promise<number> {
  const ops = Array.from({ length: OPS }, (_, n) => ({
    operation: 'createLink',
    body: { url: `https://example.com/${round}/${n}`, label: `Round ${round}`, allow_duplicate: true },
  }))
  const { text } = await server.request('POST', '/_/api/plans', { headers: withKey(apiKey), body: { ops } })
  return (JSON.parse(text) as { id: number }).id
}

test('L29.3n: a kill while a plan is applied leaves all of it or nothing', async () => {
  const folder = testFolder()
  let server = closeLater(await Server.start(folder))
  const apiKey = await createKey(server)
  const headers = withKey(apiKey)
  const states: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const startedMs = performance.now()
    const id = await createPlan(server, apiKey, round)
    // Planning performs the same operations, so it takes about as long.
    const planningMs = performance.now() - startedMs
    const answer = server.request('POST', `/_/api/plans/${id}/apply`, { headers }).catch(() => undefined)
    await Bun.sleep((planningMs * round) / (ROUNDS / 2))
    await server.kill()
    const answered = await answer
    server = closeLater(await Server.start(folder))
    const { text } = await server.request('GET', `/_/api/plans/${id}`, { headers })
    const { state } = JSON.parse(text) as { state: string }
    const links = await server.request('GET', `/_/api/links?limit=1000&search=Round`, {
      headers,
    })
    const labels = (JSON.parse(links.text) as { label: string }[]).filter(
      ({ label }) => label === `Round ${round}`,
    )
    expect([state, labels.length]).toEqual(state === 'applied' ? ['applied', OPS] : ['open', 0])
    if (answered) expect(state).toBe('applied')
    states.push(state)
  }
  expect(new Set(states)).toEqual(new Set(['open', 'applied']))
}, 120_000)
