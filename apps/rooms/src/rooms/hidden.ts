import type { Tx } from '../db/tables.ts'
import { NEW_STATE } from './user-state.ts'

/** Hides a direct conversation from these users until its next message. The room must be locked. */
export async function hideDirect(
  tx: Tx,
  { roomId, userIds, seq }: { roomId: string; userIds: readonly string[]; seq: number },
): Promise<void> {
  await tx
    .insertInto('room_user_states')
    .values(
      userIds.map((user_id) => ({
        ...NEW_STATE,
        room_id: roomId,
        user_id,
        last_read_seq: 0,
        hidden_seq: seq,
      })),
    )
    .onConflict((conflict) => conflict.columns(['room_id', 'user_id']).doUpdateSet({ hidden_seq: seq }))
    .execute()
}

/** Shows a direct conversation that this user has hidden. False if they had not. */
export async function showDirect(
  tx: Tx,
  { roomId, userId }: { roomId: string; userId: string },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('room_user_states')
    .set({ hidden_seq: null })
    .where('room_id', '=', roomId)
    .where('user_id', '=', userId)
    .where('hidden_seq', 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Shows a direct conversation to all of its people again, except those who block the author of its new message. */
export async function showToEveryone(
  tx: Tx,
  { roomId, authorId }: { roomId: string; authorId: string },
): Promise<void> {
  await tx
    .updateTable('room_user_states')
    .set({ hidden_seq: null })
    .where('room_id', '=', roomId)
    .where('hidden_seq', 'is not', null)
    .where((eb) =>
      eb(
        'user_id',
        'not in',
        eb.selectFrom('blocks').select('blocks.user_id').where('blocked_id', '=', authorId),
      ),
    )
    .execute()
}
