import { useSyncExternalStore } from 'react'
import type { RoomStore } from '../../../live/room-store.ts'
import { PersonName } from '../../../people/person-name.tsx'
import { UserAvatar } from '../../../parts/person.tsx'
import type { User } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'
import type { Room } from '../room.ts'

interface Props {
  people: NonNullable<Room['people']>
  user: User
  store: RoomStore
}

/** The people of a direct conversation, and who of them is in it now. */
export function DirectPeople({ people, user, store }: Props) {
  const { t } = useText()
  const { present } = useSyncExternalStore(store.watch, store.state)
  return (
    <ul className="plain" aria-label={t('room.people')}>
      {[...people, user].map((person) => (
        <li key={person.id} className="person">
          <UserAvatar of={person} />
          <span className="person-name">
            <PersonName userId={person.id} nickname={person.nickname} />{' '}
            {person.id === user.id && `(${t('room.you')})`}
          </span>
          {person.id !== user.id && present.has(person.id) && (
            <span className="person-role">{t('room.here')}</span>
          )}
        </li>
      ))}
    </ul>
  )
}
