// What others can find out about a direct conversation: every route and every frame, by everyone who is
// not one of its people, against an id that does not exist (R37.3).
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { DefaultQueryExecutor } from 'kysely'
import { toRemoteEvent } from '../../src/api/cluster-events.ts'
import { DEFAULT_LIMITS } from '../../src/api/limits.ts'
import { API_PATH } from '../../src/http/api.ts'
import { apiOperations } from '../../src/operations.ts'
import {
  type TestUser,
  createMessage,
  createRoom,
  deleteMessage,
  editMessage,
  endMembership,
  guest,
  markRead,
  member,
  pin,
  postFiles,
  react,
  signedInUser,
  succeed,
  uploadFile,
} from '../actions.ts'
import { type Browser, type TestRooms, openRooms } from '../rooms.ts'
import { type Live, type LiveSocket, listen } from '../realtime/live.ts'
import { MESH } from '../voice/call.ts'
import { createDirect } from './actions.ts'

const OTHERS = ['administrator', 'owner of a room', 'outsider', 'guest', 'ended session'] as const
type Other = (typeof OTHERS)[number]

const WITHOUT_RATES = Object.fromEntries(
  Object.keys(DEFAULT_LIMITS)
    .filter((name) => name.includes('_per_'))
    .map((name) => [name, 1_000_000]),
)

/** A word, a name of a file and an emoji that are nowhere else. */
const WORD = 'xylophone'
const FILE_NAME = 'heron.txt'

let rooms: TestRooms
let live: Live
let ada: TestUser
let bob: TestUser
let others: Record<Other, Browser>
let sockets: LiveSocket[]
/** Ids of what is in the conversation. */
let ids: { room: string; message: string; file: string }

beforeAll(async () => {
  rooms = await openRooms({ limits: WITHOUT_RATES, settings: { voice: MESH } })
  live = listen(rooms.rooms)
  const root = await signedInUser(rooms, { sub: 'root', name: 'Root', email: 'root@example.com' })
  ;[ada, bob] = [await member(rooms, 'Adalbert'), await member(rooms, 'Bartholomew')]
  const [owner, ended] = [await member(rooms, 'Olga'), await member(rooms, 'Erik')]
  await createRoom(owner, { name: 'Harbour' })
  others = {
    administrator: root.browser,
    'owner of a room': owner.browser,
    outsider: (await signedInUser(rooms, { sub: 'otto', name: 'Otto', email: 'otto@example.com' })).browser,
    guest: (await guest(rooms)).browser,
    'ended session': ended.browser,
  }
  sockets = OTHERS.map((other) => live.connect(others[other]))
  for (const socket of sockets) await socket.ask({ type: 'subscribe_lobby' })
  ids = await talk()
  await rooms.rooms.hub.lobby.flush()
  await endSession(ended)
  // The first answer sets or clears cookies.
  for (const other of OTHERS) await others[other].send('/api/session')
})
afterAll(async () => {
  statements.mockRestore()
  await rooms.rooms.hub.stop()
  await live.stop()
  await rooms.close()
})

/** Does everything that can be done in a direct conversation. */
async function talk(): Promise<typeof ids> {
  const { id: room } = await createDirect(ada, bob)
  const [here, there] = [live.connect(ada.browser), live.connect(bob.browser)]
  await here.ask({ type: 'subscribe_lobby' })
  for (const socket of [here, there]) await socket.subscribe(room)
  const { id: file } = await uploadFile(ada, room, 'grey', FILE_NAME)
  const { id: message } = await postFiles(ada, room, [file], `A ${WORD} for you`)
  await succeed(editMessage(ada, room, message, `A ${WORD} for you, <@${bob.user.id}>`))
  await succeed(react(bob, room, message, '🦩'))
  await succeed(pin(bob, room, message))
  const { id: deleted } = await createMessage(bob, room, `No ${WORD}`)
  await succeed(deleteMessage(bob, room, deleted))
  await markRead(bob, room)
  there.send({ type: 'typing', roomId: room, active: true })
  const { connectionId } = await there.of('welcome')
  await succeed(bob.browser.send(`/api/rooms/${room}/voice`, { body: { connectionId } }))
  await succeed(bob.browser.send(`/api/rooms/${room}/voice`, { method: 'DELETE' }))
  await succeed(endMembership(bob, room))
  await rooms.rooms.hub.lobby.flush()
  await here.settle()
  // The people of the conversation do get frames.
  expect(here.frames.filter(({ type }) => type === 'lobby').length).toBeGreaterThan(0)
  await createMessage(ada, room, `The ${WORD} again`)
  return { room, message, file }
}

function endSession({ browser }: TestUser): Promise<unknown> {
  const ended = { revoked_at: rooms.clock.ms, revoke_reason: 'revoked' } as const
  return rooms.rooms.database.write((tx) =>
    tx.updateTable('sessions').set(ended).where('id', '=', browser.sessionId).execute(),
  )
}

