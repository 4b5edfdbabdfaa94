import { text } from '@latchkey/http/text'
import { z } from 'zod'
import { MAX_MOMENT } from '../../api/fields.ts'
import { changeKinds } from '../../changes/kinds.ts'
import { changeChannels } from '../../changes/source.ts'

export const RemainingChange = z
  .object({
    kind: z.enum(changeKinds),
    link_id: z.int().nullable(),
    bundle_id: z.int().nullable(),
    code: z.string().meta({ description: 'The error code of the reason.' }),
    reason: z.string(),
  })
  .meta({ id: 'RemainingChange' })
export type RemainingChange = z.output<typeof RemainingChange>

export const UndoResult = z
  .object({
    undone: z.int().meta({ description: 'The number of links, bundles and memberships that changed back.' }),
    remaining: z.array(RemainingChange).meta({ description: 'What stays, and why.' }),
  })
  .meta({ id: 'UndoResult' })
export type UndoResult = z.output<typeof UndoResult>

/** Changes that are undone at once. */
export const MAX_UNDONE_CHANGES = 5_000

export const ChangesToUndo = z
  .object({
    since: z.int().min(0).max(MAX_MOMENT).meta({ description: 'Unix seconds.' }),
    identity: text().optional().meta({
      description:
        'The person who wrote: you by default. For administrators who name an assistant, everyone.',
    }),
    assistant: text().optional().meta({ description: 'As in a change.' }),
    via: z.enum(changeChannels).optional(),
  })
  .meta({ id: 'ChangesToUndo' })
