import { ActionIcon, Tooltip, VisuallyHidden } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { useEffect } from 'react'
import { IconCheck, IconCopy } from '../icons.ts'
import { useTexts } from '../texts.ts'
import { tellFailed } from '../told.ts'

const COPIED_MS = 1_000

/** Copies, and says it where the browser does not: without permission, and of a page that came over plain HTTP. */
export function useCopy() {
  const { say } = useTexts()
  const { copied, copy, error } = useClipboard({ timeout: COPIED_MS })
  const message = say('copy.notCopied')
  useEffect(() => {
    if (error) tellFailed(message)
  }, [error, message])
  return { copied, copy }
}

export function Copy({ value }: { value: string }) {
  const { say } = useTexts()
  const { copied, copy } = useCopy()
  return (
    <>
      <Tooltip label={copied ? say('copy.copied') : say('copy.copy', { what: value })}>
        <ActionIcon
          variant="subtle"
          color="gray"
          onClick={() => copy(value)}
          aria-label={say('copy.copy', { what: value })}
        >
          {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
        </ActionIcon>
      </Tooltip>
      <VisuallyHidden aria-live="polite">{copied && say('copy.copied')}</VisuallyHidden>
    </>
  )
}
