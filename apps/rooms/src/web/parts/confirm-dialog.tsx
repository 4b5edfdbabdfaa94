import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useText } from '../texts/text.ts'
import { useFocusBack } from './focus-back.ts'
import { Refusal } from './refusal.tsx'

interface Props {
  title: string
  help: string
  /** The words of the button that does it. */
  button: string
  act: () => Promise<unknown>
  onClose: () => void
  /** More to say, or fields. */
  children?: ReactNode
  isReady?: boolean
  /** Of the button; red unless what it does takes nothing away. */
  color?: string
  /** More than the words for a refusal. */
  renderError?: (error: Error) => ReactNode
}

const refusalText = (error: Error) => <Refusal error={error} />

/** Asks before something that cannot be taken back, and says why it could not be done. */
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

/** For a dialog in which something can be asked: Escape then closes the question alone, which hears of it later. */
export function unlessConfirming(close: () => void): () => void {
  return () => {
    if (!document.querySelector('[data-question]')) close()
  }
}
