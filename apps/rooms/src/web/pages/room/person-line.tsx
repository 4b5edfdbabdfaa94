import { Badge, Group, Text } from '@mantine/core'
import type { Person } from '../../live/frames.ts'
import { UserAvatar, GuestBadge } from '../../parts/person.tsx'
import type { User } from '../../session.ts'
import { useText } from '../../texts/text.ts'
import { type Act, PersonMenu } from './person-menu.tsx'
import type { Room } from './room.ts'

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
    <Group component="li" gap="sm" wrap="nowrap">
      <UserAvatar nickname={nickname} avatarColor={avatarColor} size={32} />
      <div style={{ minWidth: 0, flex: 1 }}>
        <Text fw={500} size="sm" className="wrap">
          <bdi>{nickname}</bdi> {isSelf && `(${t('room.you')})`}
        </Text>
        <Group gap={6}>
          <Badge size="sm" variant="light" style={{ textTransform: 'none' }}>
            {t(`room.role.${role}`)}
          </Badge>
          {guest && <GuestBadge />}
        </Group>
      </div>
      {!isSelf && <PersonMenu person={person} room={room} user={user} isMember={isMember} onAsk={onAsk} />}
    </Group>
  )
}