/** The statements of the service, which run as ever. */
const statements = spyOn(
  Object.getPrototypeOf(DefaultQueryExecutor.prototype) as DefaultQueryExecutor,
  'executeQuery',
)

/** An answer with its statements. */
async function observe(browser: Browser, request: Request): Promise<{ answer: string; executed: string[] }> {
  statements.mockClear()
  const answer = await answerTo(browser, request)
  return { answer, executed: statements.mock.calls.map(([{ sql }]) => sql) }
}

/** What must not be in any text for others. */
const secrets = () => [ids.room, ids.message, ids.file, WORD, FILE_NAME, '🦩']

/** Bodies with which the operations would work in a room of the sender. */
const BODIES: Readonly<Record<string, unknown>> = {
  updateRoomSettings: { name: 'Ours' },
  markRoomRead: { seq: 1 },
  setNotificationLevel: { level: 'all' },
  setRoomPreferences: { starred: true },
  postMessage: { content: 'Hello' },
  editMessage: { content: 'Hello' },
  saveDraft: { content: 'Hello' },
  changeMemberRole: { role: 'speaker' },
  replaceRoomGroups: { groups: [{ name: 'staff', role: 'speaker' }] },
  removePerson: { action: 'ban' },
  inviteUser: { userId: '00000000-0000-4000-8000-000000000000' },
  createInvitationLink: {},
  requestTransfer: { userId: '00000000-0000-4000-8000-000000000000' },
  takeOverRoom: { reason: 'To read along' },
  joinCall: { connectionId: '00000000-0000-4000-8000-000000000000' },
  declineCall: { callId: '00000000-0000-4000-8000-000000000000' },
  moderateCall: { action: 'mute' },
}
const QUERIES: Readonly<Record<string, string>> = { searchPeople: '?q=bart' }

const FRAMES = [
  { type: 'subscribe' },
  { type: 'unsubscribe' },
  { type: 'voice.state', audio: true, camera: false, screen: false, hand: false },
  { type: 'voice.signal', to: 'peer', candidates: [{ candidate: '' }] },
]

interface Request {
  id: string
  method: string
  path: string
  body: unknown
}

