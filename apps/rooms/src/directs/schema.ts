import { z } from 'zod'
import { NextCursor } from '../api/paging.ts'
import { Id } from '../api/wire.ts'
import { Room } from '../lobby/schema.ts'

/** People of a direct conversation, with its creator (R37.2). */
export const MAX_PEOPLE = 20

export const NewDirect = z
  .object({
    userIds: z
      .array(Id)
      .min(1)
      .max(2 * MAX_PEOPLE)
      .meta({
        description: `Ids of the other people, together with you at most ${MAX_PEOPLE}. Your own id and repeated ids do not count.`,
      }),
  })
  .meta({ id: 'NewDirect' })

export const DirectPage = z.object({
  directs: z.array(Room).meta({ description: 'By their last messages, the newest first.' }),
  nextCursor: NextCursor,
})
