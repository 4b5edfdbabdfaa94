import { VisuallyHidden } from '@mantine/core'
import { IconMicrophone, IconMicrophoneOff } from '@latchkey/web/icons'
import type { Person, PresentPerson } from '../../../live/frames.ts'
import { PersonName } from '../../../people/person-name.tsx'
import { PersonStatus, PresenceAvatar } from '../../../people/person-status.tsx'
import { usePerson } from '../../../people/use-people.ts'
import { GuestBadge } from '../../../parts/person.tsx'
import type { User } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'
import { type Act, PersonMenu } from './person-menu.tsx'
import type { Room } from '../room.ts'

interface Props {
  person: Person & Partial<Pick<PresentPerson, 'voice'>> & { note?: string }
  room: Room
  user: User
  isMember: boolean
  onAsk: (act: Act) => void
}

/** Whether a person in the call has their microphone on. */
function VoiceMark({ voice }: { voice: NonNullable<PresentPerson['voice']> }) {
  const { t } = useText()
  const Drawing = voice.audio ? IconMicrophone : IconMicrophoneOff
  return (
    <span className="call-mark">
      <Drawing size={14} aria-hidden />
      <VisuallyHidden>{t('room.inCall')}</VisuallyHidden>
    </span>
  )
}

export function PersonLine({ person, room, user, isMember, onAsk }: Props) {
  const { t } = useText()
  const { userId, nickname, guest, role } = person
  const isSelf = userId === user.id
  const listed = usePerson(guest ? undefined : userId)
  return (
    <li className="person">
      <PresenceAvatar of={person} person={listed} size={28} />
      <div className="person-about">
        <span className="person-name">
          <PersonName userId={userId} nickname={nickname} guest={guest} /> {isSelf && `(${t('room.you')})`}
          <small>{person.note}</small>
        </span>
        <PersonStatus status={listed?.status} />
      </div>
      {guest && <GuestBadge />}
      {person.voice && <VoiceMark voice={person.voice} />}
      {role !== 'speaker' && <span className="person-role">{t(`room.role.${role}`)}</span>}
      {!isSelf && <PersonMenu person={person} room={room} user={user} isMember={isMember} onAsk={onAsk} />}
    </li>
  )
}
