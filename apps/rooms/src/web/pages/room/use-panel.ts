import { useQueryString } from '@latchkey/web/query-string'
import { useMediaQuery } from '@mantine/hooks'
import { useState } from 'react'

const PANELS = ['people'] as const
export type PanelName = (typeof PANELS)[number]

export interface PanelState {
  /** The panel on display. */
  panel: PanelName | null
  /** True if there is space for the panel beside the conversation. */
  isWide: boolean
  toggle: (name: PanelName) => void
  close: () => void
}

const STORED = 'latchkey:panel'

/**
 * The panel beside the conversation. A wide window shows the people until the user closes them. In
 * a narrow one, the panel covers the conversation, and Back closes it.
 */
export function usePanel(): PanelState {
  const isWide = useMediaQuery('(width >= 75em)', undefined, { getInitialValueInEffect: false })
  const [{ panel: requested }, setQuery] = useQueryString({ panel: '' })
  const [isDefault, setDefault] = useState(() => localStorage.getItem(STORED) !== 'closed')
  const panel = PANELS.find((name) => name === requested) ?? (isWide && isDefault ? 'people' : null)
  const storeDefault = (isOpen: boolean) => {
    setDefault(isOpen)
    if (isOpen) localStorage.removeItem(STORED)
    else localStorage.setItem(STORED, 'closed')
  }
  const close = () => {
    if (isWide) storeDefault(false)
    if (requested !== '') setQuery({ panel: '' }, { isTyping: true })
  }
  const open = (name: PanelName) => {
    if (isWide && name === 'people') storeDefault(true)
    else setQuery({ panel: name })
  }
  return { panel, isWide, close, toggle: (name) => (panel === name ? close() : open(name)) }
}
