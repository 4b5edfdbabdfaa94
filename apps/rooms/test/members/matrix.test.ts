// Every operation on members, bans, invitations and owners, by every kind of user, against the
// permission matrix (R17.4).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { AnyOperation } from '@latchkey/http/operation'
import type { Context } from '../../src/api/context.ts'
import { invitationOperations } from '../../src/invitations/operations.ts'
import { DEFAULT_LIMITS, type LimitName } from '../../src/api/limits.ts'
import { memberOperations } from '../../src/members/operations.ts'
import { moderationOperations } from '../../src/members/moderation/operations.ts'
import { ownershipOperations } from '../../src/members/ownership/operations.ts'
import {
  type TestUser,
  admin,
  ban,
  createRoom,
  guest,
  join,
  makeMember,
  member,
  offerRoom,
  refusal,
  succeed,
} from '../actions.ts'
import { addressOf } from '../operations/actors.ts'
import { type Browser, type TestRooms, openRooms } from '../rooms.ts'
import { stateOf } from './state.ts'

const OPERATIONS: readonly AnyOperation<Context>[] = [
  ...memberOperations,
  ...moderationOperations,
  ...invitationOperations,
  ...ownershipOperations,
]

/** The rows of R17.4: visitor, listener, speaker, moderator, owner, platform admin. */
const COLUMNS = ['visitor', 'listener', 'speaker', 'moderator', 'owner', 'admin'] as const
const MATRIX = {
  'list members': 'no yes yes yes yes yes',
  'search people; create, list, revoke invitations as speaker or listener': 'no no no yes yes yes',
  'the same for the role moderator': 'no no no no yes yes',
  'set speaker or listener': 'no no no yes yes yes',
  'promote to or demote from moderator': 'no no no no yes yes',
  'kick, ban, unban visitors, listeners, speakers': 'no no no yes yes yes',
  'kick, ban, unban moderators': 'no no no no yes yes',
  'settings, delete room, request transfer': 'no no no no yes yes',
  'takeover with a reason': 'no no no no no yes',
} as const
type Row = keyof typeof MATRIX

const ACTORS = ['signed out', 'guest visitor', 'guest owner', 'outsider', 'banned', ...COLUMNS] as const
type Actor = (typeof ACTORS)[number]
type Outcome = 'yes' | readonly [number, string]

/** The column of this actor in the matrix. */
function columnOf(actor: Actor): (typeof COLUMNS)[number] {
  if (actor === 'guest owner') return 'owner'
  return COLUMNS.find((column) => column === actor) ?? 'visitor'
}

function isAllowed(row: Row, actor: Actor): boolean {
  return MATRIX[row].split(' ')[COLUMNS.indexOf(columnOf(actor))] === 'yes'
}

function isGuest(actor: Actor): boolean {
  return actor.startsWith('guest ')
}

/** A room with this actor in it, and a target. */
interface Stage {
  roomId: string
  owner: TestUser
  target: TestUser
  invitationId: string
  token: string
}

interface Case {
  id: string
  what: string
  /** The state of the target before the request. */
  target?: 'visitor' | 'listener' | 'moderator' | 'owner' | 'barred' | 'barred moderator' | 'nothing'
  body?: (stage: Stage) => Record<string, unknown>
  query?: string
  /** An invitation of this role, for the target or as a link, or a transfer to the target. */
  offer?: 'link' | 'moderator link' | 'targeted' | 'transfer'
  expected: (actor: Actor) => Outcome
  /** Whether there is nothing to do for an actor who is permitted. */
  isDone?: (actor: Actor) => boolean
}

/** Follows a row of the matrix. Actors who may not enter get the refusal of entering first. */
function by(row: Row, whenAllowed: Outcome = 'yes') {
  return (actor: Actor): Outcome => {
    if (actor === 'outsider') return [404, 'not_found']
    if (actor === 'banned') return [403, 'banned']
    return isAllowed(row, actor) ? whenAllowed : [403, 'forbidden']
  }
}

/** Refuses guests, for operations that no guest may use. */
function notForGuests(expected: (actor: Actor) => Outcome) {
  return (actor: Actor): Outcome => (isGuest(actor) ? [403, 'guest_not_permitted'] : expected(actor))
}

const SEARCH = 'search people; create, list, revoke invitations as speaker or listener'
const REMOVE = 'kick, ban, unban visitors, listeners, speakers'
const role = (name: string) => () => ({ role: name })

