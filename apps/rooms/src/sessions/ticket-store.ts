import { hashToken } from '@latchkey/tokens/opaque'
import type { Db, Tx } from '../db/tables.ts'
import { TOKEN, newToken } from '@latchkey/tokens/token'

export const TICKET_SECONDS = 60

/** Creates a ticket for this session. Only its hash is stored. */
export async function insertTicket(tx: Tx, sessionId: string, nowMs: number): Promise<string> {
  const ticket = newToken()
  await tx
    .insertInto('ws_tickets')
    .values({
      ticket_hash: hashToken(ticket),
      session_id: sessionId,
      expires_at: nowMs + TICKET_SECONDS * 1000,
    })
    .execute()
  return ticket
}

/** Whether the ticket exists. Another request may still redeem it first. */
export async function isTicket(db: Db, ticket: string): Promise<boolean> {
  if (!TOKEN.test(ticket)) return false
  const row = await db
    .selectFrom('ws_tickets')
    .select('session_id')
    .where('ticket_hash', '=', hashToken(ticket))
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Deletes a ticket and returns its session id. Undefined if the ticket is used, expired or unknown.
 */
export async function redeemTicket(tx: Tx, ticket: string, nowMs: number): Promise<string | undefined> {
  const row = await tx
    .deleteFrom('ws_tickets')
    .where('ticket_hash', '=', hashToken(ticket))
    .returning(['session_id', 'expires_at'])
    .executeTakeFirst()
  return row && row.expires_at > nowMs ? row.session_id : undefined
}

export async function deleteEndedTickets(tx: Tx, nowMs: number): Promise<void> {
  await tx.deleteFrom('ws_tickets').where('expires_at', '<=', nowMs).execute()
}
