import { showError } from '@latchkey/web/toast'
import { useClipboard } from '@mantine/hooks'
import { useMemo, useState } from 'react'
import type { Message } from '../../../live/frames.ts'
import type { RoomStore } from '../../../live/room-store.ts'
import { type User, useSession } from '../../../session.ts'
import { useText } from '../../../texts/text.ts'
import { rememberEmoji } from '../emoji/frequent.ts'
import { type Room, rightsIn } from '../room.ts'

/** What a dialog is about. */
export interface MessageDialog {
  kind: 'delete' | 'versions' | 'menu'
  message: Message
}

/** What the user can do with messages. The same object between renders: rows depend on it. */
export interface MessageActions {
  selfId: string
  /** False in an archived room. */
  mayWrite: boolean
  /** True for guests, to whom the people are strangers: who owns the room, and who moderates it. */
  showsRoles: boolean
  /** People whose messages are folded. */
  blockedIds: readonly string[]
  mayDeleteAny: boolean
  mayPin: boolean
  mayReadVersions: boolean
  react: (message: Message, emoji: string, isAdded: boolean) => void
  reply: (message: Message) => void
  /** Begins to edit a message, or ends it. */
  edit: (message: Message | null) => void
  /** Resolves when the server has stored the new text. Rejects if `message` is not the newest version. */
  save: (message: Message, content: string) => Promise<void>
  pin: (message: Message, isPinned: boolean) => void
  markUnread: (message: Message) => void
  copyLink: (message: Message) => void
  copyText: (message: Message) => void
  /** Leaves the first line of a message where it is while its height changes. */
  keepInPlace: (messageId: string) => void
  /** Shows a message, wherever it is in the history. */
  goTo: (messageId: string) => void
  open: (dialog: MessageDialog | null) => void
  /** Keeps the toolbar of a message while something that it has opened is open. */
  setMenuMessage: (messageId: string | undefined) => void
}

interface Options {
  room: Room
  user: User
  store: RoomStore
  reply: (message: Message) => void
  goTo: (messageId: string) => void
  keepInPlace: (messageId: string) => void
}

const NO_ONE: readonly string[] = []

/** The actions, and the states that they change. */
export function useMessageActions({ room, user, store, reply, goTo, keepInPlace }: Options) {
  const { failure } = useText()
  const clipboard = useClipboard()
  const [editing, edit] = useState<Message | null>(null)
  const [dialog, open] = useState<MessageDialog | null>(null)
  const [menuMessageId, setMenuMessage] = useState<string>()
  const isGuest = user.identityType === 'guest'
  const may = rightsIn(room, user)
  const mayWrite = !room.archived
  const blockedIds = useSession().data?.blockedIds ?? NO_ONE
  const [mayDeleteAny, mayPin, mayReadVersions] = [
    may('delete_any_message'),
    mayWrite && may('pin_message'),
    may('read_message_versions'),
  ]
  const actions = useMemo((): MessageActions => {
    const orShowError = (act: Promise<void>) =>
      void act.catch((error: unknown) => showError(failure(error as Error)))
    return {
      selfId: user.id,
      showsRoles: isGuest,
      blockedIds,
      mayDeleteAny,
      mayPin,
      mayWrite,
      mayReadVersions,
      reply,
      edit,
      goTo,
      keepInPlace,
      open,
      setMenuMessage,
      react(message, emoji, isAdded) {
        if (isAdded) rememberEmoji(emoji)
        orShowError(store.history.react(message.id, emoji, isAdded))
      },
      save: (message, content) => store.history.edit(message, content),
      pin: (message, isPinned) => orShowError(store.history.pin(message.id, isPinned)),
      markUnread: (message) => orShowError(store.readMark.markUnread(message.seq)),
      copyLink: ({ id }) => clipboard.copy(`${location.origin}${location.pathname}?message=${id}`),
      copyText: ({ content }) => clipboard.copy(content ?? ''),
    }
    // The language changes only with the whole page.
  }, [
    user.id,
    isGuest,
    blockedIds,
    store,
    reply,
    goTo,
    keepInPlace,
    mayDeleteAny,
    mayPin,
    mayReadVersions,
    mayWrite,
  ])
  return { actions, editing, dialog, menuMessageId }
}
