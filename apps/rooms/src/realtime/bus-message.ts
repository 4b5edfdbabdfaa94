import { z } from 'zod'
import { DEFAULT_LIMITS, type LimitName } from '../api/limits.ts'
import type { RemoteEvent } from '../api/cluster-events.ts'

const LATEST_DATE_MS = 8_640_000_000_000_000

const text = z.string()
const texts = z.array(text)
const LimitNames = z.enum(Object.keys(DEFAULT_LIMITS) as LimitName[])

/** Only hints: a sender can make a node read the database but cannot inject content. */
const RemoteEventSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('last_seq'), roomId: text, seq: z.int() }),
  z.object({
    kind: z.literal('removed'),
    roomId: text,
    userIds: texts.nullable(),
    reason: z.enum(['kicked', 'banned', 'left', 'deleted', 'access_lost']),
    untilMs: z.int().min(0).max(LATEST_DATE_MS).nullable(),
  }),
  z.object({ kind: z.literal('access'), roomId: text }),
  z.object({
    kind: z.literal('voice'),
    roomId: text,
    removal: z.object({ connectionIds: texts, reason: z.enum(['left', 'removed']) }).exactOptional(),
    hadRecorder: z.literal(true).exactOptional(),
  }),
  z.object({ kind: z.literal('person'), userId: text }),
  z.object({ kind: z.literal('people'), userIds: texts }),
  z.object({ kind: z.literal('presence'), roomId: text }),
  z.object({ kind: z.literal('typing'), roomId: text, userId: text, active: z.boolean() }),
  z.object({
    kind: z.literal('lobby'),
    roomId: text,
    previousAudience: z.union([z.literal('everyone'), texts]).exactOptional(),
  }),
  z.object({ kind: z.literal('sessions'), sessionIds: texts }),
  z.object({ kind: z.literal('rate_limit'), limit: LimitNames, key: text }),
  z.object({
    kind: z.literal('notice_ref'),
    userId: text,
    notice: z.enum([
      'read',
      'preferences',
      'draft',
      'invitation',
      'invitation_revoked',
      'blocked',
      'call',
      'call_ended',
      'unblocked',
      'transfer',
      'transfer_ended',
    ]),
    ids: z.record(text, text),
  }),
]) satisfies z.ZodType<RemoteEvent>

/** Message on the Redis channel. Without an event, it is a heartbeat of the sender to itself. */
export interface BusMessage {
  from: string
  event?: RemoteEvent
}

const BusMessage = z.object({ from: text, event: RemoteEventSchema.exactOptional() })

/**
 * Undefined for foreign data in the channel and for events of another version. Their changes are
 * found in the database.
 */
export function parseBusMessage(written: string): BusMessage | undefined {
  try {
    return BusMessage.safeParse(JSON.parse(written)).data
  } catch {
    return undefined
  }
}
