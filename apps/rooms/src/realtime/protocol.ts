import { z } from 'zod'
import { Id } from '../api/wire.ts'

/**
 * Value that clients send in `Sec-WebSocket-Protocol`. A second value with this prefix carries a
 * ticket (R18.1, R18.2).
 */
export const SUBPROTOCOL = 'latchkey.v1'
export const TICKET_PREFIX = 'latchkey.ticket.'

/** A longer frame closes the connection (4413). */
export const FRAME_LIMIT_BYTES = 16 * 1024

/** Close codes of R18.8. The client decides how to react. */
export const Close = {
  restarting: 1012,
  overloaded: 1013,
  protocol: 4400,
  session: 4401,
  silent: 4408,
  tooMany: 4409,
  tooLarge: 4413,
  tooFast: 4429,
} as const

const id = z.string().min(1).max(64)
const roomId = z.string().max(64)

/** Candidate of a peer connection as browsers serialise it (RTCIceCandidateInit). */
const Candidate = z.strictObject({
  candidate: z.string(),
  sdpMid: z.string().nullish(),
  sdpMLineIndex: z.int().min(0).max(100).nullish(),
  usernameFragment: z.string().nullish(),
})

export const ClientFrame = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('subscribe'), id, roomId }),
  z.strictObject({ type: z.literal('unsubscribe'), id, roomId }),
  z.strictObject({ type: z.literal('subscribe_lobby'), id }),
  z.strictObject({ type: z.literal('unsubscribe_lobby'), id }),
  z.strictObject({ type: z.literal('people'), id, userIds: z.array(Id) }),
  z.strictObject({ type: z.literal('typing'), roomId, active: z.boolean() }),
  z.strictObject({
    type: z.literal('voice.state'),
    id,
    roomId,
    audio: z.boolean(),
    camera: z.boolean(),
    screen: z.boolean(),
    hand: z.boolean(),
  }),
  z
    .strictObject({
      type: z.literal('voice.signal'),
      id,
      roomId,
      to: id,
      description: z.strictObject({ type: z.enum(['offer', 'answer']), sdp: z.string() }).exactOptional(),
      candidates: z.array(Candidate).min(1).max(50).exactOptional(),
    })
    .refine(({ description, candidates }) => (description === undefined) !== (candidates === undefined)),
  z.strictObject({ type: z.literal('ping'), id }),
])
export type ClientFrame = z.output<typeof ClientFrame>

/** A frame, or the id of an invalid request for the answer. */
export type ReadFrame = { frame: ClientFrame } | { frame: null; id: string | null }

export function readFrame(text: string): ReadFrame {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Not JSON, or nested too deeply for the parser.
    return { frame: null, id: null }
  }
  const parsed = ClientFrame.safeParse(value)
  if (parsed.success) return { frame: parsed.data }
  const withId = z.object({ id }).safeParse(value)
  return { frame: null, id: withId.success ? withId.data.id : null }
}