const CASES: readonly Case[] = [
  {
    id: 'listMembers',
    what: 'lists members',
    // R14.5: of guests, only the owner.
    expected: (actor) => (actor === 'guest visitor' ? [403, 'forbidden'] : by('list members')(actor)),
  },
  { id: 'searchPeople', what: 'searches', query: '?q=target', expected: notForGuests(by(SEARCH)) },
  ...(['visitor', 'listener'] as const).flatMap((target): Case[] => [
    {
      id: 'changeMemberRole',
      what: `makes a ${target} a speaker`,
      target,
      body: role('speaker'),
      expected: by('set speaker or listener'),
    },
    {
      id: 'changeMemberRole',
      what: `makes a ${target} a moderator`,
      target,
      body: role('moderator'),
      expected: by('promote to or demote from moderator'),
    },
  ]),
  {
    id: 'changeMemberRole',
    what: 'makes a moderator a speaker',
    target: 'moderator',
    body: role('speaker'),
    expected: by('promote to or demote from moderator'),
  },
  {
    id: 'changeMemberRole',
    what: 'makes the owner a speaker',
    target: 'owner',
    body: role('speaker'),
    expected: by('set speaker or listener', [409, 'target_is_owner']),
  },
  {
    id: 'becomeMember',
    what: 'becomes a member',
    expected: (actor) => {
      if (actor === 'outsider') return [404, 'not_found']
      return actor === 'banned' ? [403, 'banned'] : 'yes'
    },
    isDone: (actor) => !['visitor', 'guest visitor', 'admin'].includes(actor),
  },
  {
    id: 'endMembership',
    what: 'gives up the own membership',
    expected: (actor) => {
      if (['listener', 'speaker', 'moderator'].includes(actor)) return 'yes'
      return columnOf(actor) === 'owner' ? [409, 'owner_must_transfer'] : [404, 'not_found']
    },
  },
  ...(['kick', 'ban'] as const).flatMap((action): Case[] => [
    ...(['visitor', 'listener', 'nothing', 'barred'] as const).map((target): Case => ({
      id: 'removePerson',
      what: `removes with a ${action} who is ${target}`,
      target,
      body: () => ({ action }),
      expected: by(REMOVE),
    })),
    ...(['moderator', 'barred moderator'] as const).map((target): Case => ({
      id: 'removePerson',
      what: `removes with a ${action} who is ${target}`,
      target,
      body: () => ({ action }),
      expected: by('kick, ban, unban moderators'),
    })),
    {
      id: 'removePerson',
      what: `removes the owner with a ${action}`,
      target: 'owner',
      body: () => ({ action }),
      expected: by(REMOVE, [409, 'target_is_owner']),
    },
  ]),
  { id: 'listBans', what: 'lists bans', target: 'barred', expected: by(REMOVE) },
  { id: 'liftBan', what: 'readmits a listener', target: 'barred', expected: by(REMOVE) },
  {
    id: 'liftBan',
    what: 'readmits a moderator',
    target: 'barred moderator',
    expected: by('kick, ban, unban moderators'),
  },
  ...(['inviteUser', 'createInvitationLink'] as const).flatMap((id): Case[] => [
    ...['listener', 'speaker'].map((name): Case => ({
      id,
      what: `invites as ${name}`,
      body: ({ target }) => ({ role: name, ...(id === 'inviteUser' && { userId: target.user.id }) }),
      expected: id === 'inviteUser' ? notForGuests(by(SEARCH)) : by(SEARCH),
    })),
    {
      id,
      what: 'invites as moderator',
      body: ({ target }) => ({ role: 'moderator', ...(id === 'inviteUser' && { userId: target.user.id }) }),
      expected:
        id === 'inviteUser'
          ? notForGuests(by('the same for the role moderator'))
          : by('the same for the role moderator'),
    },
  ]),
  { id: 'listInvitations', what: 'lists invitations', offer: 'link', expected: by(SEARCH) },
  { id: 'revokeInvitation', what: 'revokes one as speaker', offer: 'link', expected: by(SEARCH) },
  {
    id: 'revokeInvitation',
    what: 'revokes one as moderator',
    offer: 'moderator link',
    expected: by('the same for the role moderator'),
  },
  { id: 'listPendingInvitations', what: 'sees the own ones', expected: notForGuests(() => 'yes') },
  { id: 'previewInvitation', what: 'looks at a link', offer: 'link', expected: () => 'yes' },
  {
    id: 'acceptInvitation',
    what: 'accepts a link as speaker',
    offer: 'link',
    expected: (actor) => {
      if (actor === 'banned') return [403, 'banned']
      return ['speaker', 'moderator', 'owner', 'guest owner'].includes(actor)
        ? [409, 'already_member']
        : 'yes'
    },
  },
  {
    id: 'acceptInvitation',
    what: 'accepts what is for somebody else',
    offer: 'targeted',
    expected: notForGuests(() => [404, 'not_found']),
  },
  {
    id: 'declineInvitation',
    what: 'declines what is for somebody else',
    offer: 'targeted',
    expected: notForGuests(() => [404, 'not_found']),
  },
  {
    id: 'requestTransfer',
    what: 'offers the room',
    target: 'listener',
    body: ({ target }) => ({ userId: target.user.id }),
    expected: by('settings, delete room, request transfer'),
  },
  {
    id: 'cancelTransfer',
    what: 'withdraws the offer',
    target: 'listener',
    offer: 'transfer',
    expected: by('settings, delete room, request transfer'),
  },
  ...(['declineTransfer', 'confirmTransfer'] as const).map((id): Case => ({
    id,
    what: 'answers an offer to somebody else',
    target: 'listener',
    offer: 'transfer',
    expected: notForGuests(() => [404, 'not_found']),
  })),
  { id: 'listPendingTransfers', what: 'sees the own ones', expected: notForGuests(() => 'yes') },
  {
    id: 'listAllRooms',
    what: 'lists all rooms',
    expected: (actor) => (actor === 'admin' ? 'yes' : [403, 'forbidden']),
  },
  {
    id: 'takeOverRoom',
    what: 'takes the room over',
    body: () => ({ reason: 'The owner is gone' }),
    expected: (actor) => (isAllowed('takeover with a reason', actor) ? 'yes' : [403, 'forbidden']),
  },
]

