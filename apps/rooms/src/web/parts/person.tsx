import { Badge } from '@mantine/core'
import { useText } from '../texts/text.ts'

/** Parts of a user that their picture is drawn from. */
export interface Pictured {
  nickname: string
  avatarColor: string
  avatarUrl: string | null
}

/**
 * The picture of the user, or initials on their colour. Hidden from screen readers, because the name
 * is next to it. A plain element: a room draws hundreds.
 */
export function UserAvatar({
  of: { nickname, avatarColor, avatarUrl },
  size = 28,
}: {
  of: Pictured
  size?: number
}) {
  return (
    <span
      className="avatar"
      aria-hidden
      style={{ width: size, height: size, fontSize: size * 0.4, background: avatarColor }}
    >
      {avatarUrl ? <img src={avatarUrl} alt="" /> : initials(nickname)}
    </span>
  )
}

const letters = new Intl.Segmenter()

/** Initials of a name without the suffix that distinguishes equal names. */
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

/** Badge that guests cannot remove (R14.6). */
export function GuestBadge() {
  const { t } = useText()
  return (
    <Badge size="sm" variant="default" flex="none" style={{ textTransform: 'none' }}>
      {t('person.guest')}
    </Badge>
  )
}
