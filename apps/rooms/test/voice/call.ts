import { createRoom, makeMember, member, type TestUser } from '../actions.ts'
import type { Live, LiveSocket } from '../realtime/live.ts'
import type { TestRooms } from '../rooms.ts'
import type { VoiceSettings } from '../../src/settings/voice.ts'
import { KINDS, SOURCES, type Source } from '../../src/voice/sources.ts'

export const MESH: VoiceSettings = {
  mode: 'mesh',
  guests: 'listen',
  relayOnly: false,
  stunUrls: [],
  turn: null,
  livekit: null,
  localServer: null,
}

export interface PeerJson {
  connectionId: string
  userId: string
  grants: { audio: boolean; camera: boolean; screen: boolean }
  audio: boolean
  camera: boolean
  screen: boolean
  muted: boolean
  hand: string | null
}

export interface JoinedJson {
  mode: string
  call: { id: string; startedAt: string }
  peers: PeerJson[]
  grants: PeerJson['grants']
  iceServers: { urls: string[]; username?: string; credential?: string }[]
  relayOnly: boolean
}

/** A user with a socket in a room. */
export interface Caller extends TestUser {
  socket: LiveSocket
  connectionId: string
}

/** Opens a socket for the user and enters the room with it. */
export async function enter(live: Live, who: TestUser, roomId: string): Promise<Caller> {
  const socket = live.connect(who.browser)
  const { connectionId } = await socket.of('welcome')
  await socket.subscribe(roomId)
  return { ...who, socket, connectionId: String(connectionId) }
}

export function sendJoin({ browser, connectionId }: Caller, roomId: string): Promise<Response> {
  return browser.send(`/api/rooms/${roomId}/voice`, { body: { connectionId } })
}

export async function joinCall({ browser, connectionId }: Caller, roomId: string): Promise<JoinedJson> {
  return browser.json<JoinedJson>(`/api/rooms/${roomId}/voice`, { body: { connectionId } })
}

export function leaveCall({ browser }: TestUser, roomId: string, query = ''): Promise<Response> {
  return browser.send(`/api/rooms/${roomId}/voice${query}`, { method: 'DELETE' })
}

export function moderate(
  { browser }: TestUser,
  roomId: string,
  target: TestUser,
  action: string,
): Promise<Response> {
  return browser.send(`/api/rooms/${roomId}/voice/people/${target.user.id}`, { body: { action } })
}

export const ALL_OFF = { audio: false, camera: false, screen: false, hand: false }

/** Says what a connection does in the call. The answer is a frame or a refusal. */
export function setState({ socket }: Caller, roomId: string, wanted: Partial<typeof ALL_OFF>) {
  return socket.ask({ type: 'voice.state', roomId, ...ALL_OFF, ...wanted })
}

/** Owner, speaker and listener of a room in its call, in this order. */
export async function threeInCall(test: TestRooms, live: Live, settings: Record<string, unknown> = {}) {
  const [owner, speaker, listener] = await Promise.all(
    ['Olga', 'Sam', 'Lea'].map((name) => member(test, name)),
  )
  if (!owner || !speaker || !listener) throw new Error('Three people are needed')
  const { id: roomId } = await createRoom(owner, settings)
  await makeMember(test, roomId, speaker, 'speaker')
  await makeMember(test, roomId, listener, 'listener')
  const callers: Caller[] = []
  for (const who of [owner, speaker, listener]) {
    const caller = await enter(live, who, roomId)
    await joinCall(caller, roomId)
    callers.push(caller)
  }
  const [first, second, third] = callers as [Caller, Caller, Caller]
  await first.socket.frame(isJoined(third))
  await second.socket.frame(isJoined(third))
  return { roomId, owner: first, speaker: second, listener: third }
}

type Frame = Record<string, unknown> & { type: string }

export function isJoined({ connectionId }: Caller) {
  return ({ type, peer }: Frame) =>
    type === 'voice.joined' && (peer as PeerJson).connectionId === connectionId
}

export function isLeft({ connectionId }: Caller) {
  return (frame: Frame) => frame.type === 'voice.left' && frame['connectionId'] === connectionId
}

const BASE = [
  'c=IN IP4 0.0.0.0',
  'a=ice-ufrag:abcd',
  'a=ice-pwd:abcdefghijklmnopqrstuv',
  'a=ice-options:trickle',
  `a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => 'AB').join(':')}`,
]

/** A session description that sends these sources, and receives the others. */
export function description(
  type: 'offer' | 'answer',
  directions: Partial<Record<Source, 'sendrecv' | 'sendonly' | 'inactive'>>,
) {
  const [connection, ...base] = BASE
  const lines = SOURCES.flatMap((source, index) => [
    `m=${KINDS[source]} 9 UDP/TLS/RTP/SAVPF ${KINDS[source] === 'audio' ? 111 : 96}`,
    connection,
    `a=mid:${index}`,
    `a=${directions[source] ?? 'recvonly'}`,
    ...base,
    `a=setup:${type === 'offer' ? 'actpass' : 'active'}`,
    'a=rtcp-mux',
    KINDS[source] === 'audio' ? 'a=rtpmap:111 opus/48000/2' : 'a=rtpmap:96 VP8/90000',
  ])
  const session = ['v=0', 'o=- 1 2 IN IP4 0.0.0.0', 's=-', 't=0 0', 'a=group:BUNDLE 0 1 2 3']
  return { type, sdp: [...session, ...lines, ''].join('\r\n') }
}
