import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { type RefObject, useEffect, useRef } from 'react'
import type { Translate } from '../texts/text.ts'

/** Whether the page that asks is still shown: for what ends after it may have been left. */
export function useIsMounted(): RefObject<boolean> {
  const isMounted = useRef(true)
  useEffect(() => {
    isMounted.current = true
    return () => {
      isMounted.current = false
    }
  }, [])
  return isMounted
}

/** Tells what was not deleted for its clicks, until it is closed, and leads to what can be done: `act` gets what closes it. */
export function showRefusal(t: Translate, text: string, onAction: (close: () => void) => void): void {
  const id = notifications.show({
    color: 'orange',
    autoClose: false,
    closeButtonProps: { 'aria-label': t('shell.close') },
    message: (
      <Group justify="space-between" gap="xs">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {text}
        </Text>
        <Button size="compact-sm" variant="light" onClick={() => onAction(() => notifications.hide(id))}>
          {t('link.whatNow')}
        </Button>
      </Group>
    ),
  })
}
