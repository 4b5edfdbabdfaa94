import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { Tables } from '../db/tables.ts'
import { findOrCreateInstanceSecret } from '../preferences/instance-secret.ts'
import { VERSION } from '../api/version.ts'
import { Dispatcher } from './dispatcher.ts'
import type { Webhooks } from './webhooks.ts'
import { type PostOptions, Poster } from './post.ts'
import { Sender } from './sender.ts'
import { createEventSource } from './source.ts'
import { TestSlots } from './test-slots.ts'

interface OpenOptions {
  /** Private addresses and CIDR ranges that may be reached. */
  settings: { webhookAllow: readonly string[] }
  database: Database<Tables>
  log: Log
  /** Milliseconds since 1970 on the clock that all nodes share, and on that of this machine. */
  now: () => number
  machineNow: () => number
  metrics: { countDelivery(outcome: string): void }
  webhookPost?: Omit<PostOptions, 'allowed'> | undefined
}

/** Starts to deliver events. */
export async function openWebhooks(options: OpenOptions): Promise<{
  webhooks: Webhooks
  dispatcher: Dispatcher
}> {
  const { settings, database, log, metrics, webhookPost } = options
  const now = () => Math.floor(options.now() / 1000)
  const machineNow = () => Math.floor(options.machineNow() / 1000)
  const sender = new Sender({
    poster: new Poster({ ...webhookPost, allowed: settings.webhookAllow }),
    instanceSecret: await findOrCreateInstanceSecret(database, 'webhook_secret'),
    userAgent: `Latchkey-Links/${VERSION}`,
    // Receivers compare it with their own clock.
    now: machineNow,
  })
  const source = createEventSource(database)
  const dispatcher = new Dispatcher({
    database,
    source,
    sender,
    log,
    now,
    count: (outcome) => metrics.countDelivery(outcome),
  })
  await dispatcher.start()
  return { webhooks: { sender, tests: new TestSlots(), signal: dispatcher.signal }, dispatcher }
}
