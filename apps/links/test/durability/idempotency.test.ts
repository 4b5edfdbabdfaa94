import { expect, test } from 'bun:test'
import { closeAfterEach, testFolder } from '../test-database.ts'
import { Server, createKey, withKey } from './server.ts'

const { closeLater } = closeAfterEach()

const ROUNDS = 6
const CLIENTS = 4
/** The server is killed after this many answers, or up to twice as many. */
const MIN_ANSWERS = 10

/** Creates links until the server dies. Each request has its own key, which names its URL as well. */
async function createUntilKilled(
  server: Server,
  {
    client,
    apiKey,
    answers,
    onAnswer,
  }: { client: string; apiKey: string; answers: Answers; onAnswer: () => void },
) {
  const wire = await server.connect()
  for (let n = 0; ; n++) {
    const key = `${client}-${n}`
    answers.set(key, undefined)
    const answer = await create(wire, apiKey, key).catch(() => undefined)
    if (!answer) return wire.close()
    answers.set(key, answer.text)
    onAnswer()
  }
}

/** The answers by idempotency key; undefined where none arrived. */
type Answers = Map<string, string | undefined>

function create(to: Pick<Server, 'request'>, apiKey: string, key: string) {
  return to.request('POST', '/_/api/links', {
    headers: { ...withKey(apiKey), 'Idempotency-Key': key },
    body: { url: `https://example.com/${key}`, allow_duplicate: true },
  })
}

test('L28.2f: after a kill, a repeated request gets the answer of its link, and no link is lost or created twice', async () => {
  const folder = testFolder()
  let server = closeLater(await Server.start(folder))
  const apiKey = await createKey(server)
  const answers: Answers = new Map()
  for (let round = 0; round < ROUNDS; round++) {
    let missing = MIN_ANSWERS + Math.floor(Math.random() * MIN_ANSWERS)
    const { promise: enough, resolve } = Promise.withResolvers<void>()
    const onAnswer = () => void (--missing === 0 && resolve())
    const clients = Array.from({ length: CLIENTS }, (_, n) =>
      createUntilKilled(server, { client: `r${round}c${n}`, apiKey, answers, onAnswer }),
    )
    await enough
    await server.kill()
    await Promise.all(clients)
    server = closeLater(await Server.start(folder))
  }
  const unanswered = [...answers].filter(([, text]) => text === undefined).map(([key]) => key)
  expect(unanswered.length).toBeGreaterThan(0)
  expect(answers.size).toBeGreaterThanOrEqual(unanswered.length + ROUNDS * MIN_ANSWERS)

  const wire = closeLater(await server.connect())
  for (const [key, earlier] of answers) {
    const { status, text, headers } = await create(wire, apiKey, key)
    expect([key, status]).toEqual([key, 201])
    if (earlier !== undefined) expect([text, headers.get('idempotent-replay')]).toEqual([earlier, 'true'])
    const { id, url } = JSON.parse(text) as { id: number; url: string }
    const stored = await wire.request('GET', `/_/api/links/${id}`, { headers: withKey(apiKey) })
    expect((JSON.parse(stored.text) as { url: string }).url).toBe(url)
  }
  const { headers } = await wire.request('GET', '/_/api/links?limit=1', { headers: withKey(apiKey) })
  expect(headers.get('x-total-count')).toBe(String(answers.size))
}, 120_000)