test('the matrix covers every operation', () => {
  expect(new Set(CASES.map(({ id }) => id))).toEqual(new Set(OPERATIONS.map(({ id }) => id)))
})

const WITHOUT_RATES = Object.fromEntries(
  Object.keys(DEFAULT_LIMITS)
    .filter((name) => /_per_|^rooms_owned$|^guest_rooms$/.test(name))
    .map((name) => [name, 1_000_000]),
) as Record<LimitName, number>

let rooms: TestRooms
let people: Record<Exclude<Actor, 'signed out'>, TestUser>
let host: TestUser
beforeAll(async () => {
  rooms = await openRooms({ limits: WITHOUT_RATES })
  host = await member(rooms, 'Host')
  people = {
    'guest visitor': await guest(rooms, 'Gustav'),
    'guest owner': await guest(rooms, 'Greta'),
    outsider: await member(rooms, 'Otto'),
    banned: await member(rooms, 'Berta'),
    visitor: await member(rooms, 'Vera'),
    listener: await member(rooms, 'Lisa'),
    speaker: await member(rooms, 'Sven'),
    moderator: await member(rooms, 'Mona'),
    owner: await member(rooms, 'Olga'),
    admin: await admin(rooms),
  }
})
afterAll(() => rooms.close())

async function stageFor(actor: Actor, { target, offer }: Case): Promise<Stage> {
  const owner = columnOf(actor) === 'owner' && actor !== 'signed out' ? people[actor] : host
  const visibility = actor === 'outsider' ? 'private' : 'public'
  const { id: roomId } = await createRoom(owner, { visibility })
  const stage = { roomId, owner, target: owner, invitationId: '', token: '' }
  if (target !== 'owner') stage.target = await createTarget(roomId, target ?? 'nothing')
  await prepareActor(roomId, actor)
  if (offer === 'transfer') await offerTo(stage)
  else if (offer) Object.assign(stage, await invite(stage, offer))
  rooms.publishedEvents.length = 0
  return stage
}

