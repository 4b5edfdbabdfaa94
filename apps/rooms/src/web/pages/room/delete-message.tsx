import { Text } from '@mantine/core'
import { call } from '../../call.ts'
import type { Message } from '../../live/frames.ts'
import { Ask } from '../../parts/ask.tsx'
import { useText } from '../../texts/text.ts'

export function DeleteMessage({ message, onClose }: { message: Message; onClose: () => void }) {
  const { say } = useText()
  return (
    <Ask
      title={say('room.deleteMessageTitle')}
      help={say('room.deleteMessageHelp')}
      button={say('room.deleteMessage')}
      act={() => call('deleteMessage', { params: { id: message.roomId, messageId: message.id } })}
      onClose={onClose}
    >
      <Text size="sm" className="said" lineClamp={4}>
        {message.content}
      </Text>
    </Ask>
  )
}
