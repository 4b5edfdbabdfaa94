import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { type RefObject, useEffect, useRef } from 'react'
import type { Translate } from '../texts/text.ts'

/** True while the component is mounted, for actions that end after the user has left the page. */
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

/**
 * Shows a refused deletion until the user closes it, with a button for the next step. `onAction`
 * receives a function that closes the toast.
 */
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
          {t('link.nextStep')}
        </Button>
      </Group>
    ),
  })
}
