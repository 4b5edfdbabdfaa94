import { Modal, Text } from '@mantine/core'
import { Question } from '@latchkey/web/parts/question'
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
  /** Whether the button is red. The default is true. */
  isDestructive?: boolean
  /** Replaces the default text of a refusal. */
  renderError?: (error: Error) => ReactNode
}

const refusalText = (error: Error) => <Refusal error={error} />

/** Asks for confirmation of an irreversible action, and shows why it failed. */
export function ConfirmDialog({ title, help, button, act, onClose, ...more }: Props) {
  const { t } = useText()
  const { children, isReady = true, isDestructive = true, renderError = refusalText } = more
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
      <Question
        button={button}
        isDestructive={isDestructive}
        isReady={isReady}
        isPending={acting.isPending}
        error={acting.error && renderError(acting.error)}
        onConfirm={() => acting.mutate()}
        onCancel={onClose}
      >
        <Text size="sm">{help}</Text>
        {children}
      </Question>
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
