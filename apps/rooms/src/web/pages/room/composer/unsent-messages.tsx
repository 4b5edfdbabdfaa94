import { Button, Group, Paper, Text } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import type { Unsent } from '../../../live/outbox.ts'
import type { RoomStore } from '../../../live/room-store.ts'
import { Refusal } from '../../../parts/refusal.tsx'
import { useText } from '../../../texts/text.ts'

/** Failed messages, with the reason and the possible actions. */
export function UnsentMessages({
  store,
  onTakeBack,
}: {
  store: RoomStore
  onTakeBack: (text: string) => void
}) {
  const { unsent } = useSyncExternalStore(store.watch, store.state)
  const failed = unsent.filter(({ problem }) => problem !== undefined)
  return (
    // Limited in height, which leaves space for the next message.
    <div role="alert" style={{ maxHeight: '35dvh', overflowY: 'auto' }}>
      {failed.map((each) => (
        <FailedMessage key={each.clientId} unsent={each} store={store} onTakeBack={onTakeBack} />
      ))}
    </div>
  )
}

function FailedMessage({
  unsent: { clientId, content, problem },
  store,
  onTakeBack,
}: {
  unsent: Unsent
  store: RoomStore
  onTakeBack: (text: string) => void
}) {
  const { t } = useText()
  return (
    <Paper withBorder p="xs" mb="xs">
      <Text size="sm" c="var(--mantine-color-error)" fw={500}>
        {t('room.notSent')}: <Refusal error={problem?.error} />
      </Text>
      <Text size="sm" className="wrap" style={{ whiteSpace: 'pre-wrap' }} lineClamp={3}>
        {content}
      </Text>
      <Group gap="xs" mt={4}>
        <Button size="compact-sm" variant="default" onClick={() => store.retry(clientId)}>
          {t('room.retry')}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            store.discard(clientId)
            onTakeBack(content)
          }}
        >
          {t('room.takeBack')}
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => store.discard(clientId)}>
          {t('room.discard')}
        </Button>
      </Group>
    </Paper>
  )
}
