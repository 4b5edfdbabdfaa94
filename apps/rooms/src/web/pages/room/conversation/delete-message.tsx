import { Text } from '@mantine/core'
import { call } from '../../../call.ts'
import type { Message } from '../../../live/frames.ts'
import { ConfirmDialog } from '../../../parts/confirm-dialog.tsx'
import { useText } from '../../../texts/text.ts'

interface Props {
  message: Message
  onClose: () => void
  /**
   * Called before the dialog closes. The button that opened it disappears with the content of the
   * message.
   */
  onDeleted: () => void
}

export function DeleteMessage({ message, onClose, onDeleted }: Props) {
  const { t } = useText()
  return (
    <ConfirmDialog
      title={t('room.deleteMessageTitle')}
      help={t('room.deleteMessageHelp')}
      button={t('room.deleteMessage')}
      act={async () => {
        await call('deleteMessage', { params: { id: message.roomId, messageId: message.id } })
        onDeleted()
      }}
      onClose={onClose}
    >
      <Text size="sm" className="message-text">
        {message.content}
      </Text>
    </ConfirmDialog>
  )
}
