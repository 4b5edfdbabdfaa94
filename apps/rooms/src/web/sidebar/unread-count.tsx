import { VisuallyHidden } from '@mantine/core'
import { useText } from '../texts/text.ts'
import type { ListedRoom } from './lobby.ts'

/** What is new in a room: the number of mentions, and for screen readers that of messages. */
export function UnreadCount({ room: { unread, mentions } }: { room: ListedRoom }) {
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
