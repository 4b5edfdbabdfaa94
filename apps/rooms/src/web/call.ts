import { type CallsOf, createCalls } from '@latchkey/web/call'
import type { accountOperations } from '../account/operations.ts'
import type { guestOperations } from '../guests/operations.ts'
import type { platformOperations } from '../platform/operations.ts'
import type { roomOperations } from '../rooms/operations.ts'
import type { messageOperations } from '../messages/operations.ts'
import type { sessionOperations } from '../sessions/operations.ts'

type Operations =
  | (typeof platformOperations)[number]
  | (typeof guestOperations)[number]
  | (typeof sessionOperations)[number]
  | (typeof accountOperations)[number]
  | (typeof roomOperations)[number]
  | (typeof messageOperations)[number]

type Calls = CallsOf<Operations>

export type OperationId = keyof Calls
export type Input<Id extends OperationId> = Calls[Id]['input']
export type Result<Id extends OperationId> = Calls[Id]['result']

/** What the server left for us to prove that a request is our own; any GET sets it again. */
function csrfToken(): string {
  return /(?:^|;\s*)(?:__Host-)?latchkey_csrf=([^;]+)/.exec(document.cookie)?.[1] ?? ''
}

export const { addressOf, call } = createCalls<Calls>({
  base: '/api',
  headers: (method) => (method === 'GET' ? {} : { 'x-csrf-token': csrfToken() }),
})
