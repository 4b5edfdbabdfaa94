// The verbs that tests share. Verbs of the API return the response. Those that return JSON throw if
// the status is not the expected one.
import type { UserRow } from '../src/db/tables.ts'
import { NEW_STATE } from '../src/rooms/user-state.ts'
import type { Person } from './provider/hostile.ts'
import type { Browser, TestRooms } from './rooms.ts'
import { browserOf, insertPerson } from './sessions/people.ts'

/** A user with a browser. */
export interface TestUser {
  user: UserRow
  browser: Browser & { sessionId: string }
}

/** A user whose browser sends the request. */
export interface Actor {
  browser: Pick<Browser, 'send' | 'json'>
}

/** A user that a request names. */
export interface Target {
  user: { id: string }
}

/** A user who has signed in over HTTP. */
export interface SignedInUser {
  browser: Browser
  id: string
  sessionId: string
}

let lastHost = 0
let lastSignIn = 1

/** Inserts an account and opens a browser for it, with its own address. */
export async function member(test: TestRooms, nickname = 'Ada'): Promise<TestUser> {
  return withBrowser(test, await insertPerson(test, { nickname }))
}

export async function guest(test: TestRooms, nickname = 'Gustav', ip?: string): Promise<TestUser> {
  return withBrowser(test, await insertPerson(test, { nickname, is_guest: 1, email: null }), ip)
}

export async function admin(test: TestRooms, nickname = 'Root'): Promise<TestUser> {
  const testUser = await member(test, nickname)
  await test.rooms.database.write((tx) =>
    tx
      .insertInto('role_grants')
      .values({
        id: crypto.randomUUID(),
        user_id: testUser.user.id,
        role: 'platform_admin',
        scope_type: 'platform',
        scope_id: '',
        source: 'manual',
        granted_by: null,
        created_at: test.clock.ms,
      })
      .execute(),
  )
  return testUser
}

interface SessionJson {
  user: { id: string }
  session: { id: string }
}

/** Signs in at the provider, from an own address. */
export async function signedInUser(rooms: TestRooms, person: Person): Promise<SignedInUser> {
  const browser = await rooms.signedInBrowser(person, { ip: `203.0.113.${lastSignIn++ % 250}` })
  const { user, session } = await browser.json<SessionJson>('/api/session')
  return { browser, id: user.id, sessionId: session.id }
}

/** Becomes a guest over HTTP, from an own address. */
export async function signedInGuest(rooms: TestRooms, nickname = 'Gustav'): Promise<SignedInUser> {
  const browser = rooms.browser({ ip: `198.51.100.${lastSignIn++ % 250}` })
  const { user, session } = await browser.json<SessionJson>('/api/session', { body: { nickname } }, 201)
  return { browser, id: user.id, sessionId: session.id }
}

async function withBrowser(test: TestRooms, user: UserRow, ip?: string): Promise<TestUser> {
  lastHost += 1
  const address = ip ?? `198.51.${lastHost >> 8}.${lastHost & 255}`
  return { user, browser: await browserOf(test, user, { ip: address }) }
}

export interface RoomJson {
  id: string
  name: string
  role: string | null
  canPublish: boolean
  participantCount: number
  lastSeq: number
  readSeq: number | null
  unread: number | null
  mentions: number | null
  [member: string]: unknown
}

export async function createRoom(
  { browser }: Actor,
  settings: Record<string, unknown> = {},
): Promise<RoomJson> {
  // Not the default of public rooms: their visitors shall differ from other people.
  const defaultRole = settings['visibility'] === 'private' ? 'speaker' : 'listener'
  const { room } = await browser.json<{ room: RoomJson }>(
    '/api/rooms',
    { body: { name: 'Lounge', defaultRole, ...settings } },
    201,
  )
  return room
}

/** Inserts a membership, as an accepted invitation does. */
export async function makeMember(
  test: TestRooms,
  roomId: string,
  { user }: { user: { id: string } },
  role: 'moderator' | 'speaker' | 'listener' = 'listener',
): Promise<void> {
  await test.rooms.database.write(async (tx) => {
    const { last_seq } = await tx
      .selectFrom('rooms')
      .select('last_seq')
      .where('id', '=', roomId)
      .executeTakeFirstOrThrow()
    const row = { room_id: roomId, user_id: user.id, role, joined_at: test.clock.ms, joined_seq: last_seq }
    await tx.insertInto('room_members').values(row).execute()
  })
}

/** Stores that the user left the room by choice: what they write makes them no member. */
export async function keepVisitor(test: TestRooms, roomId: string, { user }: Target): Promise<void> {
  const state = { ...NEW_STATE, last_read_seq: 0, left_at: test.clock.ms }
  await test.rooms.database.write((tx) =>
    tx
      .insertInto('room_user_states')
      .values({ ...state, room_id: roomId, user_id: user.id })
      .execute(),
  )
}

