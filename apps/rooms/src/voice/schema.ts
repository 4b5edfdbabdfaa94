import { z } from 'zod'
import { Id, Moment } from '../api/wire.ts'

export const Grants = z
  .object({ audio: z.boolean(), camera: z.boolean(), screen: z.boolean() })
  .meta({ id: 'CallGrants', description: 'What the user may send.' })

const CallState = {
  audio: z.boolean().meta({ description: 'The microphone is on.' }),
  camera: z.boolean(),
  screen: z.boolean(),
  muted: z.boolean().meta({ description: 'Muted by a moderator, until they unmute themselves.' }),
  hand: Moment.nullable().meta({ description: 'Since when the hand is up.' }),
}

/** What a participant of the room does in its call, with all their connections. */
export const ParticipantVoice = z.object(CallState).meta({ id: 'ParticipantVoice' })
export type ParticipantVoice = z.output<typeof ParticipantVoice>

/** Connection in a call. */
export const CallPeer = z
  .object({ connectionId: z.string(), userId: z.string(), grants: Grants, ...CallState })
  .meta({ id: 'CallPeer' })
export type CallPeer = z.output<typeof CallPeer>

/** Call that goes on in a room. */
export const Call = z
  .object({
    id: z.string(),
    startedAt: Moment,
    count: z.int().meta({ description: 'The number of people in the call.' }),
  })
  .meta({ id: 'Call' })
export type Call = z.output<typeof Call>

export const IceServer = z
  .object({
    urls: z.array(z.string()),
    username: z.string().exactOptional(),
    credential: z.string().exactOptional(),
  })
  .meta({ id: 'IceServer' })
export type IceServer = z.output<typeof IceServer>

const ConnectionId = z.string().min(1).max(64)

export const JoinCallBody = z.object({
  connectionId: ConnectionId.meta({ description: 'Of your own socket, from `welcome`.' }),
})

export const JoinedCall = z
  .object({
    mode: z.enum(['mesh', 'livekit']).meta({ description: 'How the call is carried.' }),
    call: Call.omit({ count: true }),
    peers: z.array(CallPeer).meta({ description: 'The other connections in the call.' }),
    grants: Grants,
    iceServers: z.array(IceServer),
    relayOnly: z.boolean().meta({ description: 'Connect only through the TURN servers.' }),
    url: z.string().exactOptional().meta({ description: 'URL for clients of LiveKit.' }),
    token: z.string().exactOptional().meta({
      description: 'With which to connect there, within a minute.',
    }),
  })
  .meta({ id: 'JoinedCall' })
export type JoinedCall = z.output<typeof JoinedCall>

export const LeaveCallQuery = z.object({
  connectionId: ConnectionId.optional().meta({ description: 'Only this connection.' }),
})

export const DeclineCallBody = z.object({
  callId: z.string().min(1).max(64).meta({ description: 'From the notice `call`.' }),
})

export const CallPersonParams = z.object({ id: Id, userId: Id })
export const ModerateCallBody = z.object({
  action: z.enum(['mute', 'lower_hand', 'remove']).meta({
    description: 'Mute the microphone, lower the hand, or remove from the call.',
  }),
})
