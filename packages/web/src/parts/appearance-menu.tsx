import { ActionIcon } from '@mantine/core'
import { useState } from 'react'
import { IconLanguage } from '../icons.ts'
import { lazyPart } from '../lazy-page.ts'
import { OnUse } from '../shell/on-use.tsx'
import { useTexts } from '../texts.ts'

const AppearancePopover = lazyPart(() => import('./appearance-popover.tsx'))

/**
 * Language and colours for any visitor, signed in or not, stored in this browser. For a client
 * whose server stores none.
 */
export function AppearanceMenu() {
  const { t } = useTexts()
  const [button, setButton] = useState<HTMLElement | null>(null)
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <ActionIcon
        ref={setButton}
        variant="default"
        size="lg"
        flex="none"
        aria-label={t('appearance.open')}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <IconLanguage size={18} aria-hidden />
      </ActionIcon>
      <OnUse isUsed={isOpen}>
        <AppearancePopover button={button} isOpen={isOpen} onChange={setOpen} />
      </OnUse>
    </>
  )
}