/** Inserts a ban or, with `untilMs`, a kick. */
export async function ban(
  test: TestRooms,
  roomId: string,
  { user }: TestUser,
  { untilMs = null, guestPrefix = null }: { untilMs?: number | null; guestPrefix?: string | null } = {},
): Promise<void> {
  await test.rooms.database.write((tx) =>
    tx
      .insertInto('room_bans')
      .values({
        room_id: roomId,
        user_id: user.id,
        kind: untilMs === null ? 'ban' : 'kick',
        role_held: null,
        guest_prefix: guestPrefix,
        reason: null,
        banned_by: null,
        expires_at: untilMs,
        created_at: test.clock.ms,
      })
      .execute(),
  )
}

/** Status and error code of a response. */
export async function refusal(response: Response): Promise<[number, string | undefined]> {
  const { code } = (await response.json()) as { code?: string }
  return [response.status, code]
}

/** Reads the JSON of a response. Throws on another status. */
export async function succeed<Body = Record<string, unknown>>(
  sent: Promise<Response>,
  status = 200,
): Promise<Body> {
  const response = await sent
  const text = await response.text()
  if (response.status !== status) throw new Error(`${response.status} ${text}`)
  return JSON.parse(text) as Body
}

export function join({ browser }: Actor, roomId: string): Promise<Response> {
  return browser.send(`/api/rooms/${roomId}/join`, { method: 'POST', body: {} })
}

export function leave({ browser }: Actor, roomId: string): Promise<Response> {
  return browser.send(`/api/rooms/${roomId}/leave`, { method: 'DELETE' })
}

export function changeSettings({ browser }: Actor, roomId: string, body: unknown): Promise<Response> {
  return browser.send(`/api/rooms/${roomId}/settings`, { method: 'PATCH', body })
}

export function deleteRoom({ browser }: Actor, roomId: string): Promise<Response> {
  return browser.send(`/api/rooms/${roomId}`, { method: 'DELETE' })
}

export interface MessageJson {
  id: string
  seq: number
  userId: string | null
  nickname: string
  content: string | null
  clientId: string | null
  [member: string]: unknown
}

export interface MessagePage {
  messages: MessageJson[]
  nextCursor: string | null
  newerCursor: string | null
  events: EventJson[]
}

export function postMessage({ browser }: Actor, roomId: string, body: unknown): Promise<Response> {
  return browser.send(`/api/rooms/${roomId}/messages`, { body })
}

/** Posts a message and returns it. */
export async function createMessage(actor: Actor, roomId: string, content = 'Hello'): Promise<MessageJson> {
  const { message } = await succeed<{ message: MessageJson }>(postMessage(actor, roomId, { content }), 201)
  return message
}

export function deleteMessage({ browser }: Actor, roomId: string, messageId: string): Promise<Response> {
  return browser.send(`/api/rooms/${roomId}/messages/${messageId}`, { method: 'DELETE' })
}

/** Changes the text of a message. */
export function editMessage(
  { browser }: Actor,
  roomId: string,
  messageId: string,
  content: unknown,
): Promise<Response> {
  return browser.send(`/api/rooms/${roomId}/messages/${messageId}`, { method: 'PATCH', body: { content } })
}

/** Adds a reaction or, with DELETE, takes it back. */
export function react(
  { browser }: Actor,
  roomId: string,
  messageId: string,
  emoji: string,
  method: 'PUT' | 'DELETE' = 'PUT',
): Promise<Response> {
  const path = `/api/rooms/${roomId}/messages/${messageId}/reactions/${encodeURIComponent(emoji)}`
  return browser.send(path, { method })
}

/** Pins a message or, with DELETE, unpins it. */
export function pin(
  { browser }: Actor,
  roomId: string,
  messageId: string,
  method: 'PUT' | 'DELETE' = 'PUT',
): Promise<Response> {
  return browser.send(`/api/rooms/${roomId}/messages/${messageId}/pin`, { method })
}

export interface EventJson {
  seq: number
  at: string
  event: string
  data: Record<string, unknown>
}

/** The events of a room, by default all of them. */
export async function readEvents({ browser }: Actor, roomId: string, after = 0): Promise<EventJson[]> {
  return (await browser.json<{ events: EventJson[] }>(`/api/rooms/${roomId}/events?after=${after}`)).events
}

export function readMessages({ browser }: Actor, roomId: string, query = ''): Promise<MessagePage> {
  return browser.json<MessagePage>(`/api/rooms/${roomId}/messages${query}`)
}

/** The texts of the first page of messages. */
export async function readContents(actor: Actor, roomId: string): Promise<(string | null)[]> {
  return (await readMessages(actor, roomId)).messages.map(({ content }) => content)
}

