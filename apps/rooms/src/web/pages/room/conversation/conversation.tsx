import { lazyPart } from '@latchkey/web/lazy-page'
import { OnUse } from '@latchkey/web/shell/on-use'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { Message } from '../../../live/frames.ts'
import type { RoomStore } from '../../../live/room-store.ts'
import { setBadge } from '../../../notifications/badge.ts'
import { loadBlockedBar } from '../../../people/load.ts'
import type { User } from '../../../session.ts'
import { ArchivedNotice } from '../archived.tsx'
import { Composer } from '../composer/composer.tsx'
import type { ComposerHandle } from '../composer/use-composer.ts'
import { useFiles } from '../composer/use-files.ts'
import { JoinBar } from '../join-bar.tsx'
import type { Room } from '../room.ts'
import { Announcements } from './announcements.tsx'
import { MessageList } from './message-list.tsx'
import { TypingIndicator } from './typing-indicator.tsx'
import { useConversation } from './use-conversation.ts'
import { useFileDrop } from './use-file-drop.ts'
import { mayEdit } from './use-message-menu.ts'
import { useText } from '../../../texts/text.ts'
import { storedPlace } from './use-stored-place.ts'
import { useReadMark } from './use-read-mark.ts'

const BlockedBar = lazyPart(loadBlockedBar)
const MessageDialogs = lazyPart(() => import('./message-dialogs.tsx'))

interface Props {
  room: Room
  user: User
  store: RoomStore
  /** Message to which the address leads. */
  messageId: string
}

/** The messages and the field for new ones. */
export function Conversation({ room, user, store, messageId }: Props) {
  const [replyTo, setReply] = useState<Message | null>(null)
  const composer = useRef<ComposerHandle>(null)
  const view = useConversation({ room, user, store, reply: setReply })
  const { actions, dialog, list } = view
  const { t } = useText()
  const files = useFiles(store)
  const drop = useFileDrop(files.mayAdd && !room.archived ? files.add : undefined)
  useUnreadBadge(store, room.notificationLevel !== 'none')
  useReadMark(store)
  useLinkedMessage(store, messageId, view.goTo)
  const [person, another] = room.people ?? []
  const blocked = person && !another && actions.blockedIds.includes(person.id) ? person : undefined
  const editLast = () => {
    const last = store.state().messages.findLast((message) => mayEdit(message, user.id))
    if (!last) return
    view.bringIntoPage(last.id)
    actions.edit(last)
  }
  return (
    <div className="conversation" {...drop.handlers}>
      {drop.isOver && <div className="drop-area">{t('room.dropFiles')}</div>}
      <MessageList
        room={room}
        user={user}
        store={store}
        view={view}
        onEditUnsent={(draft) => composer.current?.editUnsent(draft)}
      />
      <TypingIndicator store={store} />
      <OnUse isUsed={blocked !== undefined}>{blocked && <BlockedBar person={blocked} />}</OnUse>
      {room.role === null && room.visibility !== 'private' && !room.archived && <JoinBar room={room} />}
      {room.archived ? (
        <ArchivedNotice room={room} user={user} />
      ) : (
        <Composer
          room={room}
          user={user}
          store={store}
          files={files}
          replyTo={replyTo}
          onReply={setReply}
          onEditLast={editLast}
          handle={composer}
        />
      )}
      <Announcements store={store} />
      <OnUse isUsed={dialog !== null}>
        <MessageDialogs
          dialog={dialog}
          actions={actions}
          onDeleted={() => list.current?.focus({ preventScroll: true })}
        />
      </OnUse>
    </div>
  )
}

/** Goes to the message in the address once the room is entered, and again when the address changes. */
function useLinkedMessage(store: RoomStore, messageId: string, goTo: (id: string) => unknown): void {
  const isIn = useSyncExternalStore(store.watch, () => store.state().phase === 'in')
  useEffect(() => {
    if (isIn && messageId !== '' && !storedPlace()) goTo(messageId)
  }, [isIn, messageId, goTo])
}

/** Shows the number of messages that arrived while the user was elsewhere in the title of the tab and on its icon. */
function useUnreadBadge(store: RoomStore, isEnabled: boolean): void {
  const unread = useSyncExternalStore(store.watch, () => store.state().unread)
  useEffect(() => setBadge('room', isEnabled ? unread : 0), [unread, isEnabled])
  useEffect(() => () => setBadge('room', 0), [])
}
