import { text } from '@latchkey/http/text'
import { z } from 'zod'
import { NextCursor, PAGE_LIMIT, wholeNumber } from '../../api/paging.ts'
import { Id, QueriedTime } from '../../api/wire.ts'
import { Message } from '../schema.ts'

/** More than all words that narrow a search. */
const MAX_CHARACTERS = 1_000
const MAX_RESULTS = 50

const Query = text().max(MAX_CHARACTERS).meta({
  maxLength: MAX_CHARACTERS,
  description:
    'Words in any order. A message matches if each is the beginning of one of its words, in any case.',
})

export const SearchQuery = z
  .object({
    q: Query.default(''),
    room: Id.optional().meta({
      description:
        'Only this room. By default public rooms and those that you are a member of, like the list of rooms.',
    }),
    from: Id.optional().meta({ description: 'Only messages of this user.' }),
    before: QueriedTime.optional().meta({ description: 'Only messages before this time, in ISO 8601.' }),
    after: QueriedTime.optional().meta({ description: 'Only messages at this time or later, in ISO 8601.' }),
    has: z.enum(['file', 'link']).optional().meta({ description: 'Only messages with a file or a link.' }),
    limit: wholeNumber(1, MAX_RESULTS).default(MAX_RESULTS).meta({ description: PAGE_LIMIT }),
    cursor: z.string().optional().meta({ description: '`nextCursor` of the previous page.' }),
  })
  .refine(
    ({ q, from, has }) => q.trim() !== '' || from !== undefined || has !== undefined,
    'q, from or has is required',
  )
export type SearchQuery = z.output<typeof SearchQuery>

const Mark = z.tuple([z.int(), z.int()])

export const SearchPage = z.object({
  results: z
    .array(
      z.object({
        message: Message,
        room: z.object({ id: z.string(), name: z.string() }),
        marks: z.array(Mark).meta({
          description: 'The matching words in `content`: start and length of each, in UTF-16 units.',
        }),
      }),
    )
    .meta({ description: 'Newest first.' }),
  nextCursor: NextCursor,
})
export type SearchResult = z.output<typeof SearchPage>['results'][number]
