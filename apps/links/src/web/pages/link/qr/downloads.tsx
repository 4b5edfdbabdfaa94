import { Button } from '@mantine/core'
import { IconCheck, IconCopy, IconDownload } from '@latchkey/web/icons'
import { showError } from '@latchkey/web/toast'
import { useState } from 'react'
import { useText } from '../../../texts/text.ts'
import type { Code, CodeFormat } from './use-code.ts'

const COPIED_MS = 1_500

/** Buttons for the image of the code. `name` is that of the file. */
export function Downloads({ code, name }: { code: Code; name: string }) {
  const { t } = useText()
  return (
    <div className="qr-downloads">
      {(['svg', 'png', 'pdf'] as const).map((format) => (
        <Download
          key={format}
          format={format}
          address={code.addresses[format]}
          name={`${name}.${format}`}
          label={t(`qr.${format}`)}
          isDisabled={format === 'png' ? code.error !== null : !code.isDrawable}
        />
      ))}
      {/* Browsers copy images of secure pages only. */}
      {'ClipboardItem' in window && isSecureContext && (
        <CopyImage address={code.addresses.png} isDisabled={code.error !== null} />
      )}
    </div>
  )
}

interface DownloadProps {
  format: CodeFormat
  address: string
  name: string
  label: string
  isDisabled: boolean
}

function Download({ format, address, name, label, isDisabled }: DownloadProps) {
  const props = {
    variant: format === 'svg' ? 'filled' : 'light',
    leftSection: <IconDownload size={16} aria-hidden />,
    'aria-label': label,
    px: 'xs',
  } as const
  const text = format.toUpperCase()
  if (isDisabled)
    return (
      <Button {...props} disabled>
        {text}
      </Button>
    )
  return (
    <Button component="a" href={address} download={name} {...props}>
      {text}
    </Button>
  )
}

function CopyImage({ address, isDisabled }: { address: string; isDisabled: boolean }) {
  const { t } = useText()
  const [isCopied, setIsCopied] = useState(false)
  const copy = async () => {
    try {
      // Safari wants the promise: it permits nothing after the answer.
      const image = fetch(address).then((answer) => answer.blob())
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': image })])
      setIsCopied(true)
      setTimeout(() => setIsCopied(false), COPIED_MS)
    } catch {
      showError(t('qr.notCopied'))
    }
  }
  return (
    <Button
      variant="default"
      px="xs"
      leftSection={
        isCopied ? <IconCheck size={16} className="tick" aria-hidden /> : <IconCopy size={16} aria-hidden />
      }
      onClick={() => void copy()}
      disabled={isDisabled}
    >
      <span aria-live="polite">{t(isCopied ? 'qr.copied' : 'qr.copy')}</span>
    </Button>
  )
}
