// Kills the service between and during deliveries of webhooks, and checks what the receiver got.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Server } from '../durability/server.ts'
import { Receiver } from './receiver.ts'

const EVENTS_PER_ROUND = 20

export interface Outcome {
  events: number
  /** The `seq` of each delivery, in the order of arrival. */
  seqs: number[]
  areAllSigned: boolean
  /** Exit of the last server, which was asked to stop. */
  code: number
}

/** Starts the service this many times, and kills all but the last while it delivers. */
export async function run(rounds: number): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-webhooks-'))
  const receiver = new Receiver()
  try {
    let events = 0
    let server = await start(folder)
    receiver.secrets = [await createWebhook(server, receiver.url)]
    for (let round = 0; round < rounds; round++) {
      for (let each = 0; each < EVENTS_PER_ROUND; each++) await createLink(server, events + each)
      events += EVENTS_PER_ROUND
      // Each round kills at another point.
      const received = new Set(receiver.seqs).size
      await receiver.waitFor(receiver.received.length + 1 + ((round * 7) % (events - received)))
      await server.kill()
      server = await start(folder)
    }
    while (new Set(receiver.seqs).size < events) await receiver.waitFor(receiver.received.length + 1)
    const { code } = await server.stop()
    const seqs = receiver.seqs.map(Number)
    return { events, seqs, areAllSigned: receiver.received.every(({ signedBy }) => signedBy[0] === 0), code }
  } finally {
    await receiver.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Deliveries that are neither the next event nor the one before once more. */
export function findDisorder(seqs: readonly number[]): number[] {
  return seqs.filter((seq, index) => {
    const before = seqs[index - 1] ?? 0
    return seq !== before && seq !== before + 1
  })
}

function start(folder: string): Promise<Server> {
  return Server.start(folder, { environment: { LINKS_WEBHOOK_ALLOW: '127.0.0.1' } })
}

async function createWebhook(server: Server, url: string): Promise<string> {
  const { text } = await server.request('POST', '/_/admin/api/webhooks', { body: { url } })
  return (JSON.parse(text) as { secret: string }).secret
}

async function createLink(server: Server, number: number): Promise<void> {
  const body = { url: `https://example.com/${number}` }
  const { status, text } = await server.request('POST', '/_/admin/api/links', { body })
  if (status !== 201) throw new Error(`No link was created: ${text}`)
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '100' } } })
  const { events, seqs, areAllSigned, code } = await run(Number(values.rounds))
  const disorder = findDisorder(seqs)
  console.log(
    `${values.rounds} kills: ${events} events, ${seqs.length} deliveries, ${seqs.length - events} repeated, ` +
      `${disorder.length} out of order, all signed: ${areAllSigned}, last exit: ${code}`,
  )
  process.exit(disorder.length > 0 || !areAllSigned ? 1 : 0)
}
