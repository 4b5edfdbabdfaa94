import { Modal, Stack, Text } from '@mantine/core'
import type { Message } from '../../../live/frames.ts'
import { useFocusBack } from '../../../parts/focus-back.ts'
import { LoadingOrError } from '../../../parts/loading-or-error.tsx'
import { useCall } from '../../../queries.ts'
import { useText } from '../../../texts/text.ts'

/** The earlier texts of a message, for moderators (R29.2). */
export function MessageVersions({ message, onClose }: { message: Message; onClose: () => void }) {
  const { t, moment } = useText()
  const params = { id: message.roomId, messageId: message.id }
  const { data, error, refetch } = useCall('versions', 'listMessageVersions', { params })
  useFocusBack()
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('room.versions')}
      closeButtonProps={{ 'aria-label': t('shell.close') }}
    >
      {!data && <LoadingOrError error={error} onRetry={refetch} />}
      <Stack component="ol" className="plain" gap="md">
        {data?.versions.map(({ content, at }) => (
          <li key={at}>
            <Text size="xs" c="dimmed" component="time" dateTime={at}>
              {moment(at)}
            </Text>
            <div className="message-text message-source" dir="auto">
              {content}
            </div>
          </li>
        ))}
      </Stack>
    </Modal>
  )
}
