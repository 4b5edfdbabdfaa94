import { useQueryString } from '@latchkey/web/query-string'
import { useMediaQuery } from '@mantine/hooks'
import { useState } from 'react'
import type { Room } from './room.ts'

const PANELS = ['people', 'pins'] as const
export type PanelName = (typeof PANELS)[number]

export interface PanelState {
  /** The panel on display. */
  panel: PanelName | null
  /** Id of the message to which the address leads; empty if it leads to none. */
  messageId: string
  /** True if there is space for the panel beside the conversation, and a call beside that. */
  isWide: boolean
  toggle: (name: PanelName) => void
  close: () => void
  /** Leads the address to a message. In a narrow window, the panel makes way for it. */
  showMessage: (messageId: string) => void
}

const STORED = 'latchkey:panel'

/**
 * The panel beside the conversation. A wide window shows the people of a room until the user closes them. In
 * a narrow one, the panel covers the conversation, and Back closes it.
 */
export function usePanel({ kind }: Pick<Room, 'kind'>, hasCall: boolean): PanelState {
  const isWide = useMediaQuery(`(width >= ${hasCall ? 100 : 75}em)`, undefined, {
    getInitialValueInEffect: false,
  })
  const [{ panel: requested, message: messageId }, setQuery] = useQueryString({ panel: '', message: '' })
  const [isDefault, setDefault] = useState(() => localStorage.getItem(STORED) !== 'closed')
  const hasDefault = isWide && kind === 'room'
  const panel = PANELS.find((name) => name === requested) ?? (hasDefault && isDefault ? 'people' : null)
  const storeDefault = (isOpen: boolean) => {
    setDefault(isOpen)
    if (isOpen) localStorage.removeItem(STORED)
    else localStorage.setItem(STORED, 'closed')
  }
  const close = () => {
    if (hasDefault) storeDefault(false)
    if (requested !== '') setQuery({ panel: '' }, { isTyping: true })
  }
  const open = (name: PanelName) => {
    if (hasDefault && name === 'people') storeDefault(true)
    else setQuery({ panel: name })
  }
  return {
    panel,
    isWide,
    messageId,
    close,
    toggle: (name) => (panel === name ? close() : open(name)),
    showMessage: (message) => setQuery({ message, ...(!isWide && { panel: '' }) }),
  }
}
