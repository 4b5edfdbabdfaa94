import type { Person } from '../../../live/frames.ts'
import { UserAvatar, GuestBadge } from '../../../parts/person.tsx'
import type { User } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'
import { type Act, PersonMenu } from './person-menu.tsx'
import type { Room } from '../room.ts'

interface Props {
  person: Person
  room: Room
  user: User
  isMember: boolean
  onAsk: (act: Act) => void
}

export function PersonLine({ person, room, user, isMember, onAsk }: Props) {
  const { t } = useText()
  const { userId, nickname, avatarColor, guest, role } = person
  const isSelf = userId === user.id
  return (
    <li className="person">
      <UserAvatar nickname={nickname} avatarColor={avatarColor} size={28} />
      <span className="person-name">
        <bdi>{nickname}</bdi> {isSelf && `(${t('room.you')})`}
      </span>
      {guest && <GuestBadge />}
      <span className="person-role">{t(`room.role.${role}`)}</span>
      {!isSelf && <PersonMenu person={person} room={room} user={user} isMember={isMember} onAsk={onAsk} />}
    </li>
  )
}
