import { Alert, Button, Group, TextInput } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconCopy } from '@latchkey/web/icons'
import { useCopy } from '@latchkey/web/parts/copy'
import { useEffect, useRef } from 'react'
import { useText } from '../texts/text.ts'

interface Props {
  value: string
  label: string
  copyLabel: string
  /** The warning that the value is not shown again. */
  title: string
  help: string
}

/** A secret that is shown once, with a button that copies it. */
export function SecretField({ value, label, copyLabel, title, help }: Props) {
  const { t } = useText()
  const { copied, copy } = useCopy()
  const copyButton = useRef<HTMLButtonElement>(null)
  // Browsers ignore `autofocus` while the field of the step before has the focus.
  useEffect(() => copyButton.current?.focus(), [])
  return (
    <>
      <Alert color="orange" role="alert" title={title} icon={<IconAlertTriangle size={20} aria-hidden />}>
        {help}
      </Alert>
      <Group align="end" gap="sm">
        <TextInput
          label={label}
          value={value}
          readOnly
          flex="1 1 260px"
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <Button
          ref={copyButton}
          onClick={() => copy(value)}
          leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
        >
          <span aria-live="polite">{copied ? t('copy.copied') : copyLabel}</span>
        </Button>
      </Group>
    </>
  )
}
