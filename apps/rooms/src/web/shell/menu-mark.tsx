import { VisuallyHidden } from '@mantine/core'
import { countNotifying } from '../../notifications/notifying.ts'
import { ROOM } from '../addresses.ts'
import { useDirects, useFollowedRooms } from '../sidebar/lobby.ts'
import { useText } from '../texts/text.ts'

/** The number of messages that wait for the user in rooms that the closed menu hides. */
export function MenuMark({ path }: { path: string }) {
  const { t, number } = useText()
  const rooms = [...(useFollowedRooms() ?? []), ...(useDirects() ?? [])]
  const openId = ROOM.exec(path)?.[1]
  const count = rooms.reduce((sum, room) => sum + (room.id === openId ? 0 : countNotifying(room)), 0)
  if (count === 0) return null
  return (
    <span className="pending-mark">
      <span aria-hidden>{number(count)}</span>
      <VisuallyHidden>{t('sidebar.unread', { count })}</VisuallyHidden>
    </span>
  )
}
