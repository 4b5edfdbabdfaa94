import { CloseButton } from '@mantine/core'
import type { Message } from '../../../live/frames.ts'
import { useText } from '../../../texts/text.ts'
import { messageLine } from '../conversation/message-line.ts'

/** The message that the next one answers, above the field. */
export function Replying({ message, onCancel }: { message: Message; onCancel: () => void }) {
  const { t } = useText()
  return (
    <div className="replying">
      <span className="replying-text">
        <span className="author">{t('room.replyingTo', { name: message.nickname })}</span>{' '}
        <bdi>{messageLine(message)}</bdi>
      </span>
      <CloseButton size="sm" onClick={onCancel} aria-label={t('room.cancelReply')} />
    </div>
  )
}
