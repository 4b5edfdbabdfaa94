import { ActionIcon, CopyButton, Tooltip, VisuallyHidden } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useTexts } from '../texts.ts'

export function Copy({ value }: { value: string }) {
  const { say } = useTexts()
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <>
          <Tooltip label={copied ? say('copy.copied') : say('copy.copy', { what: value })}>
            <ActionIcon
              variant="subtle"
              color="gray"
              onClick={copy}
              aria-label={say('copy.copy', { what: value })}
            >
              {copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
            </ActionIcon>
          </Tooltip>
          <VisuallyHidden aria-live="polite">{copied && say('copy.copied')}</VisuallyHidden>
        </>
      )}
    </CopyButton>
  )
}
