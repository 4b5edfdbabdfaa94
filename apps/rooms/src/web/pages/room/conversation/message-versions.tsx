import { Modal, Stack, Text } from '@mantine/core'
import type { Message } from '../../../live/frames.ts'
import { useFocusBack } from '../../../parts/focus-back.ts'
import { LoadMore } from '../../../parts/load-more.tsx'
import { LoadingOrError } from '../../../parts/loading-or-error.tsx'
import { usePages } from '../../../queries.ts'
import { useText } from '../../../texts/text.ts'

/** The earlier texts of a message, for moderators (R29.2). */
export function MessageVersions({ message, onClose }: { message: Message; onClose: () => void }) {
  const { t, moment } = useText()
  const params = { id: message.roomId, messageId: message.id }
  const { pages, error, retry, ...next } = usePages('versions', 'listMessageVersions', { params })
  useFocusBack()
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('room.versions')}
      closeButtonProps={{ 'aria-label': t('shell.close') }}
    >
      {!pages && <LoadingOrError error={error} onRetry={retry} />}
      <Stack component="ol" className="plain" gap="md">
        {pages
          ?.flatMap(({ versions }) => versions)
          .map(({ content, at }) => (
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
      <LoadMore more={next.more} isReading={next.isReading} error={next.moreError} />
    </Modal>
  )
}
