import { useEffect, useState } from 'react'
import type { RoomStore } from '../../../live/room-store.ts'
import { useCall } from '../../../queries.ts'
import type { User } from '../../../session.ts'
import { useFollowedRooms } from '../../../sidebar/lobby.ts'
import { useText } from '../../../texts/text.ts'
import { type Room, rightsIn } from '../room.ts'
import { type Token, rankByName } from './completion.ts'
import { GROUP_REFERENCES, type References, personReference, roomReference } from './references.ts'
import type { Pictured } from '../../../parts/person.tsx'

/** What can complete a token. */
export interface Candidate {
  id: string
  name: string
  /** What stands in the field afterwards. */
  written: string
  references: References
  sign: { type: 'person'; person: Pictured } | { type: 'room' | 'group' | 'emoji'; text: string }
  help?: string
  /** Whether the name was typed in full. */
  isExact?: boolean
}

const MAX_CANDIDATES = 8

interface Options {
  room: Room
  user: User
  store: RoomStore
}

export function useCandidates(
  token: Token | undefined,
  { room, user, store }: Options,
): readonly Candidate[] {
  const people = usePeople(token?.kind === '@', { room, user, store })
  const rooms = useRooms(token?.kind === '#' ? token.query : undefined)
  const emoji = useEmoji(token?.kind === ':' ? token.query : undefined)
  if (!token) return []
  if (token.kind === ':') return emoji
  return rankByName(token.kind === '@' ? people : rooms, token.query, MAX_CANDIDATES)
}

/** People of the room: those present, those who have written, and its members as far as the user sees them. */
function usePeople(isEnabled: boolean, { room, user, store }: Options): Candidate[] {
  const { t } = useText()
  const may = rightsIn(room, user)
  const listed = useCall(
    'members',
    'listMembers',
    { params: { id: room.id } },
    isEnabled && may('list_members'),
  )
  if (!isEnabled) return []
  // Read now, not followed: typing must not depend on what happens in the room.
  const { present, messages } = store.state()
  const authors = messages.flatMap(({ userId, nickname, avatarColor, avatarUrl }) =>
    userId === null ? [] : { userId, nickname, avatarColor, avatarUrl },
  )
  const everyone = [...present.values(), ...(listed.data?.members ?? []), ...authors.toReversed()]
  const byId = new Map(everyone.toReversed().map((person) => [person.userId, person]))
  byId.delete(user.id)
  const people = [...byId.values()].toReversed().map((person): Candidate => ({
    id: person.userId,
    name: person.nickname,
    written: `@${person.nickname}`,
    references: personReference(person.userId, person.nickname),
    sign: { type: 'person', person },
  }))
  const groups = (['here', 'room'] as const).map((group): Candidate => ({
    id: group,
    name: group,
    written: `@${group}`,
    references: GROUP_REFERENCES,
    sign: { type: 'group', text: '@' },
    help: t(`room.mention.${group}`),
  }))
  return may('mention_group') ? [...people, ...groups] : people
}

function useRooms(query: string | undefined): Candidate[] {
  const followed = useFollowedRooms() ?? []
  const { data } = useCall(
    'rooms',
    'listRooms',
    { query: { q: query ?? '', limit: 20 } },
    (query ?? '') !== '',
  )
  const byId = new Map([...followed, ...(data?.rooms ?? [])].map((room) => [room.id, room]))
  if (query === undefined) return []
  return [...byId.values()].map(({ id, name }) => ({
    id,
    name,
    written: `#${name}`,
    references: roomReference(id, name),
    sign: { type: 'room', text: '#' },
  }))
}

function useEmoji(query: string | undefined): Candidate[] {
  const [search, setSearch] = useState<typeof import('../emoji/emoji-search.ts')>()
  useEffect(() => {
    // Without the list, the name stays as it was typed.
    if (query !== undefined && !search) import('../emoji/emoji-search.ts').then(setSearch, () => undefined)
  }, [query, search])
  if (query === undefined || !search) return []
  const exact = search.emojiNamed(query)
  return search.searchEmoji(query, MAX_CANDIDATES).map(({ emoji, name }) => ({
    id: name,
    name: `:${name}:`,
    written: emoji,
    references: {},
    sign: { type: 'emoji', text: emoji },
    isExact: emoji === exact,
  }))
}
