import { ActionIcon, VisuallyHidden } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { useEffect } from 'react'
import { IconCheck, IconCopy } from '../icons.ts'
import { useTexts } from '../texts.ts'
import { showError } from '../toast.ts'

const COPIED_MS = 1_000

/**
 * Copies a text and shows an error if the browser refuses: without permission, or on a page served
 * over plain HTTP.
 */
export function useCopy() {
  const { t } = useTexts()
  const { copied, copy, error } = useClipboard({ timeout: COPIED_MS })
  const message = t('copy.notCopied')
  useEffect(() => {
    if (error) showError(message)
  }, [error, message])
  return { copied, copy }
}

/** Button that copies a text. `name` replaces a text that is too long for its label. */
export function Copy({ value, name = value }: { value: string; name?: string }) {
  const { t } = useTexts()
  const { copied, copy } = useCopy()
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        onClick={() => copy(value)}
        aria-label={t('copy.copy', { what: name })}
        data-tooltip={copied ? t('copy.copied') : t('copy.copy', { what: name })}
      >
        {copied ? <IconCheck size={16} className="tick" /> : <IconCopy size={16} />}
      </ActionIcon>
      <VisuallyHidden aria-live="polite">{copied && t('copy.copied')}</VisuallyHidden>
    </>
  )
}
