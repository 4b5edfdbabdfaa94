import { ActionIcon, Kbd, UnstyledButton } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useRef, useState } from 'react'
import { IconSearch } from '../icons.ts'
import { keysText } from '../keys.ts'

/** Keys that open the palette, as the keyboard labels them. */
const SHORTCUT = keysText('Mod', 'K')

/** Whether the palette is open. Ctrl+K and Cmd+K open and close it, also in a field. */
export function usePalette() {
  const [isOpen, setOpen] = useState(false)
  const opener = useRef<Element | null>(null)
  const open = () => {
    opener.current = document.activeElement
    setOpen(true)
  }
  const close = () => {
    setOpen(false)
    // If the chosen action has opened another page, that page has the focus.
    setTimeout(() => {
      if (document.activeElement === document.body) (opener.current as HTMLElement | null)?.focus()
    })
  }
  useHotkeys([['mod+K', isOpen ? close : open]], [])
  return { isOpen, open, close }
}

/** Opens the palette. A field in a wide window, an icon in a narrow one. */
export function PaletteButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <>
      <UnstyledButton className="search-button" visibleFrom="sm" onClick={onClick}>
        <IconSearch size={16} stroke={1.8} aria-hidden />
        <span className="search-button-text">{label}</span>
        <Kbd size="xs">{SHORTCUT}</Kbd>
      </UnstyledButton>
      <ActionIcon variant="default" size="lg" hiddenFrom="sm" onClick={onClick} aria-label={label}>
        <IconSearch size={18} aria-hidden />
      </ActionIcon>
    </>
  )
}
