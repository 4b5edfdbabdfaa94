import { VisuallyHidden } from '@mantine/core'
import { IconHash, IconLock } from '@latchkey/web/icons'
import type { Room } from '../live/frames.ts'
import { useText } from '../texts/text.ts'

/** Sign before the name of a room: a lock if it is private. */
export function RoomMark({ visibility, size = 16 }: Pick<Room, 'visibility'> & { size?: number }) {
  const { t } = useText()
  if (visibility !== 'private') return <IconHash size={size} stroke={1.8} aria-hidden />
  return (
    <>
      <IconLock size={size} stroke={1.8} aria-hidden />
      <VisuallyHidden>{t('room.visibility.private')} </VisuallyHidden>
    </>
  )
}