export interface UnreadJson {
  readSeq: number
  unread: number
  mentions: number
}

export function sendRead({ browser }: Actor, roomId: string, seq: unknown): Promise<Response> {
  return browser.send(`/api/rooms/${roomId}/read`, { method: 'PUT', body: { seq } })
}

/** Marks a room as read up to an event, by default up to the last. */
export function markRead(actor: Actor, roomId: string, seq = Number.MAX_SAFE_INTEGER): Promise<UnreadJson> {
  return succeed<UnreadJson>(sendRead(actor, roomId, seq))
}

/** A room as the lobby lists it for the sender; undefined if it does not. */
export async function listedRoom({ browser }: Actor, roomId: string): Promise<RoomJson | undefined> {
  const { rooms } = await browser.json<{ rooms: RoomJson[] }>('/api/rooms?limit=100')
  return rooms.find(({ id }) => id === roomId)
}

export interface FileJson {
  id: string
  name: string
  type: string
  bytes: number
  width: number | null
  height: number | null
  url: string
  thumbnail: string | null
}

/** Sends a file as a form does. */
export function sendFile(
  { browser }: Actor,
  roomId: string,
  content: string | Uint8Array<ArrayBuffer>,
  name = 'notes.txt',
): Promise<Response> {
  const body = new FormData()
  body.append('file', new Blob([content]), name)
  return browser.send(`/api/rooms/${roomId}/files`, { body })
}

/** Sends a profile picture as a form does. */
export function setPicture({ browser }: Actor, content: Uint8Array<ArrayBuffer>): Promise<Response> {
  const body = new FormData()
  body.append('file', new Blob([content]), 'me.jpg')
  return browser.send('/api/profile/picture', { method: 'PUT', body })
}

/** A member account in the list of people. */
export interface ListedPersonJson {
  id: string
  nickname: string
  avatarUrl: string | null
  title: string | null
  timeZone: string | null
  status: { text: string | null; emoji: string | null; until: string | null } | null
  present: boolean
}

export async function readPerson({ browser }: Actor, userId: string): Promise<ListedPersonJson> {
  return (await browser.json<{ person: ListedPersonJson }>(`/api/people/${userId}`)).person
}

/** Posts a message with these uploads and returns it. */
export async function postFiles(
  actor: Actor,
  roomId: string,
  files: readonly string[],
  content = '',
): Promise<MessageJson> {
  const sent = postMessage(actor, roomId, { content, files })
  return (await succeed<{ message: MessageJson }>(sent, 201)).message
}

/** Uploads a file and returns it. */
export async function uploadFile(...sent: Parameters<typeof sendFile>): Promise<FileJson> {
  return (await succeed<{ file: FileJson }>(sendFile(...sent), 201)).file
}

export function setRole(
  { browser }: Actor,
  roomId: string,
  { user }: Target,
  role: unknown,
): Promise<Response> {
  return browser.send(`/api/rooms/${roomId}/members/${user.id}`, { method: 'PATCH', body: { role } })
}

/** Kicks, bans or removes a user, according to `action`. */
export function removeMember(
  { browser }: Actor,
  roomId: string,
  { user }: Target,
  body: { action?: unknown; [member: string]: unknown },
): Promise<Response> {
  return browser.send(`/api/rooms/${roomId}/members/${user.id}/remove`, { body })
}

export function unban({ browser }: Actor, roomId: string, { user }: Target): Promise<Response> {
  return browser.send(`/api/rooms/${roomId}/bans/${user.id}`, { method: 'DELETE' })
}

/** Makes the sender a member of a public or unlisted room. */
export function becomeMember({ browser }: Actor, roomId: string): Promise<Response> {
  return browser.send(`/api/rooms/${roomId}/membership`, { method: 'PUT' })
}

/** Ends the sender's own membership. */
export function endMembership({ browser }: Actor, roomId: string): Promise<Response> {
  return browser.send(`/api/rooms/${roomId}/membership`, { method: 'DELETE' })
}

export interface InvitationJson {
  id: string
  permission: string
  [member: string]: unknown
}

export interface InvitationLinkJson {
  invitation: InvitationJson
  token: string
  url: string
}

/** Invites one account by its id. */
export function inviteUser(
  { browser }: Actor,
  roomId: string,
  { user }: Target,
  more: Record<string, unknown> = {},
): Promise<Response> {
  return browser.send(`/api/rooms/${roomId}/invitations/users`, { body: { userId: user.id, ...more } })
}

/** Invites one account and returns the invitation, new or renewed. */
export async function createInvitation(...args: Parameters<typeof inviteUser>): Promise<InvitationJson> {
  const { invitation } = (await (await inviteUser(...args)).json()) as { invitation: InvitationJson }
  return invitation
}

