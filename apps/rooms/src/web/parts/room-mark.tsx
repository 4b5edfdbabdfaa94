import { VisuallyHidden } from '@mantine/core'
import { IconHash, IconLock, IconUser } from '@latchkey/web/icons'
import type { Room } from '../live/frames.ts'
import { useText } from '../texts/text.ts'
import { UserAvatar } from './person.tsx'

interface Props extends Pick<Room, 'visibility' | 'people'> {
  size?: number
}

/** Sign before the name of a room: a lock if it is private; the people of a direct conversation. */
export function RoomMark({ visibility, people, size = 16 }: Props) {
  const { t, number } = useText()
  if (people) return <PeopleMark people={people} size={size + 4} label={number(people.length)} />
  if (visibility !== 'private') return <IconHash size={size} stroke={1.8} aria-hidden />
  return (
    <>
      <IconLock size={size} stroke={1.8} aria-hidden />
      <VisuallyHidden>{t('room.visibility.private')} </VisuallyHidden>
    </>
  )
}

/** The picture of the other person, or the number of the others. */
function PeopleMark({
  people,
  size,
  label,
}: {
  people: NonNullable<Room['people']>
  size: number
  label: string
}) {
  const [person, ...more] = people
  if (!person) return <IconUser size={size} stroke={1.8} aria-hidden />
  if (more.length === 0) return <UserAvatar of={person} size={size} />
  return (
    <span className="people-mark" aria-hidden style={{ width: size, height: size, fontSize: size * 0.55 }}>
      {label}
    </span>
  )
}
