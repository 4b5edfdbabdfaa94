import { Avatar, Badge } from '@mantine/core'
import { useText } from '../texts/text.ts'

/** The first letters of a name, on the person's colour, which is dark enough for white. The name stands beside it. */
export function UserAvatar({
  nickname,
  avatarColor,
  size = 28,
}: {
  nickname: string
  avatarColor: string
  size?: number
}) {
  return (
    <Avatar
      size={size}
      radius="xl"
      aria-hidden
      styles={{ placeholder: { background: avatarColor, color: '#fff' } }}
    >
      {initials(nickname)}
    </Avatar>
  )
}

const letters = new Intl.Segmenter()

/** Of the name itself, without the suffix that tells equal ones apart. */
function initials(name: string): string {
  const words = name
    .replace(/(?<=\S) #\w{4}$/, '')
    .split(/\s+/)
    .filter((word) => word !== '')
  return [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word = '') => [...letters.segment(word)][0]?.segment ?? '')
    .join('')
    .toLocaleUpperCase()
}

/** Guests cannot take it off (R14.6). */
export function GuestBadge() {
  const { t } = useText()
  return (
    <Badge size="sm" variant="default" flex="none" style={{ textTransform: 'none' }}>
      {t('person.guest')}
    </Badge>
  )
}
