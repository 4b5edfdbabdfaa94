import type { Log } from '@latchkey/http/log'
import { createClient } from '@redis/client'
import { toRemoteEvent } from '../cluster-events.ts'
import { type Bus, createLocalBus } from './bus.ts'
import { type BusMessage, parseBusMessage } from './bus-message.ts'

/** Other instances may use the same server: the number of a database in its address keeps no channels apart. */
const channelOf = (instanceId: string) => `latchkey:rooms:1:${instanceId}`
/** A node hears itself this often through the server; when it has not twice, the bus is down, whatever the connections say. */
const HEARTBEAT_EVERY_MS = 5_000
const MAX_MISSED_HEARTBEATS = 2.4
/** A connection on which nothing came for so long is given up for a new one. */
const STALLED_MS = 20_000
const RETRY_MS = { first: 100, max: 2_000 }
/** More that nobody has taken is dropped: rooms go on without. */
const MAX_QUEUED = 10_000

/**
 * Redis or Valkey publish and subscribe. This node hears its own events at once and directly, so that it works on while the
 * server is away; both connections come back by themselves, the subscription with them.
 *
 * Not the client of Bun: after a reconnect it stays without its subscription and says nothing (docs/decisions).
 */
export async function createRedisBus(
  url: string,
  { instanceId, nodeId }: { instanceId: string; nodeId: string },
  log: Log,
  heartbeatEveryMs = HEARTBEAT_EVERY_MS,
): Promise<Bus> {
  const channel = channelOf(instanceId)
  const local = createLocalBus(log)
  let lastHeartbeatMs = -Infinity
  const receive = (text: string) => {
    const message = parseBusMessage(text)
    if (message?.from === nodeId) lastHeartbeatMs = performance.now()
    else if (message?.event) local.publish(message.event)
  }
  const outageLog = createOutageLog(log)
  const [publisher, subscriber] = [createConnection(url, outageLog), createConnection(url, outageLog)]
  let isSubscribed = false
  const subscribe = async () => {
    // Renewed by the client itself once it stands.
    if (!isSubscribed) await subscriber.subscribe(channel, receive)
    isSubscribed = true
    outageLog.up()
    sendHeartbeat()
  }
  subscriber.on('ready', () => void subscribe().catch((error: unknown) => outageLog.down(error)))
  const send = (message: BusMessage) => {
    if (publisher.isReady) publisher.publish(channel, JSON.stringify(message)).catch(() => {})
  }
  const sendHeartbeat = () => send({ from: nodeId })
  publisher.on('ready', sendHeartbeat)
  // They go on trying by themselves; nothing waits for the server.
  for (const each of [publisher, subscriber]) each.connect().catch(() => {})
  const timer = setInterval(sendHeartbeat, heartbeatEveryMs)
  return {
    publish(event) {
      local.publish(event)
      send({ from: nodeId, event: toRemoteEvent(event) })
    },
    publishRemote: (event) => send({ from: nodeId, event: toRemoteEvent(event) }),
    listen: local.listen,
    state() {
      const isHeard = performance.now() - lastHeartbeatMs < MAX_MISSED_HEARTBEATS * heartbeatEveryMs
      return isHeard && publisher.isReady && subscriber.isReady ? 'ok' : 'down'
    },
    async close() {
      clearInterval(timer)
      outageLog.close()
      for (const each of [publisher, subscriber]) each.destroy()
    },
  }
}

const PROBE_MS = 5_000

/** Finds out whether what is told to the server is heard through it, in a channel of its own. Throws what is in the way. */
export async function probeBus(url: string): Promise<void> {
  const from = crypto.randomUUID()
  const channel = channelOf(from)
  const options = { url, socket: { connectTimeout: PROBE_MS, reconnectStrategy: false as const } }
  const [publisher, subscriber] = [createClient(options), createClient(options)]
  const { promise: received, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => reject(new Error('it does not answer')), PROBE_MS)
  const ask = async () => {
    await Promise.all([publisher.connect(), subscriber.connect()])
    await subscriber.subscribe(channel, (text) => parseBusMessage(text)?.from === from && resolve())
    await publisher.publish(channel, JSON.stringify({ from } satisfies BusMessage))
  }
  // What it says is also what the connecting fails with.
  for (const each of [publisher, subscriber]) each.on('error', reject)
  try {
    ask().catch(reject)
    await received
  } finally {
    clearTimeout(timer)
    for (const each of [publisher, subscriber]) if (each.isOpen) each.destroy()
  }
}

function createConnection(url: string, outageLog: OutageLog) {
  const client = createClient({
    url,
    // What cannot be sent at this moment is not worth sending later.
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_QUEUED,
    socket: {
      socketTimeout: STALLED_MS,
      reconnectStrategy: (retries) => Math.min(RETRY_MS.first * 2 ** retries, RETRY_MS.max),
    },
  })
  client.on('error', (error: unknown) => outageLog.down(error))
  return client
}

interface OutageLog {
  up(): void
  down(error: unknown): void
  close(): void
}

/** Logs when the server goes and comes, once each. */
function createOutageLog(log: Log): OutageLog {
  let state: 'new' | 'up' | 'down' | 'closed' = 'new'
  return {
    up() {
      if (state === 'down') log.info('the bus is back')
      if (state !== 'closed') state = 'up'
    },
    down(error) {
      if (state === 'down' || state === 'closed') return
      state = 'down'
      log.warn('the bus is gone; rooms go on with what the database says', { error })
    },
    close: () => void (state = 'closed'),
  }
}
