import { CallError, type CallsOf, type InputOf, type OfId, createCalls } from '@latchkey/web/call'
import type { z } from 'zod'
import type { accountOperations } from '../account/operations.ts'
import type { adminOperations } from '../admin/operations.ts'
import type { AuditFilter, AuditQuery } from '../audit/schema.ts'
import type { directOperations } from '../directs/operations.ts'
import type { draftOperations } from '../drafts/operations.ts'
import type { fileOperations } from '../files/operations.ts'
import type { guestOperations } from '../guests/operations.ts'
import type { blockOperations } from '../people/blocks/operations.ts'
import type { peopleOperations } from '../people/operations.ts'
import type { profileOperations } from '../people/profile-operations.ts'
import type { StatusBody } from '../people/schema.ts'
import type { platformOperations } from '../platform/operations.ts'
import type { roomOperations } from '../lobby/operations.ts'
import type { invitationOperations } from '../invitations/operations.ts'
import type { memberOperations } from '../members/operations.ts'
import type { groupOperations } from '../members/groups/operations.ts'
import type { moderationOperations } from '../members/moderation/operations.ts'
import type { ownershipOperations } from '../members/ownership/operations.ts'
import type { messageOperations } from '../messages/operations.ts'
import type { searchOperations } from '../messages/search/operations.ts'
import type { SearchQuery } from '../messages/search/schema.ts'
import type { sessionOperations } from '../sessions/operations.ts'
import type { notificationOperations } from '../notifications/operations.ts'
import type { pushOperations } from '../notifications/push/operations.ts'
import type { unreadOperations } from '../unread/operations.ts'
import type { callOperations } from '../voice/operations.ts'

type Operations =
  | (typeof platformOperations)[number]
  | (typeof guestOperations)[number]
  | (typeof sessionOperations)[number]
  | (typeof accountOperations)[number]
  | (typeof peopleOperations)[number]
  | (typeof profileOperations)[number]
  | (typeof blockOperations)[number]
  | (typeof roomOperations)[number]
  | (typeof directOperations)[number]
  | (typeof unreadOperations)[number]
  | (typeof notificationOperations)[number]
  | (typeof pushOperations)[number]
  | (typeof messageOperations)[number]
  | (typeof draftOperations)[number]
  | (typeof fileOperations)[number]
  | (typeof searchOperations)[number]
  | (typeof memberOperations)[number]
  | (typeof groupOperations)[number]
  | (typeof moderationOperations)[number]
  | (typeof invitationOperations)[number]
  | (typeof ownershipOperations)[number]
  | (typeof callOperations)[number]
  | (typeof adminOperations)[number]

type DeclaredCalls = CallsOf<Operations>

/** Input with times as ISO strings, before the server parses them. */
type AuditInput = InputOf<OfId<Operations, 'listAuditEvents'>, z.input<typeof AuditQuery>>
type SearchInput = InputOf<OfId<Operations, 'searchMessages'>, z.input<typeof SearchQuery>>
type StatusInput = InputOf<OfId<Operations, 'setStatus'>, never> & { body: z.input<typeof StatusBody> }
type AuditFileInput = InputOf<OfId<Operations, 'exportAuditEvents'>, z.input<typeof AuditFilter>>

type Calls = {
  [Id in keyof DeclaredCalls]: Id extends 'listAuditEvents'
    ? { input: AuditInput; result: DeclaredCalls[Id]['result'] }
    : Id extends 'exportAuditEvents'
      ? { input: AuditFileInput; result: DeclaredCalls[Id]['result'] }
      : Id extends 'searchMessages'
        ? { input: SearchInput; result: DeclaredCalls[Id]['result'] }
        : Id extends 'setStatus'
          ? { input: StatusInput; result: DeclaredCalls[Id]['result'] }
          : DeclaredCalls[Id]
}

export type OperationId = keyof Calls
export type Input<Id extends OperationId> = Calls[Id]['input']
export type Result<Id extends OperationId> = Calls[Id]['result']

/** CSRF token of the current cookie. Every GET request sets it. */
export function csrfToken(): string {
  return /(?:^|;\s*)(?:__Host-)?latchkey_csrf=([^;]+)/.exec(document.cookie)?.[1] ?? ''
}

interface PageSession {
  /**
   * CSRF token of the session that this page belongs to. The cookie may belong to another user who
   * signed in later.
   */
  token: string | undefined
  /** Reads the session of the current cookies and updates `token`. */
  refresh: () => Promise<unknown>
}

export const pageSession: PageSession = { token: undefined, refresh: async () => undefined }

/** A proxy may fall silent on open connections. Only a deadline shows it. */
const READ_WITHIN_MS = 15_000

const calls = createCalls<Calls>({
  base: '/api',
  readWithinMs: READ_WITHIN_MS,
  headers: (method) => (method === 'GET' ? {} : { 'x-csrf-token': pageToken() }),
})
export const { addressOf, embedded } = calls

/** CSRF token of the session that this page belongs to. */
export const pageToken = () => pageSession.token ?? csrfToken()

/**
 * Sends a request in the session of this page only, never in that of another user: once more with
 * the current token if the first one was refused.
 */
export async function inPageSession<Value>(send: () => Promise<Value>): Promise<Value> {
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof CallError) || error.code !== 'csrf_failed') throw error
    await pageSession.refresh()
    return send()
  }
}

/** Calls an operation in the session of this page. Rejects with `CallError`. */
export const call: typeof calls.call = (id, input, options) =>
  inPageSession(() => calls.call(id, input, options))
