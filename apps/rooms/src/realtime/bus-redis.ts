import type { Log } from '@latchkey/http/log'
import { RedisClient } from 'bun'
import type { News } from '../news.ts'
import { type Bus, createLocalBus } from './bus.ts'

const CHANNEL = 'latchkey:rooms:1'

/** News with the node that sends it, which has told itself already. */
interface Letter {
  from: string
  news: News
}

/**
 * Redis or Valkey publish and subscribe. This node hears its own news at once and directly, so that it works on while the
 * server is away; the client connects again by itself.
 */
export async function createRedisBus(url: string, nodeId: string, log: Log): Promise<Bus> {
  const local = createLocalBus()
  const publisher = new RedisClient(url)
  const subscriber = new RedisClient(url)
  const connections = [publisher, subscriber]
  let isClosed = false
  let isListening = false
  const hear = (text: string) => {
    const { from, news } = JSON.parse(text) as Letter
    if (from !== nodeId) local.publish(news)
  }
  const subscribe = async () => {
    try {
      await subscriber.subscribe(CHANNEL, (text) => hear(text))
      isListening = true
    } catch (error) {
      if (!isClosed) log.warn('the bus cannot be reached', { error })
    }
  }
  // The client has no listeners of another kind.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  subscriber.onclose = () => {
    isListening = false
    if (!isClosed) log.warn('the bus is gone; rooms go on with what the database says')
  }
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  subscriber.onconnect = () => {
    // After a reconnect the subscription is the client's to renew.
    isListening = true
  }
  await subscribe()
  return {
    publish(news) {
      local.publish(news)
      const letter: Letter = { from: nodeId, news }
      publisher.publish(CHANNEL, JSON.stringify(letter)).catch(() => {})
    },
    listen: local.listen,
    state: () => (isListening && publisher.connected ? 'ok' : 'down'),
    async close() {
      isClosed = true
      for (const connection of connections) connection.close()
    },
  }
}
