import { failure } from '../../api/failures.ts'
import type { RoomRow } from '../../db/tables.ts'

/** Throws `not_found` for a direct conversation, which has no owner. */
export function ownerOf({ owner_id }: Pick<RoomRow, 'owner_id'>): string {
  if (owner_id === null) throw failure('not_found')
  return owner_id
}
