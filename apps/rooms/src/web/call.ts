import { CallError, type CallsOf, type InputOf, type OfId, createCalls } from '@latchkey/web/call'
import type { z } from 'zod'
import type { accountOperations } from '../account/operations.ts'
import type { adminOperations } from '../admin/operations.ts'
import type { AuditQuery } from '../audit/schema.ts'
import type { guestOperations } from '../guests/operations.ts'
import type { platformOperations } from '../platform/operations.ts'
import type { roomOperations } from '../rooms/operations.ts'
import type { invitationOperations } from '../invitations/operations.ts'
import type { memberOperations } from '../members/operations.ts'
import type { moderationOperations } from '../members/moderation/operations.ts'
import type { ownershipOperations } from '../members/ownership/operations.ts'
import type { messageOperations } from '../messages/operations.ts'
import type { sessionOperations } from '../sessions/operations.ts'

type Operations =
  | (typeof platformOperations)[number]
  | (typeof guestOperations)[number]
  | (typeof sessionOperations)[number]
  | (typeof accountOperations)[number]
  | (typeof roomOperations)[number]
  | (typeof messageOperations)[number]
  | (typeof memberOperations)[number]
  | (typeof moderationOperations)[number]
  | (typeof invitationOperations)[number]
  | (typeof ownershipOperations)[number]
  | (typeof adminOperations)[number]

type DeclaredCalls = CallsOf<Operations>

/** Moments are sent as they are told, not as the server reads them. */
type AuditInput = InputOf<OfId<Operations, 'listAuditEvents'>, z.input<typeof AuditQuery>>

type Calls = {
  [Id in keyof DeclaredCalls]: Id extends 'listAuditEvents'
    ? { input: AuditInput; result: DeclaredCalls[Id]['result'] }
    : DeclaredCalls[Id]
}

export type OperationId = keyof Calls
export type Input<Id extends OperationId> = Calls[Id]['input']
export type Result<Id extends OperationId> = Calls[Id]['result']

/** What the server left for us to prove that a request is our own; any GET sets it again. */
export function csrfToken(): string {
  return /(?:^|;\s*)(?:__Host-)?latchkey_csrf=([^;]+)/.exec(document.cookie)?.[1] ?? ''
}

interface PageSession {
  /** The token of the session that this page is known to be of; the cookie may be of somebody who has signed in since. */
  token: string | undefined
  /** Finds out whose session the cookies are of by now, and keeps its token. */
  refresh: () => Promise<unknown>
}

export const pageSession: PageSession = { token: undefined, refresh: async () => undefined }

const calls = createCalls<Calls>({
  base: '/api',
  headers: (method) => (method === 'GET' ? {} : { 'x-csrf-token': pageSession.token ?? csrfToken() }),
})
export const { addressOf } = calls

/** Calls an operation, as nobody else than whose page this is. Rejects with `CallError`. */
export const call: typeof calls.call = async (id, input, options) => {
  try {
    return await calls.call(id, input, options)
  } catch (error) {
    if (!(error instanceof CallError) || error.code !== 'csrf_failed') throw error
    await pageSession.refresh()
    return calls.call(id, input, options)
  }
}
