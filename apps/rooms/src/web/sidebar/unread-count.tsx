import { VisuallyHidden } from '@mantine/core'
import { useText } from '../texts/text.ts'
import type { Room } from '../live/frames.ts'

/** The number of unread mentions in a room, and for screen readers of unread messages. */
export function UnreadCount({ room: { unread, mentions } }: { room: Room }) {
  const { t, number } = useText()
  if (!unread) return null
  return (
    <>
      {mentions ? (
        <span className="mention-count figure" aria-hidden>
          {number(mentions)}
        </span>
      ) : null}
      <VisuallyHidden className="unread-count">
        {t('sidebar.unread', { count: unread })}
        {mentions ? `, ${t('sidebar.mentions', { count: mentions })}` : ''}
      </VisuallyHidden>
    </>
  )
}
