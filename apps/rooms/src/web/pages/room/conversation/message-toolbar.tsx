import { ActionIcon, UnstyledButton } from '@mantine/core'
import type { KeyboardEvent } from 'react'
import type { Message } from '../../../live/frames.ts'
import { useText } from '../../../texts/text.ts'
import { EmojiButton } from '../emoji/emoji-button.tsx'
import { frequentEmoji } from '../emoji/frequent.ts'
import { useAuthorName } from './author-name.ts'
import type { MessageActions } from './use-message-actions.ts'
import { useMessageMenu } from './use-message-menu.ts'

/** Number of emoji with which one click reacts. */
const QUICK = 3

interface Props {
  message: Message
  actions: MessageActions
  tabIndex: 0 | -1
}

/** What can be done with a message, above its upper edge: it changes no height. */
export function MessageToolbar({ message, actions, tabIndex }: Props) {
  const { t } = useText()
  const name = useAuthorName(message)
  const items = useMessageMenu(message, actions)
  if (items.length === 0) return null
  return (
    <div
      className="message-toolbar"
      role="toolbar"
      aria-label={t('room.actionsFor', { name })}
      onKeyDown={moveInToolbar}
    >
      {message.content !== null && (
        <>
          <EmojiButton
            label={t('room.react')}
            tabIndex={tabIndex}
            onOpen={(isOpen) => actions.setMenuMessage(isOpen ? message.id : undefined)}
            onChoose={(emoji) => actions.react(message, emoji, true)}
          />
          {frequentEmoji()
            .slice(0, QUICK)
            .map((emoji) => (
              <UnstyledButton
                key={emoji}
                className="quick-reaction"
                tabIndex={-1}
                onClick={() => actions.react(message, emoji, true)}
              >
                {emoji}
              </UnstyledButton>
            ))}
        </>
      )}
      {items.map(({ id, label, icon: Icon, isDangerous, run }, index) => (
        <ActionIcon
          key={id}
          variant="subtle"
          color={isDangerous ? 'red' : 'gray'}
          size={32}
          // One tab stop: the arrow keys lead to the others.
          tabIndex={index === 0 && message.content === null ? tabIndex : -1}
          aria-label={label}
          data-tooltip={label}
          onClick={run}
        >
          <Icon size={17} stroke={1.8} aria-hidden />
        </ActionIcon>
      ))}
    </div>
  )
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
