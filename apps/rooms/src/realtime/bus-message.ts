import { z } from 'zod'
import { DEFAULT_LIMITS, type LimitName } from '../limits.ts'
import type { RemoteEvent } from '../cluster-events.ts'

const LATEST_DATE_MS = 8_640_000_000_000_000

const text = z.string()
const texts = z.array(text)
const LimitNames = z.enum(Object.keys(DEFAULT_LIMITS) as LimitName[])

/** Only hints: whoever writes there may make rooms look into the database, and says nothing in them. */
const RemoteEventSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('grown'), roomId: text, seq: z.int() }),
  z.object({
    kind: z.literal('removed'),
    roomId: text,
    userIds: texts.nullable(),
    reason: z.enum(['kicked', 'banned', 'left', 'deleted', 'access_lost']),
    untilMs: z.int().min(0).max(LATEST_DATE_MS).nullable(),
  }),
  z.object({ kind: z.literal('access'), roomId: text }),
  z.object({ kind: z.literal('person'), userId: text }),
  z.object({ kind: z.literal('presence'), roomId: text }),
  z.object({ kind: z.literal('typing'), roomId: text, userId: text, active: z.boolean() }),
  z.object({
    kind: z.literal('lobby'),
    roomId: text,
    formerly: z.union([z.literal('everyone'), texts]).exactOptional(),
  }),
  z.object({ kind: z.literal('sessions'), sessionIds: texts }),
  z.object({ kind: z.literal('taken'), limit: LimitNames, key: text }),
  z.object({
    kind: z.literal('noticed'),
    userId: text,
    notice: z.enum(['invitation', 'invitation_revoked', 'transfer', 'transfer_ended']),
    ids: z.record(text, text),
  }),
]) satisfies z.ZodType<RemoteEvent>

/** What goes through the server; without an event, it is a sign of life to oneself. */
export interface BusMessage {
  from: string
  event?: RemoteEvent
}

const BusMessage = z.object({ from: text, event: RemoteEventSchema.exactOptional() })

/** Undefined for what others have put into our channel, and for what only another version knows: the database says it too. */
export function parseBusMessage(written: string): BusMessage | undefined {
  try {
    return BusMessage.safeParse(JSON.parse(written)).data
  } catch {
    return undefined
  }
}
