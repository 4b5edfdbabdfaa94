import { HOUR_MS } from '@latchkey/http/duration'
import {
  type Icon,
  IconArrowBackUp,
  IconHistory,
  IconLink,
  IconMail,
  IconPencil,
  IconPin,
  IconPinnedOff,
  IconTrash,
} from '@latchkey/web/icons'
import { showSuccess } from '@latchkey/web/toast'
import type { Message } from '../../../live/frames.ts'
import { live } from '../../../live/live.ts'
import { useText } from '../../../texts/text.ts'
import type { MessageActions } from './use-message-actions.ts'

export interface MenuItem {
  id: string
  label: string
  icon: Icon
  /** The key that does the same while the message has the focus. */
  letter?: string
  isDangerous?: boolean
  run: () => void
}

/** True if the user may change the text of a message (R29.2). */
export function mayEdit({ userId, content, createdAt }: Message, selfId: string): boolean {
  const isRecent = live.serverNow() - Date.parse(createdAt) < live.messageEditHours * HOUR_MS
  return userId === selfId && content !== null && isRecent
}

/** What the user can do with a message, besides reactions: first to reply. Empty for a deleted message. */
export function useMessageMenu(message: Message, actions: MessageActions): MenuItem[] {
  const { t } = useText()
  const { selfId, mayWrite, mayPin, mayReadVersions, mayDeleteAny } = actions
  const { userId, content, pinned, editedAt } = message
  if (content === null) return []
  const copyLink = () => {
    actions.copyLink(message)
    showSuccess(t('copy.copied'))
  }
  const items: (MenuItem | false)[] = [
    mayWrite && {
      id: 'reply',
      label: t('room.reply'),
      icon: IconArrowBackUp,
      letter: 'R',
      run: () => actions.reply(message),
    },
    mayWrite &&
      mayEdit(message, selfId) && {
        id: 'edit',
        label: t('room.edit'),
        icon: IconPencil,
        letter: 'E',
        run: () => actions.edit(message),
      },
    mayPin && {
      id: 'pin',
      label: t(pinned ? 'room.unpin' : 'room.pin'),
      icon: pinned ? IconPinnedOff : IconPin,
      letter: 'P',
      run: () => actions.pin(message, !pinned),
    },
    {
      id: 'unread',
      label: t('room.markUnread'),
      icon: IconMail,
      letter: 'U',
      run: () => actions.markUnread(message),
    },
    { id: 'link', label: t('room.copyLink'), icon: IconLink, run: copyLink },
    mayReadVersions &&
      editedAt !== null && {
        id: 'versions',
        label: t('room.versions'),
        icon: IconHistory,
        run: () => actions.open({ kind: 'versions', message }),
      },
    (mayDeleteAny || userId === selfId) && {
      id: 'delete',
      label: t('room.deleteMessage'),
      icon: IconTrash,
      isDangerous: true,
      run: () => actions.open({ kind: 'delete', message }),
    },
  ]
  return items.filter((item) => item !== false)
}
