import type { Log } from '@latchkey/http/log'
import { createClient } from '@redis/client'
import { toRemoteEvent } from '../api/cluster-events.ts'
import { type Bus, createLocalBus } from './bus.ts'
import { type BusMessage, parseBusMessage } from './bus-message.ts'

/** Instances may share a Redis server. A database number in the URL does not separate channels. */
const channelOf = (instanceId: string) => `latchkey:rooms:1:${instanceId}`
/**
 * Interval of the heartbeat that a node sends to itself through the server. After two missed
 * heartbeats the bus is down, whatever the state of the connections.
 */
const HEARTBEAT_EVERY_MS = 5_000
const MAX_MISSED_HEARTBEATS = 2.4
/** A connection that receives nothing for this long is replaced. */
const STALLED_MS = 20_000
const RETRY_MS = { first: 100, max: 2_000 }
/** Limit of the send queue. Further events are dropped, and rooms work without them. */
const MAX_QUEUED = 10_000

/**
 * Bus on publish and subscribe of Redis or Valkey. This node receives its own events directly, and
 * keeps working while the server is unavailable. Both connections reconnect automatically and
 * restore the subscription.
 *
 * Bun's own client is not used: after a reconnect it loses its subscription without an error
 * (docs/decisions).
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
    // After a reconnect, the client renews an existing subscription itself.
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
  // Both clients retry on their own. The start does not wait for the server.
  for (const client of [publisher, subscriber]) client.connect().catch(() => {})
  const timer = setInterval(sendHeartbeat, heartbeatEveryMs)
  return {
    publish(event) {
      local.publish(event)
      send({ from: nodeId, event: toRemoteEvent(event) })
    },
    publishRemote: (event) => send({ from: nodeId, event: toRemoteEvent(event) }),
    listen: local.listen,
    state() {
      const isAlive = performance.now() - lastHeartbeatMs < MAX_MISSED_HEARTBEATS * heartbeatEveryMs
      return isAlive && publisher.isReady && subscriber.isReady ? 'ok' : 'down'
    },
    async close() {
      clearInterval(timer)
      outageLog.close()
      for (const client of [publisher, subscriber]) client.destroy()
    },
  }
}

const PROBE_MS = 5_000

/**
 * Checks that a message published to the server is received from it, on a separate channel. Throws
 * the cause otherwise.
 */
export async function probeBus(url: string): Promise<void> {
  const from = crypto.randomUUID()
  const channel = channelOf(from)
  const options = { url, socket: { connectTimeout: PROBE_MS, reconnectStrategy: false as const } }
  const [publisher, subscriber] = [createClient(options), createClient(options)]
  const { promise: received, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => reject(new Error('it does not answer')), PROBE_MS)
  const probe = async () => {
    await Promise.all([publisher.connect(), subscriber.connect()])
    await subscriber.subscribe(channel, (text) => parseBusMessage(text)?.from === from && resolve())
    await publisher.publish(channel, JSON.stringify({ from } satisfies BusMessage))
  }
  // The error is also the one that `connect` rejects with.
  for (const client of [publisher, subscriber]) client.on('error', reject)
  try {
    probe().catch(reject)
    await received
  } finally {
    clearTimeout(timer)
    for (const client of [publisher, subscriber]) if (client.isOpen) client.destroy()
  }
}

function createConnection(url: string, outageLog: OutageLog) {
  const client = createClient({
    url,
    // An event that cannot be sent now is not worth sending later.
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

/** Logs each outage and each recovery once. */
function createOutageLog(log: Log): OutageLog {
  let state: 'new' | 'up' | 'down' | 'closed' = 'new'
  return {
    up() {
      if (state === 'down') log.info('bus: connected again')
      if (state !== 'closed') state = 'up'
    },
    down(error) {
      if (state === 'down' || state === 'closed') return
      state = 'down'
      log.warn('bus: disconnected, polling the database', { error })
    },
    close: () => void (state = 'closed'),
  }
}
