import { text } from '@latchkey/http/text'
import { z } from 'zod'
import { LiveClick } from '../live/schema.ts'
import { changeChannels } from '../changes/source.ts'
import { pageLimit, wholeNumber, wholeText } from '../api/fields.ts'
import { type EventType, eventTypes } from './types.ts'

/** A click without anything that identifies its visitor. */
const EventClick = LiveClick.omit({ seconds_ago: true }).meta({ id: 'EventClick' })
export type EventClick = z.output<typeof EventClick>

const Values = z.record(z.string(), z.unknown())

export const EventData = z
  .object({
    link_id: z.int().optional(),
    bundle_id: z.int().optional(),
    plan_id: z.int().optional(),
    identity: z.string().optional().meta({ description: 'The person who wrote, or for whom a program did.' }),
    via: z.enum(changeChannels).optional(),
    version: z.int().optional().meta({ description: 'Version of the link since the write.' }),
    link: Values.optional().meta({
      description: 'The link after the event, or before its deletion. Secrets are only `set`.',
    }),
    bundle: Values.optional().meta({ description: 'The bundle after the event, or before its deletion.' }),
    changed: z.array(z.string()).optional().meta({ description: 'Fields that an update changed.' }),
    clicks: z.array(EventClick).max(500).optional(),
    count: z.int().optional().meta({ description: 'Links that an import has stored together.' }),
    first: z.int().optional().meta({ description: 'The `seq` of the first event of these links.' }),
    last: z.int().optional().meta({ description: 'The `seq` of the last event of these links.' }),
  })
  .meta({ id: 'EventData' })
export type EventData = z.output<typeof EventData>

export const Event = z
  .object({
    seq: z.int().meta({ description: 'Greater than that of every earlier event.' }),
    type: z.enum(eventTypes),
    at: z.int().meta({ description: 'Unix seconds.' }),
    data: EventData,
  })
  .meta({ id: 'Event' })
export type Event = z.output<typeof Event>

export const EventPage = z
  .object({
    events: z.array(Event),
    last_seq: z.int().meta({ description: '`after` of the next request.' }),
  })
  .meta({ id: 'EventPage' })
export type EventPage = z.output<typeof EventPage>

export const MAX_SEQ = 999_999_999_999_999
const MAX_WAIT_SECONDS = 25

function isEventType(value: string): value is EventType {
  return (eventTypes as readonly string[]).includes(value)
}

const ANY_TYPE = eventTypes.join('|').replaceAll('.', '\\.')

export const EventsQuery = z.object({
  after: wholeText(0, MAX_SEQ).optional().meta({
    description: 'Events after this one: 0 for all that are stored; by default those that follow.',
  }),
  types: text()
    .refine((list) => list.split(',').every(isEventType), 'must be types of events, separated by commas')
    .transform((list) => list.split(',').filter(isEventType))
    .optional()
    .meta({
      description:
        'Types, separated by commas; all by default but `link.imported`, which stands for all that imports change.',
      pattern: `^(?:${ANY_TYPE})(?:,(?:${ANY_TYPE}))*$`,
    }),
  wait: wholeNumber(0, MAX_WAIT_SECONDS).default(0).meta({
    description: 'Seconds to wait for an event if there is none.',
  }),
  limit: pageLimit(500, 100),
})
