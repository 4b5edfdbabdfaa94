import { createHash } from 'node:crypto'
import { type Database, serialise } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import type { Log } from '@latchkey/http/log'
import type { Transaction } from 'kysely'
import { type AuditOrigin, recordAudit } from '../audit/store.ts'
import type { Tables } from '../db/tables.ts'

/** Nodes that count the same failures wait for each other. Any number that nobody else uses. */
const FOLD_ORDER = 0x666f_6c64
const MINUTE_MS = 60_000

export interface FailedLogin {
  /** What it is called in the log: a failed login unless told. */
  action?: 'auth.backchannel_rejected'
  /** For the person. */
  code: string
  /** Ours, stable. */
  reason: string
  clientPrefix: string
  origin: AuditOrigin
}

interface Folded extends FailedLogin {
  id: string
  count: number
}

/**
 * Writes failed logins to the audit log: one row for each prefix, reason and minute, with a count (R21.2). What fails while
 * a write is under way is folded in memory and written by the next, so that a flood costs one transaction at a time.
 */
export class FailedLogins {
  readonly #database: Database<Tables>
  readonly #log: Log
  #waiting = new Map<string, Folded>()
  #next: Promise<void> | undefined
  #current: Promise<void> = Promise.resolve()

  constructor(database: Database<Tables>, log: Log) {
    this.#database = database
    this.#log = log
  }

  /** Resolves when it is written. Never fails: a login that failed is answered anyway. */
  async record(failed: FailedLogin): Promise<void> {
    const id = idOf(failed)
    const known = this.#waiting.get(id)
    if (known) known.count++
    else this.#waiting.set(id, { ...failed, id, count: 1 })
    this.#next ??= this.#current.then(() => this.#write())
    await this.#next
  }

  #write(): Promise<void> {
    const waiting = [...this.#waiting.values()]
    this.#waiting = new Map()
    this.#next = undefined
    this.#current = this.#database
      .write((tx) => writeAll(this.#database.dialect, tx, waiting))
      .catch((error: unknown) => this.#log.error('failed logins could not be audited', { error }))
    return this.#current
  }
}

async function writeAll(
  dialect: DialectName,
  tx: Transaction<Tables>,
  all: readonly Folded[],
): Promise<void> {
  await serialise(dialect, tx, FOLD_ORDER)
  for (const failed of all) await write(tx, failed)
}

async function write(
  tx: Transaction<Tables>,
  { id, action, code, reason, count, origin }: Folded,
): Promise<void> {
  const known = await tx.selectFrom('audit_events').select('metadata').where('id', '=', id).executeTakeFirst()
  if (!known) {
    const metadata = { code, reason, count }
    const event = { id, action: action ?? ('auth.login_failed' as const), actorUserId: null, metadata }
    return recordAudit(tx, event, origin)
  }
  const { count: before } = JSON.parse(known.metadata) as { count: number }
  await tx
    .updateTable('audit_events')
    .set({ metadata: JSON.stringify({ code, reason, count: before + count }) })
    .where('id', '=', id)
    .execute()
}

/** A UUID of version 7 like those of other rows, but the same for everything that belongs into one row. */
function idOf({ action, clientPrefix, reason, origin }: FailedLogin): string {
  const minuteMs = origin.nowMs - (origin.nowMs % MINUTE_MS)
  const digest = createHash('sha256')
    .update(`${minuteMs} ${clientPrefix} ${action ?? ''} ${reason}`)
    .digest('hex')
  const time = minuteMs.toString(16).padStart(12, '0')
  const hex = `${time}7${digest.slice(0, 3)}8${digest.slice(3, 18)}`
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
