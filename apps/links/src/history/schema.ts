import { text } from '@latchkey/http/text'
import { z } from 'zod'
import { MAX_MOMENT, PageQuery, pageLimit, wholeText } from '../api/fields.ts'
import { changeKinds } from '../changes/kinds.ts'
import { changeChannels } from '../changes/source.ts'

const Values = z.record(z.string(), z.unknown()).nullable()

export const Change = z
  .object({
    id: z.int(),
    changed_at: z.int().meta({ description: 'Unix seconds.' }),
    kind: z.enum(changeKinds),
    link_id: z.int().nullable(),
    bundle_id: z.int().nullable(),
    identity: z.string().meta({ description: 'The person who wrote, or for whom a program did.' }),
    via: z.enum(changeChannels),
    assistant: z.string().nullable().meta({
      description:
        'The program: `key:` and the id of an API key, `client:` and the client id of a token, `client` for tokens that name none, `access`, or `local`.',
    }),
    assistant_name: z.string().nullable().meta({
      description: 'Title of the API key, for its person and administrators.',
    }),
    tool: z.string().nullable().meta({ description: 'The tool of the MCP endpoint.' }),
    request_id: z
      .string()
      .nullable()
      .meta({ description: 'As in `X-Request-Id` of the answer to the write.' }),
    plan_id: z.int().nullable(),
    version: z.int().nullable().meta({ description: 'Version of the link since the change.' }),
    before: Values.meta({ description: 'The replaced values; null at a creation, all at a deletion.' }),
    after: Values.meta({ description: 'The new values; all at a creation, null at a deletion.' }),
  })
  .meta({ id: 'HistoryChange' })
export type Change = z.output<typeof Change>

const page = { cursor: PageQuery.shape.cursor, limit: pageLimit(200, 50) }

export const HistoryQuery = z.object(page)

export const ChangesQuery = z.object({
  identity: text().optional().meta({
    description: 'The person who wrote: you by default. For administrators, everyone.',
  }),
  via: z.enum(changeChannels).optional().meta({ description: 'Only changes through this channel.' }),
  assistant: text().optional().meta({ description: 'Only changes of this program, as in a change.' }),
  since: wholeText(0, MAX_MOMENT).optional().meta({ description: 'Unix seconds.' }),
  ...page,
})
export type ChangesQuery = z.output<typeof ChangesQuery>

export const Restoration = z.object({
  change_id: z.int().min(1).meta({ description: 'A change of the link.' }),
})