async function createTarget(
  roomId: string,
  as: Exclude<Case['target'], undefined | 'owner'>,
): Promise<TestUser> {
  const target = await member(rooms, 'Target')
  if (as === 'visitor') await join(target, roomId)
  else if (as === 'listener' || as === 'moderator') await makeMember(rooms, roomId, target, as)
  else if (as === 'barred') await ban(rooms, roomId, target)
  else if (as === 'barred moderator') {
    await ban(rooms, roomId, target)
    await rooms.rooms.database.write((tx) =>
      tx
        .updateTable('room_bans')
        .set({ role_held: 'moderator' })
        .where('user_id', '=', target.user.id)
        .execute(),
    )
  }
  return target
}

async function prepareActor(roomId: string, actor: Actor): Promise<void> {
  if (actor === 'visitor' || actor === 'guest visitor') await join(people[actor], roomId)
  else if (actor === 'banned') await ban(rooms, roomId, people[actor])
  else if (actor === 'listener' || actor === 'speaker' || actor === 'moderator')
    await makeMember(rooms, roomId, people[actor], actor)
}

async function offerTo({ roomId, owner, target }: Stage): Promise<void> {
  await succeed(offerRoom(owner, roomId, target), 201)
}

async function invite(
  { roomId, owner, target }: Stage,
  offer: string,
): Promise<Pick<Stage, 'invitationId' | 'token'>> {
  const [path, body] =
    offer === 'targeted'
      ? ['users', { userId: target.user.id }]
      : ['links', { role: offer === 'moderator link' ? 'moderator' : 'speaker' }]
  // Guests who own a room cannot invite users by name.
  const inviter = offer === 'targeted' ? people.admin : owner
  const made = await inviter.browser.json<{ invitation: { id: string }; token?: string }>(
    `/api/rooms/${roomId}/invitations/${path}`,
    { body },
    201,
  )
  return { invitationId: made.invitation.id, token: made.token ?? '' }
}

function request(browser: Browser, { id, body, query = '' }: Case, stage: Stage): Promise<Response> {
  const operation = OPERATIONS.find((each) => each.id === id)
  if (!operation) throw new Error(id)
  const { roomId, target, invitationId, token } = stage
  const params = {
    id: roomId,
    roomId,
    userId: target.user.id,
    invitationId,
    token,
    invitation: token || invitationId,
  }
  return browser.send(addressOf(operation, params) + query, {
    method: operation.methods[0],
    ...(body && { body: body(stage) }),
  })
}

/** What this actor gets for this case. */
function outcomeFor(actor: Actor, { id, expected }: Case): Outcome {
  const isPublic = OPERATIONS.find((operation) => operation.id === id)?.scope === 'public'
  return actor === 'signed out' && !isPublic ? [401, 'unauthenticated'] : expected(actor)
}

const isRead = ({ id }: Case) => OPERATIONS.find((operation) => operation.id === id)?.methods[0] === 'GET'

for (const actor of ACTORS)
  describe(`R27.4, R17.4: as ${actor},`, () => {
    const send = (each: Case, stage: Stage) => {
      const browser = actor === 'signed out' ? rooms.browser({ ip: '203.0.113.250' }) : people[actor].browser
      return request(browser, each, stage)
    }

    test('what the matrix refuses is refused with its code, and nothing changes', async () => {
      const refused = CASES.filter((each) => outcomeFor(actor, each) !== 'yes')
      const stages = new Map<string, Stage>()
      for (const each of refused) {
        const key = `${each.target} ${each.offer}`
        if (!stages.has(key)) stages.set(key, await stageFor(actor, each))
      }
      const before = await stateOf(rooms)
      for (const each of refused) {
        const stage = stages.get(`${each.target} ${each.offer}`) as Stage
        const answer: Outcome = (await refusal(await send(each, stage))) as [number, string]
        expect([each.what, answer]).toEqual([each.what, outcomeFor(actor, each)])
      }
      expect(await stateOf(rooms)).toEqual(before)
    })

    test('what the matrix allows is done, and only writes change anything', async () => {
      for (const each of CASES.filter((one) => outcomeFor(actor, one) === 'yes')) {
        const stage = await stageFor(actor, each)
        const before = await stateOf(rooms)
        const response = await send(each, stage)
        const text = await response.text()
        expect([each.what, response.ok || text]).toEqual([each.what, true])
        const isUnchanged = isRead(each) || each.isDone?.(actor) === true
        expect([each.what, Bun.deepEquals(await stateOf(rooms), before)]).toEqual([each.what, isUnchanged])
      }
    })
  })
