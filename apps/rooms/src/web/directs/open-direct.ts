import { call } from '../call.ts'
import { invalidate } from '../queries.ts'

/** Finds or creates the conversation with these people, and returns its address. */
export async function openDirect(userIds: readonly string[]): Promise<string> {
  const { room } = await call('openDirect', { body: { userIds: [...userIds] } })
  await invalidate('rooms')
  return `/rooms/${room.id}`
}
