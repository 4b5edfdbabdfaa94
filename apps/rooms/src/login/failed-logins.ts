import { MINUTE_MS } from '@latchkey/http/duration'
import { createHash } from 'node:crypto'
import { type Database, lockKey } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import type { Log } from '@latchkey/http/log'
import { type AuditOrigin, recordAudit } from '../audit/store.ts'
import type { Tables, Tx } from '../db/tables.ts'

/** Nodes that count the same failures wait for each other. Any number that no other lock uses. */
const FOLD_LOCK_KEY = 0x666f_6c64
/** Maximum rows of one minute on this node. A /48 of IPv6 has 65,536 client prefixes. */
const MAX_ROWS = 100

export interface FailedLogin {
  /** Action in the audit log. The default is `auth.login_failed`. */
  action?: 'auth.backchannel_rejected'
  /** Error code for the user. */
  code: string
  /** Stable phrase of this service. */
  reason: string
  clientPrefix: string
  origin: AuditOrigin
}

interface FoldedFailure extends FailedLogin {
  id: string
  count: number
}

/**
 * Records failed logins in the audit log: one row per client prefix, reason and minute, with a
 * count (R21.2). After 100 rows in a minute, one row per reason. Failures during a write are merged
 * in memory and written together. A flood therefore causes one transaction at a time.
 */
export class FailedLogins {
  readonly #database: Database<Tables>
  readonly #log: Log
  #waiting = new Map<string, FoldedFailure>()
  #minute = 0
  /** Ids of the rows of this minute. */
  readonly #ids = new Set<string>()
  #next: Promise<void> | undefined
  #current: Promise<void> = Promise.resolve()

  constructor(database: Database<Tables>, log: Log) {
    this.#database = database
    this.#log = log
  }

  /** Resolves when the failure is stored. Never rejects: a failed login is answered in any case. */
  async record(failed: FailedLogin): Promise<void> {
    const row = this.#rowOf(failed)
    const pending = this.#waiting.get(row.id)
    if (pending) pending.count++
    else this.#waiting.set(row.id, row)
    this.#next ??= this.#current.then(() => this.#write())
    await this.#next
  }

  #rowOf(failed: FailedLogin): FoldedFailure {
    const minute = minuteOf(failed)
    if (minute !== this.#minute) this.#ids.clear()
    this.#minute = minute
    const id = idOf(failed)
    if (this.#ids.size < MAX_ROWS) this.#ids.add(id)
    if (this.#ids.has(id)) return { ...failed, id, count: 1 }
    const folded = { ...failed, clientPrefix: '', origin: { ...failed.origin, clientIp: null } }
    return { ...folded, id: idOf(folded), count: 1 }
  }

  #write(): Promise<void> {
    const waiting = [...this.#waiting.values()]
    this.#waiting = new Map()
    this.#next = undefined
    this.#current = this.#database
      .write((tx) => writeAll(this.#database.dialect, tx, waiting))
      .catch((error: unknown) => this.#log.error('audit log: cannot record failed logins', { error }))
    return this.#current
  }
}

async function writeAll(dialect: DialectName, tx: Tx, all: readonly FoldedFailure[]): Promise<void> {
  await lockKey(dialect, tx, FOLD_LOCK_KEY)
  for (const failed of all) await write(tx, failed)
}

async function write(tx: Tx, { id, action, code, reason, count, origin }: FoldedFailure): Promise<void> {
  const row = await tx.selectFrom('audit_events').select('metadata').where('id', '=', id).executeTakeFirst()
  if (!row) {
    const metadata = { code, reason, count }
    const event = { id, action: action ?? ('auth.login_failed' as const), actorUserId: null, metadata }
    return recordAudit(tx, event, origin)
  }
  const { count: before } = JSON.parse(row.metadata) as { count: number }
  await tx
    .updateTable('audit_events')
    .set({ metadata: JSON.stringify({ code, reason, count: before + count }) })
    .where('id', '=', id)
    .execute()
}

function minuteOf({ origin }: FailedLogin): number {
  return Math.floor(origin.nowMs / MINUTE_MS)
}

/** A UUID of version 7 like that of other rows, but equal for all failures of the same row. */
function idOf(failed: FailedLogin): string {
  const { action, clientPrefix, reason } = failed
  const minuteMs = minuteOf(failed) * MINUTE_MS
  const digest = createHash('sha256')
    .update(`${minuteMs} ${clientPrefix} ${action ?? ''} ${reason}`)
    .digest('hex')
  const time = minuteMs.toString(16).padStart(12, '0')
  const hex = `${time}7${digest.slice(0, 3)}8${digest.slice(3, 18)}`
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
