import { useSyncExternalStore } from 'react'
import type { RoomStore } from '../../../live/room-store.ts'
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
      {[...people, user].map(({ id, nickname, avatarColor }) => (
        <li key={id} className="person">
          <UserAvatar nickname={nickname} avatarColor={avatarColor} />
          <span className="person-name">
            <bdi>{nickname}</bdi> {id === user.id && `(${t('room.you')})`}
          </span>
          {present.has(id) && <span className="person-role">{t('room.here')}</span>}
        </li>
      ))}
    </ul>
  )
}
