// Every operation on messages, by every kind of user, against the permission matrix (R17.4, R34).
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { DEFAULT_LIMITS, type LimitName } from '../../src/api/limits.ts'
import { messageOperations } from '../../src/messages/operations.ts'
import {
  type TestUser,
  admin,
  ban,
  changeSettings,
  createMessage,
  createRoom,
  editMessage,
  guest,
  keepVisitor,
  makeMember,
  member,
  pin,
  react,
  refusal,
  succeed,
} from '../actions.ts'
import { expectRefused, stateOf } from '../members/state.ts'
import { addressOf } from '../operations/actors.ts'
import { type Browser, type TestRooms, openRooms } from '../rooms.ts'

const ACTORS = [
  'signed out',
  'outsider',
  'banned',
  'cooling',
  'unwanted guest',
  'latecomer',
  'guest',
  'guest owner',
  'visitor',
  'listener',
  'speaker',
  'moderator',
  'owner',
  'admin',
] as const
type Actor = (typeof ACTORS)[number]
type Outcome = 'yes' | readonly [number, string]

/** Outcomes of actors who may not enter. */
const ENTRY: Partial<Record<Actor, Outcome>> = {
  'signed out': [401, 'unauthenticated'],
  outsider: [404, 'not_found'],
  banned: [403, 'banned'],
  cooling: [403, 'cooldown'],
  'unwanted guest': [403, 'guests_not_allowed'],
}
const MODERATORS: ReadonlySet<Actor> = new Set(['guest owner', 'moderator', 'owner', 'admin'])

const everyone = (actor: Actor): Outcome => ENTRY[actor] ?? 'yes'
/** For those who may read the message, which is hidden from the latecomer. */
const readers = (actor: Actor): Outcome => (actor === 'latecomer' ? [404, 'not_found'] : everyone(actor))
const refusedToAll = (actor: Actor): Outcome => {
  const outcome = readers(actor)
  return outcome === 'yes' ? [403, 'forbidden'] : outcome
}
const moderators = (actor: Actor): Outcome => (MODERATORS.has(actor) ? readers(actor) : refusedToAll(actor))

/** Messages of the room: one of its owner, edited, pinned and with reactions, and one of the actor. */
interface Stage {
  roomId: string
  messageId: string
  ownId: string
}

interface Case {
  id: (typeof messageOperations)[number]['id']
  what: string
  expected: (actor: Actor) => Outcome
  isOwn?: boolean
  body?: (stage: Stage) => Record<string, unknown>
  query?: (stage: Stage) => string
}

/** In this order, in one room. Writes that are allowed change something each. */
const CASES: readonly Case[] = [
  { id: 'listMessages', what: 'reads the newest page', expected: everyone },
  {
    id: 'listMessages',
    what: 'reads around a message',
    expected: readers,
    query: ({ messageId }) => `?around=${messageId}`,
  },
  { id: 'listRoomEvents', what: 'reads the log', expected: everyone },
  { id: 'listPins', what: 'lists pins', expected: everyone },
  { id: 'listReactions', what: 'lists reactions', expected: readers },
  { id: 'listMessageVersions', what: 'reads earlier texts', expected: moderators },
  { id: 'addReaction', what: 'reacts', expected: readers },
  { id: 'removeReaction', what: 'takes the reaction back', expected: readers },
  { id: 'unpinMessage', what: 'unpins', expected: moderators },
  { id: 'pinMessage', what: 'pins', expected: moderators },
  {
    id: 'editMessage',
    what: 'edits the message of another',
    expected: refusedToAll,
    body: () => ({ content: 'Theirs' }),
  },
  {
    id: 'editMessage',
    what: 'edits the own message',
    expected: readers,
    isOwn: true,
    body: () => ({ content: 'Mine' }),
  },
  { id: 'postMessage', what: 'posts', expected: everyone, body: () => ({ content: 'Hello' }) },
  {
    id: 'postMessage',
    what: 'replies',
    expected: readers,
    body: ({ messageId }) => ({ content: 'A reply', replyTo: messageId }),
  },
  { id: 'deleteMessage', what: 'deletes the message of another', expected: moderators },
  { id: 'deleteMessage', what: 'deletes the own message', expected: everyone, isOwn: true },
]

