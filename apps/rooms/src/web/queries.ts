import { changed as changedAny, useRead } from '@latchkey/web/queries'
import { type Input, type OperationId, type Result, call } from './call.ts'

/** What a query shows: a change says which of these it changed. */
export type Resource =
  | 'config'
  | 'session'
  | 'sessions'
  | 'rooms'
  | 'room'
  | 'members'
  | 'bans'
  | 'invitations'
  | 'pending'
  | 'admin'

/** Reads an operation; nothing while not `enabled`. */
export function useCall<Id extends OperationId>(
  resource: Resource,
  id: Id,
  input: Input<Id>,
  enabled = true,
) {
  return useRead<Result<Id>>([resource, id, input], (signal) => call(id, input, { signal }), enabled)
}

/** After a change: everything shown about these resources is read again. */
export const changed: (...resources: readonly Resource[]) => Promise<void> = changedAny
