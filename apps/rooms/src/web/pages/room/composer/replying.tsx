import { CloseButton } from '@mantine/core'
import type { Message } from '../../../live/frames.ts'
import { plainText } from '../../../markdown/plain-text.ts'
import { useText } from '../../../texts/text.ts'

/** The message that the next one answers, above the field. */
export function Replying({ message, onCancel }: { message: Message; onCancel: () => void }) {
  const { t } = useText()
  return (
    <div className="replying">
      <span className="replying-text">
        {t('room.replyingTo', { name: message.nickname })} <bdi>{plainText(message.content ?? '')}</bdi>
      </span>
      <CloseButton size="sm" onClick={onCancel} aria-label={t('room.cancelReply')} />
    </div>
  )
}
