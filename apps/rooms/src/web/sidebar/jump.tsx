import { useDebouncedValue } from '@mantine/hooks'
import { Palette, type PaletteAction, type PaletteGroup, matches } from '@latchkey/web/parts/palette'
import { showError } from '@latchkey/web/toast'
import { useLocation } from 'wouter'
import { IconSearch } from '@latchkey/web/icons'
import { pages } from '../pages.tsx'
import { SEARCH_SHORTCUT, openSearch } from '../search/open-search.ts'
import { openDirect } from '../directs/open-direct.ts'
import type { Room } from '../live/frames.ts'
import { UserAvatar } from '../parts/person.tsx'
import { RoomMark } from '../parts/room-mark.tsx'
import { useCall } from '../queries.ts'
import type { User } from '../session.ts'
import { useText } from '../texts/text.ts'
import { useDirects, useFollowedRooms } from './lobby.ts'

interface Props {
  user: User
  isOpen: boolean
  close: () => void
}

/** Search for rooms and pages, on any page with Ctrl+K or Cmd+K. */
export default function Jump({ user, isOpen, close }: Props) {
  const { t } = useText()
  return (
    <Palette
      isOpen={isOpen}
      close={close}
      label={t('sidebar.jump')}
      useGroups={(query) => useGroups(query, user)}
    />
  )
}

const SEARCH_AFTER_MS = 150

function useGroups(query: string, user: User): PaletteGroup[] {
  const { t } = useText()
  const [, go] = useLocation()
  const followed = useFollowedRooms() ?? []
  const directs = useDirects() ?? []
  const [q] = useDebouncedValue(longestWord(query), SEARCH_AFTER_MS)
  const matching = useCall('rooms', 'listRooms', { query: { q, limit: 20 } }, q !== '').data?.rooms ?? []
  const listedIds = new Set([
    user.id,
    ...directs.flatMap(({ people }) => (people?.length === 1 ? people : [])).map(({ id }) => id),
  ])
  const people = usePeopleActions(q, user, listedIds)
  const toAction = ({ id, name, ...room }: Room): PaletteAction => ({
    id,
    label: name,
    icon: <RoomMark {...room} size={18} />,
    run: () => go(`/rooms/${id}`),
  })
  const filter = (actions: readonly PaletteAction[]) =>
    query === '' ? actions : actions.filter((action) => matches(query, action))
  const followedIds = new Set(followed.map(({ id }) => id))
  return [
    { label: t('sidebar.rooms'), actions: filter(followed.map(toAction)) },
    { label: t('sidebar.directs'), actions: filter(directs.map(toAction)) },
    {
      label: t('sidebar.otherRooms'),
      actions: query === '' ? [] : filter(matching.filter(({ id }) => !followedIds.has(id)).map(toAction)),
    },
    { label: t('room.people'), actions: query === '' ? [] : filter(people) },
    { label: t('nav.label'), actions: filter(usePageActions(user)) },
    {
      label: t('sidebar.messages'),
      actions: [
        {
          id: 'search',
          label: query === '' ? t('search.title') : t('search.for', { query }),
          icon: <IconSearch size={18} aria-hidden />,
          shortcut: SEARCH_SHORTCUT,
          run: () => openSearch({ q: query, ...(query !== '' && { room: '' }) }),
        },
      ],
    },
  ].filter(({ actions }) => actions.length > 0)
}

/** The server finds a part of a name. The other words are compared here. */
const longestWord = (query: string) =>
  query.split(/\s+/).reduce((longest, word) => (word.length > longest.length ? word : longest), '')

/** People with a part of their names, whose conversations open, without those whose conversations are listed. */
function usePeopleActions(q: string, user: User, listedIds: ReadonlySet<string>): PaletteAction[] {
  const { failure } = useText()
  const [, go] = useLocation()
  const isEnabled = q !== '' && user.identityType === 'oauth'
  const { data } = useCall('people', 'listPeople', { query: { q, limit: 10 } }, isEnabled)
  const people = isEnabled ? (data?.people ?? []) : []
  return people
    .filter(({ id }) => !listedIds.has(id))
    .map((person) => ({
      id: `person-${person.id}`,
      label: person.nickname,
      ...(person.title !== null && { description: person.title }),
      icon: <UserAvatar of={person} size={20} />,
      run: () => openDirect([person.id]).then(go, (error: unknown) => showError(failure(error))),
    }))
}

function usePageActions(user: User): PaletteAction[] {
  const { t } = useText()
  const [, go] = useLocation()
  return pages.flatMap(({ path, title, icon: Icon, isForAdmins, isForMembers }) =>
    !Icon || (isForAdmins && !user.platformAdmin) || (isForMembers && user.identityType === 'guest')
      ? []
      : {
          id: `page-${path.slice(1)}`,
          label: t(title),
          icon: <Icon size={18} aria-hidden />,
          run: () => go(path),
        },
  )
}
