import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { type RefObject, useEffect, useRef } from 'react'
import type { Say } from '../texts/text.ts'

/** Whether the page that asks is still shown: for what ends after it may have been left. */
export function useShown(): RefObject<boolean> {
  const shown = useRef(true)
  useEffect(() => {
    shown.current = true
    return () => {
      shown.current = false
    }
  }, [])
  return shown
}

/** Tells what was not deleted for its clicks, until it is closed, and leads to what can be done: `act` gets what closes it. */
export function tellRefused(t: Say, text: string, act: (close: () => void) => void): void {
  const id = notifications.show({
    color: 'orange',
    autoClose: false,
    closeButtonProps: { 'aria-label': t('shell.close') },
    message: (
      <Group justify="space-between" gap="xs">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {text}
        </Text>
        <Button size="compact-sm" variant="light" onClick={() => act(() => notifications.hide(id))}>
          {t('link.whatNow')}
        </Button>
      </Group>
    ),
  })
}
