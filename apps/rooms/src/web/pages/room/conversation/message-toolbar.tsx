import { ActionIcon, UnstyledButton } from '@mantine/core'
import { IconDots } from '@latchkey/web/icons'
import { lazyPart } from '@latchkey/web/lazy-page'
import { OnUse } from '@latchkey/web/shell/on-use'
import { isShortcut, useShortcutsEnabled } from '@latchkey/web/shortcuts'
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from 'react'
import type { Message } from '../../../live/frames.ts'
import { useText } from '../../../texts/text.ts'
import { EmojiButton } from '../emoji/emoji-button.tsx'
import { frequentEmoji } from '../emoji/frequent.ts'
import { useAuthorName } from './author-name.ts'
import type { MessageActions } from './use-message-actions.ts'
import { type MenuItem, useMessageMenu } from './use-message-menu.ts'

const MessageMenu = lazyPart(() => import('./message-menu.tsx'))

/** Number of emoji with which one click reacts. */
const QUICK = 3

interface Props {
  message: Message
  actions: MessageActions
  tabIndex: 0 | -1
}

/**
 * The most frequent actions of a message, above its upper edge: it changes no height. The others are
 * in its menu.
 */
export function MessageToolbar({ message, actions, tabIndex }: Props) {
  const { t } = useText()
  const name = useAuthorName(message)
  const items = useMessageMenu(message, actions)
  const toolbar = useRef<HTMLDivElement>(null)
  useLetters(toolbar, items)
  const keepToolbar = (isOpen: boolean) => actions.setMenuMessage(isOpen ? message.id : undefined)
  const [first, ...others] = items
  if (!first) return null
  return (
    <div
      ref={toolbar}
      className="message-toolbar"
      role="toolbar"
      aria-label={t('room.actionsFor', { name })}
      onKeyDown={moveInToolbar}
    >
      {actions.mayWrite && (
        <>
          {frequentEmoji()
            .slice(0, QUICK)
            .map((emoji, index) => (
              <UnstyledButton
                key={emoji}
                className="quick-reaction"
                // One tab stop: the arrow keys lead to the others.
                tabIndex={index === 0 ? tabIndex : -1}
                onClick={() => actions.react(message, emoji, true)}
              >
                {emoji}
              </UnstyledButton>
            ))}
          <EmojiButton
            label={t('room.react')}
            letter="+"
            tabIndex={-1}
            onOpen={keepToolbar}
            onChoose={(emoji) => actions.react(message, emoji, true)}
          />
        </>
      )}
      <ActionIcon
        variant="subtle"
        color="gray"
        size={32}
        tabIndex={actions.mayWrite ? -1 : tabIndex}
        aria-label={first.label}
        aria-keyshortcuts={first.letter}
        data-tooltip={first.letter ? `${first.label} (${first.letter})` : first.label}
        onClick={first.run}
      >
        <first.icon size={17} stroke={1.8} aria-hidden />
      </ActionIcon>
      <More items={others} onOpen={keepToolbar} />
    </div>
  )
}

function More({ items, onOpen }: { items: readonly MenuItem[]; onOpen: (isOpen: boolean) => void }) {
  const { t } = useText()
  const [button, setButton] = useState<HTMLElement | null>(null)
  const [isOpen, setOpen] = useState(false)
  const change = (next: boolean) => {
    setOpen(next)
    onOpen(next)
  }
  return (
    <>
      <ActionIcon
        ref={setButton}
        variant="subtle"
        color="gray"
        size={32}
        tabIndex={-1}
        aria-label={t('room.more')}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        data-tooltip={t('room.more')}
        onClick={() => change(!isOpen)}
      >
        <IconDots size={17} stroke={1.8} aria-hidden />
      </ActionIcon>
      <OnUse isUsed={isOpen}>
        <MessageMenu button={button} isOpen={isOpen} onChange={change} items={items} />
      </OnUse>
    </>
  )
}

/** The shortcuts of a message while it has the focus itself: the letters of its menu, and `+`. */
function useLetters(toolbar: RefObject<HTMLElement | null>, items: readonly MenuItem[]): void {
  const [isEnabled] = useShortcutsEnabled()
  useEffect(() => {
    const row = toolbar.current?.closest<HTMLElement>('[data-message]')
    if (!isEnabled || !row) return undefined
    const onKeyDown = (event: globalThis.KeyboardEvent) => {
      if (event.target !== row || !isShortcut(event)) return
      const key = event.key.toUpperCase()
      const item = items.find(({ letter }) => letter === key)
      const button = key === '+' && toolbar.current?.querySelector<HTMLElement>('[aria-keyshortcuts="+"]')
      if (!item && !button) return
      event.preventDefault()
      if (item) item.run()
      else if (button) button.click()
    }
    row.addEventListener('keydown', onKeyDown)
    return () => row.removeEventListener('keydown', onKeyDown)
  })
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  Home: -Infinity,
  End: Infinity,
}

function moveInToolbar(event: KeyboardEvent<HTMLElement>): void {
  const step = STEPS[event.key]
  if (step === undefined) return
  const buttons = [...event.currentTarget.querySelectorAll('button')]
  const at = buttons.findIndex((button) => button === document.activeElement)
  if (at === -1) return
  event.preventDefault()
  event.stopPropagation()
  buttons[Math.max(0, Math.min(at + step, buttons.length - 1))]?.focus()
}
