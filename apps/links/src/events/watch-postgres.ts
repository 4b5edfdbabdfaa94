import type { Log } from '@latchkey/http/log'
import { connectClient, createClient } from '@latchkey/database/pool'
import type { Client } from 'pg'
import type { Changes } from './changes.ts'
import type { Watch } from './feed.ts'

const ANSWER_WITHIN_MS = 3_000
const RETRY_MS = 1_000

/** A second time it changes nothing, but shows that the connection is still there. */
const LISTEN = 'listen latchkey_changes'

/** `<link|bundle|clicks> <ids, or * for too many> <schema>`, see the second migration. */
const ANNOUNCEMENT = /^(link|bundle|clicks) (\*|[\d,]+) (.*)$/s

/** What an announcement says, if it is about this schema. */
export function readAnnouncement(payload: string, schema: string): Partial<Changes> | undefined {
  const [, kind, ids = '', announced] = ANNOUNCEMENT.exec(payload) ?? []
  if (kind === undefined || announced !== schema) return undefined
  if (ids === '*') return { totals: true, more: true }
  return { [kind === 'bundle' ? 'bundles' : 'links']: ids.split(',').map(Number) }
}

/** Every node hears of every commit, whoever made it. A lost connection means that anything may have changed meanwhile. */
export function watchPostgres(url: string, log: Log): Watch {
  let client: Client | undefined
  let started: Promise<void> | undefined
  let retry: Timer | undefined
  let closed = false

  async function listen(note: (changes: Partial<Changes>) => void): Promise<void> {
    const mine = createClient(url, { name: 'latchkey-events', withinMs: ANSWER_WITHIN_MS })
    let schema = ''
    mine.on('notification', ({ payload = '' }) => {
      const changes = readAnnouncement(payload, schema)
      if (changes) note(changes)
    })
    let pulse: Timer | undefined
    mine.on('end', () => {
      clearTimeout(pulse)
      if (client === mine) client = undefined
      if (!closed) retry ??= setTimeout(() => again(note), RETRY_MS)
    })
    client = mine
    const end = () => mine.end().catch(() => undefined)
    /** One that does not answer has died without a word. */
    const beat = () => {
      pulse = setTimeout(() => void mine.query(LISTEN).then(beat, end), RETRY_MS)
    }
    try {
      await connectClient(mine)
      const { rows } = await mine.query<{ schema: string }>('select current_schema() as schema')
      schema = rows[0]?.schema ?? ''
      await mine.query(LISTEN)
    } catch (error) {
      await end()
      throw error
    }
    beat()
  }

  function again(note: (changes: Partial<Changes>) => void): void {
    retry = undefined
    listen(note).then(
      () => note({ totals: true, more: true }),
      (error: unknown) => log.warn('cannot listen for changes', { error }),
    )
  }

  return {
    /** Does not fail without a database: pages then hear of everything as soon as it is back. */
    start(note) {
      started ??= listen(note).catch((error: unknown) => log.warn('cannot listen for changes', { error }))
      return started
    },
    rest: () => undefined,
    async close() {
      closed = true
      clearTimeout(retry)
      await client?.end().catch(() => undefined)
    },
  }
}
