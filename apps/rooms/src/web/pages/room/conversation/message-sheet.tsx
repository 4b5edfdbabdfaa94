import { Drawer, UnstyledButton } from '@mantine/core'
import { IconCopy } from '@latchkey/web/icons'
import { showSuccess } from '@latchkey/web/toast'
import type { Message } from '../../../live/frames.ts'
import { useText } from '../../../texts/text.ts'
import { frequentEmoji } from '../emoji/frequent.ts'
import { useAuthorName } from './author-name.ts'
import type { MessageActions } from './use-message-actions.ts'
import { type MenuItem, useMessageMenu } from './use-message-menu.ts'

interface Props {
  message: Message
  actions: MessageActions
  onClose: () => void
}

/** What can be done with a message, at the lower edge of a touch screen. */
export function MessageSheet({ message, actions, onClose }: Props) {
  const { t } = useText()
  const name = useAuthorName(message)
  const copyText: MenuItem = {
    id: 'text',
    label: t('room.copyText'),
    icon: IconCopy,
    run() {
      actions.copyText(message)
      showSuccess(t('copy.copied'))
    },
  }
  const items = [...useMessageMenu(message, actions), copyText]
  const close = (run: () => void) => () => {
    onClose()
    run()
  }
  return (
    <Drawer
      opened
      onClose={onClose}
      position="bottom"
      classNames={{ content: 'sheet' }}
      title={t('room.actionsFor', { name })}
      closeButtonProps={{ 'aria-label': t('shell.close') }}
    >
      {actions.mayWrite && (
        <div className="sheet-emoji" role="group" aria-label={t('room.react')}>
          {frequentEmoji().map((emoji) => (
            <UnstyledButton key={emoji} onClick={close(() => actions.react(message, emoji, true))}>
              {emoji}
            </UnstyledButton>
          ))}
        </div>
      )}
      {items.map(({ id, label, icon: Icon, isDangerous, run }) => (
        <UnstyledButton
          key={id}
          className="sheet-item"
          data-dangerous={isDangerous || undefined}
          onClick={close(run)}
        >
          <Icon size={20} stroke={1.8} aria-hidden />
          {label}
        </UnstyledButton>
      ))}
    </Drawer>
  )
}
