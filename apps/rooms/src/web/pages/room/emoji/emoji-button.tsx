import { ActionIcon } from '@mantine/core'
import { IconMoodPlus } from '@latchkey/web/icons'
import { lazyPart } from '@latchkey/web/lazy-page'
import { OnUse } from '@latchkey/web/shell/on-use'
import { useState } from 'react'

const EmojiPopover = lazyPart(() => import('./emoji-popover.tsx'))

interface Props {
  label: string
  /** A key that opens them. */
  letter?: string
  tabIndex?: 0 | -1
  size?: number
  onOpen?: (isOpen: boolean) => void
  onChoose: (emoji: string) => void
}

/** Button that opens the emoji. */
export function EmojiButton({ label, letter, tabIndex, size = 32, onOpen, onChoose }: Props) {
  const [button, setButton] = useState<HTMLElement | null>(null)
  const [isOpen, setOpen] = useState(false)
  const change = (next: boolean) => {
    setOpen(next)
    onOpen?.(next)
  }
  return (
    <>
      <ActionIcon
        ref={setButton}
        variant="subtle"
        color="gray"
        size={size}
        aria-label={label}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        data-tooltip={letter === undefined ? label : `${label} (${letter})`}
        {...(letter !== undefined && { 'aria-keyshortcuts': letter })}
        {...(tabIndex !== undefined && { tabIndex })}
        onClick={() => change(!isOpen)}
      >
        <IconMoodPlus size={17} stroke={1.8} aria-hidden />
      </ActionIcon>
      <OnUse isUsed={isOpen}>
        <EmojiPopover button={button} isOpen={isOpen} onChange={change} label={label} onChoose={onChoose} />
      </OnUse>
    </>
  )
}
