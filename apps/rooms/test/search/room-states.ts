import type { Insertable } from 'kysely'
import type {
  RoomBanRow,
  RoomMemberRow,
  RoomMessageRow,
  RoomRow,
  RoomVisitRow,
  Tables,
} from '../../src/db/tables.ts'
import { searchDocument } from '../../src/messages/search/document.ts'
import { findRoomAccess } from '../../src/rooms/access-store.ts'
import { readableAfterSeq, retainedAfterMs } from '../../src/rooms/history.ts'
import { decideEntry } from '../../src/rooms/permissions.ts'
import type { TestUser } from '../actions.ts'
import type { TestRooms } from '../rooms.ts'

const DAY = 86_400_000

/** Relations of a person to a room. */
const RELATIONS = [
  'stranger',
  'listener',
  'speaker',
  'moderator',
  'owner',
  'visitor',
  'former visitor',
  'banned',
  'kicked',
  'formerly kicked',
  'neighbour of a banned guest',
] as const
type Relation = (typeof RELATIONS)[number]

/** A room with two messages before the person joined or arrived, the first of them old, and one after. */
export interface RoomState {
  id: string
  name: string
  /** The texts, oldest first. */
  messages: RoomMessageRow[]
}

const HISTORIES = [
  { history_visibility: 'all', retention_days: 7 },
  { history_visibility: 'all', retention_days: null },
  { history_visibility: 'since_membership', retention_days: null },
  { history_visibility: 'none', retention_days: 30 },
] as const

const ROOM_SETTINGS = (['public', 'unlisted', 'private'] as const).flatMap((visibility) =>
  ([0, 1] as const).flatMap((allow_guests) =>
    HISTORIES.map((history) => ({ visibility, allow_guests, ...history })),
  ),
)

/** A person whose relations to rooms are tested, and the owner of the rooms. */
interface People {
  owner: TestUser
  who: TestUser
  clientPrefix: string
}

interface RoomRows extends RoomState {
  room: RoomRow & { search_name: string }
  member: RoomMemberRow | undefined
  visit: RoomVisitRow | undefined
  ban: RoomBanRow | undefined
}

/** Rooms with all combinations of settings and relations of this person. */
export async function insertRooms({ rooms, clock }: TestRooms, people: People): Promise<RoomState[]> {
  const states = ROOM_SETTINGS.flatMap((settings) =>
    RELATIONS.map((relation) => rowsOf({ ...people, relation, nowMs: clock.ms }, settings)),
  )
  await rooms.database.write(async (tx) => {
    const insert = async <
      Table extends
        | 'rooms'
        | 'room_members'
        | 'room_visits'
        | 'room_bans'
        | 'room_messages'
        | 'message_search',
    >(
      table: Table,
      rows: Insertable<Tables[Table]>[],
    ) => void (await tx.insertInto(table).values(rows).execute())
    await insert(
      'rooms',
      states.map(({ room }) => room),
    )
    await insert(
      'room_members',
      states.flatMap(({ member }) => member ?? []),
    )
    await insert(
      'room_visits',
      states.flatMap(({ visit }) => visit ?? []),
    )
    await insert(
      'room_bans',
      states.flatMap(({ ban }) => ban ?? []),
    )
    const messages = states.flatMap((state) => state.messages)
    await insert('room_messages', messages)
    await insert('message_search', messages.map(documentOf))
  })
  return states
}

function documentOf(message: RoomMessageRow): Insertable<Tables['message_search']> {
  const { room_id, seq, created_at, content } = message
  return { room_id, seq, created_at, doc: searchDocument({ ...message, content: content ?? '' }) }
}

type Case = People & { relation: Relation; nowMs: number }