export function createInvitationLink(
  { browser }: Actor,
  roomId: string,
  body: Record<string, unknown> = {},
): Promise<InvitationLinkJson> {
  return browser.json<InvitationLinkJson>(`/api/rooms/${roomId}/invitations/links`, { body }, 201)
}

/** Looks at an invitation link without accepting it. */
export function previewInvitation({ browser }: Actor, token: string): Promise<Response> {
  return browser.send(`/api/room-invitations/${token}`)
}

export function acceptInvitation({ browser }: Actor, idOrToken: string): Promise<Response> {
  return browser.send(`/api/room-invitations/${idOrToken}/accept`, { method: 'POST' })
}

export function declineInvitation({ browser }: Actor, id: string): Promise<Response> {
  return browser.send(`/api/room-invitations/${id}/decline`, { method: 'POST' })
}

export function revokeInvitation({ browser }: Actor, roomId: string, id: string): Promise<Response> {
  return browser.send(`/api/rooms/${roomId}/invitations/${id}`, { method: 'DELETE' })
}

/** The pending invitations of the sender. */
export async function pendingInvitations({ browser }: Actor): Promise<InvitationJson[]> {
  const path = '/api/room-invitations/pending'
  return (await browser.json<{ invitations: InvitationJson[] }>(path)).invitations
}

/** The live invitations of a room. */
export async function listInvitations({ browser }: Actor, roomId: string): Promise<InvitationJson[]> {
  const path = `/api/rooms/${roomId}/invitations`
  return (await browser.json<{ invitations: InvitationJson[] }>(path)).invitations
}

export function offerRoom({ browser }: Actor, roomId: string, { user }: Target): Promise<Response> {
  return browser.send(`/api/rooms/${roomId}/ownership-transfer`, { body: { userId: user.id } })
}

export function confirmTransfer({ browser }: Actor, roomId: string): Promise<Response> {
  return browser.send(`/api/rooms/${roomId}/ownership-transfer/confirm`, { method: 'POST' })
}

export function declineTransfer({ browser }: Actor, roomId: string): Promise<Response> {
  return browser.send(`/api/rooms/${roomId}/ownership-transfer/decline`, { method: 'POST' })
}

export function cancelTransfer({ browser }: Actor, roomId: string): Promise<Response> {
  return browser.send(`/api/rooms/${roomId}/ownership-transfer`, { method: 'DELETE' })
}

/** The pending transfers that the sender offered or may confirm. */
export async function pendingTransfers({ browser }: Actor): Promise<Record<string, unknown>[]> {
  const path = '/api/room-ownership-transfers/pending'
  return (await browser.json<{ transfers: Record<string, unknown>[] }>(path)).transfers
}

/** Takes over a room as an administrator. */
export function takeOver(
  { browser }: Actor,
  roomId: string,
  reason: unknown = 'The owner is gone',
): Promise<Response> {
  return browser.send(`/api/admin/rooms/${roomId}/takeover`, { body: { reason } })
}

/** Deletes the sender's own account. */
export function eraseAccount({ browser }: Actor): Promise<Response> {
  return browser.send('/api/account', { method: 'DELETE', body: { confirm: true } })
}

/** The stored role of a member, or null. */
export async function roleOf(test: TestRooms, roomId: string, { user }: Target): Promise<string | null> {
  return (await rolesIn(test, roomId))[user.id] ?? null
}

/** The stored roles of all members, by user id. */
export async function rolesIn(test: TestRooms, roomId: string): Promise<Record<string, string>> {
  const rows = await test.rooms.database.read
    .selectFrom('room_members')
    .selectAll()
    .where('room_id', '=', roomId)
    .execute()
  return Object.fromEntries(rows.map(({ user_id, role }) => [user_id, role]))
}

/** The stored owner of a room. */
export async function ownerOf(test: TestRooms, roomId: string): Promise<string | null | undefined> {
  const row = await test.rooms.database.read
    .selectFrom('rooms')
    .select('owner_id')
    .where('id', '=', roomId)
    .executeTakeFirst()
  return row?.owner_id
}

/** The stored visit of a user in a room. */
export function visitOf(test: TestRooms, roomId: string, { user }: Target) {
  return test.rooms.database.read
    .selectFrom('room_visits')
    .selectAll()
    .where('room_id', '=', roomId)
    .where('user_id', '=', user.id)
    .executeTakeFirst()
}

/** How often an invitation was accepted, as stored. */
export async function useCountOf(test: TestRooms, invitationId: string): Promise<number> {
  const row = await test.rooms.database.read
    .selectFrom('room_invitations')
    .select('use_count')
    .where('id', '=', invitationId)
    .executeTakeFirstOrThrow()
  return row.use_count
}
