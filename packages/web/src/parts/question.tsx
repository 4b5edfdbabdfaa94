import { Alert, Button, Group, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTexts } from '../texts.ts'

interface Props {
  /** What is asked, above the buttons. */
  children: ReactNode
  /** Label of the confirming button. */
  button: string
  /** Whether that button is red. The default is true. */
  isDestructive?: boolean
  isReady?: boolean
  isPending?: boolean
  /** Why the action failed. */
  error?: ReactNode
  onConfirm: () => void
  onCancel: () => void
}

/** The content of a dialog that asks before it acts. */
export function Question({ children, button, error, onConfirm, onCancel, ...more }: Props) {
  const { t } = useTexts()
  const { isDestructive = true, isReady = true, isPending = false } = more
  return (
    <Stack gap="md">
      {children}
      {error !== undefined && error !== null && (
        <Alert color="red" role="alert">
          {error}
        </Alert>
      )}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onCancel} data-autofocus>
          {t('confirm.cancel')}
        </Button>
        <Button
          {...(isDestructive && { color: 'red' })}
          disabled={!isReady}
          loading={isPending}
          onClick={onConfirm}
        >
          {button}
        </Button>
      </Group>
    </Stack>
  )
}
