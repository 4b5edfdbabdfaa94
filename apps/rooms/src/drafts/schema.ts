import { z } from 'zod'
import { text } from '@latchkey/http/text'
import { NextCursor } from '../api/paging.ts'
import { Moment, toMoment } from '../api/wire.ts'
import type { RoomDraftRow } from '../db/tables.ts'

export const DraftBody = z.object({
  content: text().min(1).meta({ description: 'What was written so far, as a message would have it.' }),
})

export const Draft = z
  .object({ roomId: z.string(), content: z.string(), updatedAt: Moment })
  .meta({ id: 'Draft' })
export const DraftAnswer = z.object({ draft: Draft })
export const DraftPage = z.object({ drafts: z.array(Draft), nextCursor: NextCursor })

export function toDraft({ room_id, content, updated_at }: RoomDraftRow): z.output<typeof Draft> {
  return { roomId: room_id, content, updatedAt: toMoment(updated_at) }
}
