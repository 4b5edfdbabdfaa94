import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useText } from '../texts/text.ts'
import { useFocusBack } from './focus-back.ts'
import { Refusal } from './refusal.tsx'

interface Props {
  title: string
  help: string
  /** Label of the confirming button. */
  button: string
  act: () => Promise<unknown>
  onClose: () => void
  /** Further text or fields. */
  children?: ReactNode
  isReady?: boolean
  /** Colour of the button. The default is red, for destructive actions. */
  color?: string
  /** Replaces the default text of a refusal. */
  renderError?: (error: Error) => ReactNode
}

const refusalText = (error: Error) => <Refusal error={error} />

/** Asks for confirmation of an irreversible action, and shows why it failed. */
export function ConfirmDialog({ title, help, button, act, onClose, ...more }: Props) {
  const { t } = useText()
  const { children, isReady = true, color = 'red', renderError = refusalText } = more
  const acting = useMutation({ mutationFn: act, onSuccess: onClose })
  useFocusBack()
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': t('shell.close') }}
      data-question
    >
      <Stack gap="md">
        <Text size="sm">{help}</Text>
        {children}
        {acting.error && (
          <Alert color="red" role="alert">
            {renderError(acting.error)}
          </Alert>
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} data-autofocus>
            {t('confirm.cancel')}
          </Button>
          <Button
            color={color}
            disabled={!isReady}
            loading={acting.isPending}
            onClick={() => acting.mutate()}
          >
            {button}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

/**
 * Wraps the close function of a dialog that contains a `ConfirmDialog`. Escape then closes only the
 * `ConfirmDialog`, whose listener runs later.
 */
export function unlessConfirming(close: () => void): () => void {
  return () => {
    if (!document.querySelector('[data-question]')) close()
  }
}