test('R27.4: the matrix covers every operation on messages', () => {
  expect(new Set(CASES.map(({ id }) => id))).toEqual(new Set(messageOperations.map(({ id }) => id)))
})

const WITHOUT_RATES = Object.fromEntries(
  Object.keys(DEFAULT_LIMITS)
    .filter((name) => /_per_|^rooms_owned$|^guest_rooms$/.test(name))
    .map((name) => [name, 1_000_000]),
) as Record<LimitName, number>

let rooms: TestRooms
let host: TestUser
beforeAll(async () => {
  rooms = await openRooms({ limits: WITHOUT_RATES })
  host = await member(rooms, 'Host')
})
afterAll(() => rooms.close())

async function stageFor(actor: Actor): Promise<Stage & { browser: Browser }> {
  const isGuest = actor.includes('guest')
  const who =
    actor === 'admin' ? await admin(rooms) : isGuest ? await guest(rooms) : await member(rooms, actor)
  const owner = actor.endsWith('owner') ? who : host
  const { id: roomId } = await createRoom(owner)
  const { id: messageId } = await createMessage(host, roomId, 'Secret one')
  await succeed(editMessage(host, roomId, messageId, 'Secret two'))
  await succeed(react(host, roomId, messageId, '🎉'))
  await succeed(pin(owner, roomId, messageId))
  if (who !== owner) await keepVisitor(rooms, roomId, who)
  const { id: ownId } = await createMessage(who, roomId, 'Own words')
  await prepare(actor, who, roomId)
  const browser = actor === 'signed out' ? rooms.browser({ ip: '203.0.113.250' }) : who.browser
  return { roomId, messageId, ownId, browser }
}

async function prepare(actor: Actor, who: TestUser, roomId: string): Promise<void> {
  const change = (body: object) => succeed(changeSettings(host, roomId, body))
  if (actor === 'outsider') await change({ visibility: 'private' })
  if (actor === 'unwanted guest') await change({ allowGuests: false })
  if (actor === 'latecomer') {
    await change({ historyVisibility: 'since_membership' })
    await makeMember(rooms, roomId, who, 'moderator')
  }
  if (actor === 'banned') await ban(rooms, roomId, who)
  if (actor === 'cooling') await ban(rooms, roomId, who, { untilMs: rooms.clock.ms + 600_000 })
  if (actor === 'listener' || actor === 'speaker' || actor === 'moderator')
    await makeMember(rooms, roomId, who, actor)
}

const send = (browser: Browser, each: Case, stage: Stage): Promise<Response> => {
  const operation = messageOperations.find(({ id }) => id === each.id)
  if (!operation) throw new Error(each.id)
  const { roomId: id, messageId, ownId } = stage
  const params = { id, messageId: each.isOwn ? ownId : messageId, emoji: '👍' }
  return browser.send(addressOf(operation, params) + (each.query?.(stage) ?? ''), {
    method: operation.methods[0],
    ...(each.body && { body: each.body(stage) }),
  })
}

for (const actor of ACTORS)
  test(`R27.4, R17.4, R34: as ${actor}, every operation on messages follows the matrix, and a refused one changes nothing`, async () => {
    const { browser, ...stage } = await stageFor(actor)
    for (const each of CASES) {
      const outcome = each.expected(actor)
      if (outcome !== 'yes') {
        const refused = (await refusal(await send(browser, each, stage))) as [number, string]
        expect([each.what, refused]).toEqual([each.what, [...outcome]])
        await expectRefused(rooms, () => send(browser, each, stage), refused)
        continue
      }
      const before = await stateOf(rooms)
      const response = await send(browser, each, stage)
      const text = await response.text()
      expect([each.what, response.ok || text]).toEqual([each.what, true])
      const isRead = messageOperations.some(({ id, methods }) => id === each.id && methods[0] === 'GET')
      expect([each.what, Bun.deepEquals(await stateOf(rooms), before)]).toEqual([each.what, isRead])
      // Moderators read earlier texts by their own operation only.
      if (each.id !== 'listMessageVersions') expect(text).not.toContain('Secret one')
      if (actor === 'latecomer') expect(text).not.toContain('Secret')
    }
  })
