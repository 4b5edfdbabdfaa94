import { CloseButton, Title } from '@mantine/core'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import { useText } from '../../texts/text.ts'

interface Props {
  title: string
  /** False if the panel covers the conversation. It then takes the focus, and returns it. */
  isBeside: boolean
  close: () => void
  children: ReactNode
}

/** A panel beside the conversation, or in its place on a phone. */
export function Panel({ title, isBeside, close, children }: Props) {
  const { t } = useText()
  const id = useId()
  const closeButton = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (isBeside) return undefined
    const before = document.activeElement
    closeButton.current?.focus({ preventScroll: true })
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true })
    }
  }, [isBeside])
  const onKeyDown = ({ key, target }: KeyboardEvent) => {
    // In a menu, the key closes only the menu.
    const isInMenu = target instanceof Element && target.closest('[role=menu]') !== null
    if (key === 'Escape' && !isBeside && !isInMenu) close()
  }
  return (
    <aside className="panel" aria-labelledby={id} onKeyDown={onKeyDown}>
      <div className="panel-header">
        <Title order={2} id={id} className="panel-title">
          {title}
        </Title>
        <CloseButton ref={closeButton} onClick={close} aria-label={t('shell.close')} />
      </div>
      <div className="panel-content">{children}</div>
    </aside>
  )
}
