import { Alert, Button, Group, Text } from '@mantine/core'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { live } from '../live/live.ts'
import { useText } from '../texts/text.ts'

/** Visible from a lost connection until it is restored. */
export function ConnectionNotice() {
  const { t } = useText()
  const state = useSyncExternalStore(live.watch, () => live.state)
  const isUpToDate = useSyncExternalStore(live.watchProgress, () => live.isUpToDate)
  const isStalled = useSyncExternalStore(live.watchProgress, () => live.isStalled)
  const [wasLost, setLost] = useState(false)
  const isAway = state === 'waiting' || state === 'resting'
  useEffect(() => {
    if (isAway || isStalled) setLost(true)
    else if (isUpToDate) setLost(false)
  }, [isAway, isStalled, isUpToDate])
  const isTrying = isAway || ((state === 'connecting' || state === 'live') && wasLost)
  return (
    <div role="status">
      {isTrying && (
        <NoticeBar
          words={t('connection.lost')}
          button={t('connection.now')}
          onPress={state === 'resting' ? undefined : () => live.reconnectNow()}
        />
      )}
      {state === 'replaced' && (
        <NoticeBar
          words={t('connection.replaced')}
          button={t('connection.here')}
          onPress={() => live.start()}
        />
      )}
      {state === 'incompatible' && (
        <NoticeBar
          words={t('connection.incompatible')}
          button={t('connection.reload')}
          onPress={() => location.reload()}
        />
      )}
    </div>
  )
}

interface NoticeBarProps {
  words: string
  button: string
  /** Undefined hides the button. */
  onPress: (() => void) | undefined
}

function NoticeBar({ words, button, onPress }: NoticeBarProps) {
  return (
    <Alert color="orange" mb="md" p="xs">
      <Group justify="space-between" gap="xs">
        <Text size="sm">{words}</Text>
        {onPress && (
          <Button size="compact-sm" variant="default" onClick={onPress}>
            {button}
          </Button>
        )}
      </Group>
    </Alert>
  )
}