function rowsOf(
  person: Case,
  settings: Pick<RoomRow, 'visibility' | 'allow_guests' | 'history_visibility' | 'retention_days'>,
): RoomRows {
  const { owner, who, relation, nowMs } = person
  const id = crypto.randomUUID()
  const name = `${Object.values(settings).join(' ')}, ${relation}`
  const key = { room_id: id, user_id: who.user.id }
  const room = {
    ...settings,
    id,
    kind: 'room' as const,
    name,
    search_name: name,
    topic: null,
    archived_at: null,
    is_default: 0 as const,
    direct_key: null,
    max_retention_days: null,
    max_retention_from: null,
    max_retention_before: null,
    created_by: owner.user.id,
    owner_id: relation === 'owner' ? who.user.id : owner.user.id,
    owner_since: nowMs,
    voice: 'video' as const,
    voice_screen: 1 as const,
    voice_guests: 'listen' as const,
    max_participants: 50,
    default_role: 'speaker' as const,
    last_seq: 3,
    created_at: nowMs,
    active_at: nowMs,
  }
  const messages = [8 * DAY, 60_000, 1_000].map((ageMs, at): RoomMessageRow => ({
    id: crypto.randomUUID(),
    room_id: id,
    seq: at + 1,
    user_id: owner.user.id,
    author_name: '#',
    author_guest: 0,
    content: `w${who.user.id.slice(0, 8)} ${at + 1}`,
    client_id: null,
    created_at: nowMs - ageMs,
    edited_at: null,
    reply_to: null,
    reactions: null,
    pinned_seq: null,
    group_mention: null,
    file_count: null,
    deleted_at: null,
    deleted_by: null,
  }))
  const membership = membershipOf(relation)
  const visit = visitOf(relation, nowMs)
  const ban = banOf(person)
  return {
    id,
    name,
    room,
    messages,
    member: membership && { ...key, ...membership, joined_at: nowMs, group_name: null, own_role: null },
    visit: visit && { ...key, ...visit },
    ban: ban && { room_id: id, ...ban },
  }
}

function membershipOf(relation: Relation): Pick<RoomMemberRow, 'role' | 'joined_seq'> | undefined {
  if (relation !== 'listener' && relation !== 'speaker' && relation !== 'moderator') return undefined
  return { role: relation, joined_seq: 2 }
}

function visitOf(
  relation: Relation,
  nowMs: number,
): Pick<RoomVisitRow, 'started_at' | 'started_seq' | 'ended_at'> | undefined {
  if (relation !== 'visitor' && relation !== 'former visitor' && relation !== 'moderator') return undefined
  return { started_at: nowMs, started_seq: 2, ended_at: relation === 'former visitor' ? nowMs : null }
}

function banOf({ owner, who, clientPrefix, relation, nowMs }: Case): Omit<RoomBanRow, 'room_id'> | undefined {
  const ban = { role_held: null, guest_prefix: null, reason: null, banned_by: null, created_at: nowMs }
  const own = { ...ban, user_id: who.user.id }
  if (relation === 'banned') return { ...own, kind: 'ban', expires_at: null }
  if (relation === 'kicked') return { ...own, kind: 'kick', expires_at: nowMs + 60_000 }
  if (relation === 'formerly kicked') return { ...own, kind: 'kick', expires_at: nowMs }
  if (relation !== 'neighbour of a banned guest') return undefined
  return { ...ban, user_id: owner.user.id, kind: 'ban', guest_prefix: clientPrefix, expires_at: null }
}

/** What the rules of reading a room say about this person. */
export async function readable(
  { rooms: { database }, clock }: TestRooms,
  { who: { user }, clientPrefix }: Pick<People, 'who' | 'clientPrefix'>,
  { id, messages }: RoomState,
): Promise<{ refusal?: string; entered: (string | null)[]; listed: (string | null)[] }> {
  const query = { userId: user.id, clientPrefix, nowMs: clock.ms }
  const access = await findRoomAccess(database.read, id, query)
  if (!access) throw new Error('No such room')
  const visitor = { ...access, isAdmin: access.isAdmin && access.role !== null }
  const textsFor = (reader: typeof access) =>
    decideEntry(reader) === 'yes'
      ? messages
          .filter(
            ({ seq, created_at }) =>
              seq > readableAfterSeq(reader) && created_at > retainedAfterMs(reader.room, clock.ms),
          )
          .map(({ content }) => content)
          .toReversed()
      : []
  const isListed = access.visibility === 'public' || access.role !== null
  const entry = decideEntry(access)
  return {
    ...(entry !== 'yes' && { refusal: entry }),
    entered: textsFor(access),
    listed: isListed ? textsFor(visitor) : [],
  }
}
