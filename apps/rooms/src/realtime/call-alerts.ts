import type { Database } from '@latchkey/database/database'
import type { Notice } from '../api/cluster-events.ts'
import type { Tables } from '../db/tables.ts'
import { findCallAlert, listAllAlerts, listCallAlerts } from '../voice/alerts/store.ts'
import type { Bus } from './bus.ts'
import type { Connection } from './connection.ts'
import type { ConnectionRegistry } from './connection-registry.ts'

/** Ticks between two comparisons with the database. */
const EVERY_TICKS = 2

interface CallAlertsOptions {
  database: Database<Tables>
  /** Milliseconds since 1970. */
  now: () => number
  bus: Bus
  registry: ConnectionRegistry
}

/** An alert of which this node has sent the notice. */
interface SentAlert {
  userId: string
  roomId: string
  callId: string
  /** The last comparison did not find it: its end may be on its way. */
  isMissing: boolean
}

/** Sends the calls that alert users of this node, also those whose notices the bus has lost. */
export class CallAlerts {
  readonly #options: CallAlertsOptions
  readonly #sent = new Map<string, SentAlert>()
  #ticks = 0
  #isComparing = false

  constructor(options: CallAlertsOptions) {
    this.#options = options
  }

  /** Sends a notice about a call to all connections of a user. */
  notify(userId: string, notice: Extract<Notice, { notice: 'call' | 'call_ended' }>): void {
    const { roomId, callId } = notice.data
    const key = keyOf(userId, roomId)
    if (notice.notice === 'call') this.#sent.set(key, { userId, roomId, callId, isMissing: false })
    // The caller gets the end of an alert of another.
    else if (notice.data.userId === userId) this.#sent.delete(key)
    for (const connection of this.#options.registry.ofUser(userId)) send(connection, notice)
  }

  /** Sends the calls that alert a user to a connection that has opened. */
  async sendTo(connection: Connection): Promise<void> {
    const { database, now } = this.#options
    for (const data of await listCallAlerts(database.read, connection.userId, now())) {
      const { roomId, callId } = data
      const { userId } = connection
      this.#sent.set(keyOf(userId, roomId), { userId, roomId, callId, isMissing: false })
      send(connection, { notice: 'call', data })
    }
  }

  /** Called every second. On a single node no notice is lost. */
  async tick(): Promise<void> {
    const { bus, registry } = this.#options
    const isDue = ++this.#ticks % EVERY_TICKS === 0 && bus.state() !== 'in-process' && registry.size > 0
    if (!isDue || this.#isComparing) return
    this.#isComparing = true
    try {
      await this.#compare()
    } finally {
      this.#isComparing = false
    }
  }

  async #compare(): Promise<void> {
    const { database, now, registry } = this.#options
    const nowMs = now()
    const rows = await listAllAlerts(database.read, nowMs)
    const current = new Map(rows.map((row) => [keyOf(row.user_id, row.room_id), row.call_id]))
    for (const { user_id: userId, room_id: roomId, call_id: callId } of rows) {
      if (this.#sent.get(keyOf(userId, roomId))?.callId === callId) continue
      if (registry.ofUser(userId).length === 0) continue
      const data = await findCallAlert(database.read, { userId, roomId, nowMs })
      if (data) this.notify(userId, { notice: 'call', data })
    }
    for (const [key, alert] of this.#sent) {
      const { userId, roomId, callId, isMissing } = alert
      if (current.get(key) === callId) continue
      if (isMissing)
        this.notify(userId, { notice: 'call_ended', data: { roomId, callId, userId, reason: 'ended' } })
      alert.isMissing = true
    }
  }
}

const keyOf = (userId: string, roomId: string) => `${userId} ${roomId}`

function send(connection: Connection, { notice, data }: Pick<Notice, 'notice' | 'data'>): void {
  connection.sendFrame({ type: 'notice', notice, data })
}
