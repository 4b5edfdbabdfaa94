import type { Log } from '@latchkey/http/log'
import { connectClient, createClient } from '@latchkey/database/pool'
import type { Client } from 'pg'
import type { Changes } from './changes.ts'
import type { ChangeWatcher } from './feed.ts'

const ANSWER_TIMEOUT_MS = 3_000
const RETRY_MS = 1_000

/** Repeating it changes nothing, but checks that the connection is alive. */
const LISTEN = 'listen latchkey_changes'

/** `<link|bundle|clicks> <ids, or * for too many> <schema>`, see the first migration. */
const ANNOUNCEMENT = /^(link|bundle|clicks) (\*|[\d,]+) (.*)$/s

/** The changes in an announcement, if it is about this schema. */
export function parseAnnouncement(payload: string, schema: string): Partial<Changes> | undefined {
  const [, kind, ids = '', announcedSchema] = ANNOUNCEMENT.exec(payload) ?? []
  if (kind === undefined || announcedSchema !== schema) return undefined
  if (ids === '*') return { totals: true, more: true }
  return { [kind === 'bundle' ? 'bundles' : 'links']: ids.split(',').map(Number) }
}

/**
 * Every node is notified of every commit on any node. After a lost connection, everything counts as
 * changed.
 */
export function watchPostgres(url: string, log: Log): ChangeWatcher {
  let client: Client | undefined
  let started: Promise<void> | undefined
  let retry: Timer | undefined
  let isClosed = false

  async function listen(onChanges: (changes: Partial<Changes>) => void): Promise<void> {
    const listener = createClient(url, { name: 'latchkey-events', withinMs: ANSWER_TIMEOUT_MS })
    let schema = ''
    listener.on('notification', ({ payload = '' }) => {
      const changes = parseAnnouncement(payload, schema)
      if (changes) onChanges(changes)
    })
    let heartbeat: Timer | undefined
    listener.on('end', () => {
      clearTimeout(heartbeat)
      if (client === listener) client = undefined
      if (!isClosed) retry ??= setTimeout(() => reconnect(onChanges), RETRY_MS)
    })
    client = listener
    const end = () => listener.end().catch(() => undefined)
    /** A connection that does not answer has died silently. */
    const scheduleHeartbeat = () => {
      heartbeat = setTimeout(() => void listener.query(LISTEN).then(scheduleHeartbeat, end), RETRY_MS)
    }
    try {
      await connectClient(listener)
      const { rows } = await listener.query<{ schema: string }>('select current_schema() as schema')
      schema = rows[0]?.schema ?? ''
      await listener.query(LISTEN)
    } catch (error) {
      await end()
      throw error
    }
    scheduleHeartbeat()
  }

  function reconnect(onChanges: (changes: Partial<Changes>) => void): void {
    retry = undefined
    listen(onChanges).then(
      () => onChanges({ totals: true, more: true }),
      (error: unknown) => log.warn('events: cannot listen for changes', { error }),
    )
  }

  return {
    /**
     * Does not fail without a database. Once it is back, pages learn that everything may have
     * changed.
     */
    start(onChanges) {
      started ??= listen(onChanges).catch((error: unknown) =>
        log.warn('events: cannot listen for changes', { error }),
      )
      return started
    },
    pause: () => undefined,
    async close() {
      isClosed = true
      clearTimeout(retry)
      await client?.end().catch(() => undefined)
    },
  }
}
