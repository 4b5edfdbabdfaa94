// Kills the service between and during deliveries of webhooks, and checks what the receiver got.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Random } from '@latchkey/http/testing-random'
import { Server } from '../durability/server.ts'
import { Receiver } from './receiver.ts'

const EVENTS_PER_ROUND = 20

interface Options {
  random: Random
  isEnough: (kills: number) => boolean
}

export interface Outcome {
  kills: number
  events: number
  /** The `seq` of each delivery, in the order of arrival. */
  seqs: number[]
  areAllSigned: boolean
  /** Exit of the last server, which was asked to stop. */
  code: number
}

/** Kills the service while it delivers, each time at another point, and starts it again. */
export async function killWhileDelivering({ random, isEnough }: Options): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-webhooks-'))
  const receiver = new Receiver()
  let server = await start(folder)
  try {
    let [kills, events] = [0, 0]
    receiver.secrets = [await createWebhook(server, receiver.url)]
    for (; !isEnough(kills); kills++) {
      for (let each = 0; each < EVENTS_PER_ROUND; each++) await createLink(server, events + each)
      events += EVENTS_PER_ROUND
      const missing = events - new Set(receiver.seqs).size
      await receiver.waitFor(receiver.received.length + random.index(missing + 1))
      await server.kill()
      server = await start(folder)
    }
    while (new Set(receiver.seqs).size < events) await receiver.waitFor(receiver.received.length + 1)
    const { code } = await server.stop()
    const seqs = receiver.seqs.map(Number)
    const areAllSigned = receiver.received.every(({ signedBy }) => signedBy[0] === 0)
    return { kills, events, seqs, areAllSigned, code }
  } finally {
    await server.close()
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
