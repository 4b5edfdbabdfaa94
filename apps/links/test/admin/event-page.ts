import type { LiveClicks } from '../../src/live/schema.ts'
import type { Changes } from '../../src/live/changes.ts'
import type { TestLinks } from '../testing.ts'

/** An open page, which follows the events of a service and stores them. */
export async function openPage(links: TestLinks, query = '') {
  // Bypasses `links.fetch`, which would read this answer of an API to its end.
  const response = await links.fetchHandler(new Request(`http://localhost:8080/_/admin/api/events${query}`), {
    requestIP: () => ({ address: '127.0.0.1', family: 'IPv4', port: 1 }),
    timeout: () => undefined,
  })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  const events: Changes[] = []
  const clicks: LiveClicks[] = []
  let ended = false
  const first = await reader.read()
  const reading = (async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      for (const [, name, data = ''] of decoder.decode(value).matchAll(/^event: (\w+)\ndata: (.*)$/gm))
        if (name === 'clicks') clicks.push(JSON.parse(data) as LiveClicks)
        else events.push(JSON.parse(data) as Changes)
    }
    ended = true
  })()
  const has = (kind: 'links' | 'bundles', id: number) => events.some((each) => each[kind].includes(id))
  return {
    response,
    first: decoder.decode(first.value),
    events,
    clicks,
    has,
    isEnded: () => ended,
    async close() {
      await reader.cancel()
      await reading
    },
  }
}