/** Every request about a room, a file or a message, with these ids. */
function requestsWith({ room, message, file }: typeof ids): Request[] {
  const about = apiOperations.filter(({ path }) => /^\/(?:rooms|files)\/\{|\{roomId\}/.test(path))
  const requests = about.flatMap(({ id, path, methods, formField }) =>
    methods.map((method): Request => {
      const named = path
        .replace('/rooms/{id}', `/rooms/${room}`)
        .replace('{roomId}', room)
        .replace('{messageId}', message)
        .replace('/files/{id}/{name}', `/files/${file}/${FILE_NAME}`)
        .replace('{userId}', bob.user.id)
        .replace('{emoji}', encodeURIComponent('👍'))
        .replace('{invitationId}', crypto.randomUUID())
      const form = new FormData()
      if (formField !== undefined) form.append(formField, new Blob(['text']), 'a.txt')
      return {
        id,
        method,
        path: API_PATH + named + (QUERIES[id] ?? ''),
        body: formField === undefined ? BODIES[id] : form,
      }
    }),
  )
  const get = (id: string, path: string) => ({ id, method: 'GET', path: API_PATH + path, body: undefined })
  return [
    ...requests,
    get('searchMessages', `/search?q=${WORD}&room=${room}`),
    get('listMessages', `/rooms/${room}/messages?around=${message}`),
    get('listRoomEvents', `/rooms/${room}/events?after=0&limit=200`),
  ]
}

/** Everything in which two answers could differ, without the number of the request. */
async function answerTo(browser: Browser, { method, path, body }: Request): Promise<string> {
  const response = await browser.send(path, { method, body })
  response.headers.delete('x-request-id')
  return JSON.stringify([response.status, [...response.headers], await response.text()])
}

const missing = () => ({ room: crypto.randomUUID(), message: crypto.randomUUID(), file: crypto.randomUUID() })

describe('R37.3: a direct conversation does not exist for others', () => {
  for (const other of OTHERS)
    test(`by any route: ${other}`, async () => {
      const [real, random] = [requestsWith(ids), requestsWith(missing())]
      expect(real.length).toBeGreaterThan(35)
      for (const [index, request] of real.entries()) {
        const { id, method, path } = request
        const seen = await observe(others[other], request)
        // Neither does its time show anything.
        expect([id, seen]).toEqual([id, await observe(others[other], random[index] ?? request)])
        const { answer } = seen
        const [status] = JSON.parse(answer) as [number]
        const isRefusedBefore = other === 'guest' && status === 403 && answer.includes('guest_not_permitted')
        const isForAdmins = id === 'takeOverRoom' && other !== 'administrator'
        const expected = other === 'ended session' ? 401 : isForAdmins || isRefusedBefore ? 403 : 404
        expect([method, path, status]).toEqual([method, path, expected])
      }
    })

  test('by any list, search, export or page', async () => {
    const lists = apiOperations.filter(({ methods, path }) => methods.includes('GET') && !path.includes('{'))
    const query = `?q=${WORD}&limit=100&preview=true`
    for (const other of OTHERS) {
      const paths = [
        ...lists.map(({ path }) => API_PATH + path),
        ...lists.map(({ path }) => API_PATH + path + query),
        `/api/rooms?followed=true&q=`,
        `/api/admin/rooms?q=${ids.room}`,
        `/api/admin/users/${ada.user.id}/sessions`,
        `/api/people/${ada.user.id}`,
        `/rooms/${ids.room}`,
        '/',
      ]
      for (const path of paths) {
        const response = await others[other].send(path)
        const text = (await response.text()).replaceAll(path, '')
        for (const secret of secrets()) expect([path, text.includes(secret)]).toEqual([path, false])
        // A name is in the lists of people, but never as that of a room.
        if (!/\/(?:users|people)/.test(path))
          expect([path, text.includes('Bartholomew')]).toEqual([path, false])
      }
    }
  })

  test('by any frame', async () => {
    for (const [index, socket] of sockets.entries()) {
      const isEnded = OTHERS[index] === 'ended session'
      const text = JSON.stringify(socket.frames)
      for (const secret of [...secrets(), ada.user.id, bob.user.id]) expect(text).not.toContain(secret)
      if (isEnded) continue
      for (const request of FRAMES) {
        const ask = (roomId: string) => socket.ask({ ...request, roomId })
        const [one, two] = [await ask(ids.room), await ask(crypto.randomUUID())]
        expect({ ...one, id: '', roomId: '' }).toEqual({ ...two, id: '', roomId: '' })
        expect(one['code']).not.toBe('invalid_request')
      }
      socket.send({ type: 'typing', roomId: ids.room, active: true })
      await socket.settle()
      expect(JSON.stringify(socket.frames.filter(({ type }) => type !== 'unsubscribed'))).not.toContain(WORD)
    }
  })

  test('R37.3a: in logs, metrics, the audit log, and what nodes send each other', async () => {
    const metrics = await rooms.rooms.metrics.registry.metrics()
    const audit = await rooms.rooms.database.read.selectFrom('audit_events').selectAll().execute()
    expect(audit.length).toBeGreaterThan(0)
    for (const text of [metrics, JSON.stringify(audit), rooms.logLines.join('\n')])
      for (const secret of secrets()) expect(text.includes(secret)).toBe(false)
    const sent = rooms.publishedEvents.map((event) => JSON.stringify(toRemoteEvent(event))).join('\n')
    // Other nodes learn that a room has something new, to read it themselves.
    expect(sent).toContain(ids.room)
    const { direct_key } = await rooms.rooms.database.read
      .selectFrom('rooms')
      .select('direct_key')
      .where('id', '=', ids.room)
      .executeTakeFirstOrThrow()
    for (const secret of [ids.message, ids.file, WORD, FILE_NAME, '🦩', 'Bartholomew', String(direct_key)])
      expect(sent.includes(secret)).toBe(false)
  })
})

test('R37.4a: unknown, disabled, guest, and who blocks the caller are one answer, equal in bytes, after the same statements', async () => {
  const { database } = rooms.rooms
  const [caller, disabled, blocker] = [
    await member(rooms, 'Cora'),
    await member(rooms, 'Dora'),
    await member(rooms, 'Bea'),
  ]
  await database.write((tx) =>
    tx.updateTable('users').set({ disabled: 1 }).where('id', '=', disabled.user.id).execute(),
  )
  await succeed(blocker.browser.send(`/api/blocks/${caller.user.id}`, { method: 'PUT' }))
  const userIds = [crypto.randomUUID(), disabled.user.id, (await guest(rooms)).user.id, blocker.user.id]
  const post = (...people: string[]) =>
    observe(caller.browser, {
      id: 'openDirect',
      method: 'POST',
      path: `${API_PATH}/directs`,
      body: { userIds: people },
    })
  // Alone, and in a set with a person who can be addressed.
  for (const more of [[], [ada.user.id]]) {
    const seen: Awaited<ReturnType<typeof observe>>[] = []
    for (const userId of userIds) seen.push(await post(userId, ...more))
    const [first] = seen
    expect(first?.answer).toStartWith('[404,')
    expect(first?.executed.length).toBeGreaterThan(1)
    expect(seen).toEqual(seen.map(() => first as (typeof seen)[number]))
  }
  expect((await post(ada.user.id)).answer).toStartWith('[201,')
})
