import type { BlockRow, Db, Tx, UserRow } from '../../db/tables.ts'
import { type Position, pageOf } from '../../api/paging.ts'
import { isAccount } from '../../users/store.ts'

export interface BlockWithUser extends BlockRow, Position {
  nickname: string
  avatar_color: string
  picture_id: string | null
  is_guest: UserRow['is_guest']
}

/** The people whom a user blocks, the last first. */
export async function selectBlocks(
  db: Db,
  userId: string,
  after: Position | undefined,
  limit: number,
): Promise<BlockWithUser[]> {
  return db
    .selectFrom('blocks')
    .innerJoin('users', 'users.id', 'blocks.blocked_id')
    .selectAll('blocks')
    .select(['blocked_id as id', 'nickname', 'avatar_color', 'picture_id', 'is_guest'])
    .where('blocks.user_id', '=', userId)
    .where(isAccount())
    .$call((query) => pageOf(query, ['blocks.created_at', 'blocks.blocked_id', 'desc'], after, limit))
    .execute()
}

export async function countBlocks(db: Db, userId: string): Promise<number> {
  const { count } = await db
    .selectFrom('blocks')
    .select((eb) => eb.fn.countAll<number | string>().as('count'))
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Returns whether the block is new. */
export async function insertBlock(tx: Tx, row: BlockRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('blocks')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** Returns whether there was a block. */
export async function deleteBlock(tx: Tx, { user_id, blocked_id }: Omit<BlockRow, 'created_at'>) {
  const { numDeletedRows } = await tx
    .deleteFrom('blocks')
    .where('user_id', '=', user_id)
    .where('blocked_id', '=', blocked_id)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
