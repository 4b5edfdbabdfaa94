import { z } from 'zod'
import { listEvents } from '../events/operations.ts'
import { EventPage, MAX_SEQ } from '../events/schema.ts'
import { eventTypes } from '../events/types.ts'
import { perform } from '../api/perform.ts'
import { tool } from './tool.ts'

export const eventTools = [
  tool({
    name: 'list_events',
    title: 'List events',
    description: 'Returns what happened to links and bundles, in order, with the clicks.',
    effect: 'read',
    input: {
      after: z.int().min(0).max(MAX_SEQ).optional().meta({
        description:
          '`last_seq` of the previous call, for what has happened since; 0 for all that is stored.',
      }),
      types: z.array(z.enum(eventTypes)).min(1).optional().meta({ description: 'All types by default.' }),
      limit: z.int().min(1).max(100).default(50),
    },
    output: EventPage,
    run: (context, { after = 0, types, limit }) =>
      perform(context, listEvents, { query: { after, types: types?.join(), limit } }),
  }),
]
